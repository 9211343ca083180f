import { RpcFault } from '../../src/chain/port.ts';
import type { SlotLogs } from './slot-logs.ts';

/**
 * The ids of SlimGateway, which follow from the wallet and the gatekeeper network. They do not increase, and a token that is issued
 * again after a burn has its old id.
 */

/** Bits of the wallet, at the end of the id. Before it, 12 bytes of a hash follow. */
const WALLET_BITS = 160n;

/** Whether the id is one of SlimGateway. The ids of the public build count up from 1. */
export const isDerived = (id: bigint): boolean => id >> WALLET_BITS !== 0n;

/** Ids as decimal numbers. */
export interface DerivedIds {
  /** Each id with a log of its issuance, once. */
  readonly issued: readonly string[];
  /** The ones of them whose last log is a burn, as far as the logs tell. */
  readonly burned: readonly string[];
}

/** Returns the ids with those in the logs of the next blocks. Throws RpcFault if a log is repeated. */
export function addDerived({ issued, burned }: DerivedIds, logs: SlotLogs): DerivedIds {
  const [known, gone] = [new Set(issued), new Set(burned)];
  const changes = new Map<string, number>();
  const count = (ids: readonly bigint[], change: number) => {
    for (const id of ids.map(String)) changes.set(id, (changes.get(id) ?? 0) + change);
  };
  count(logs.minted, 1);
  count(logs.burned, -1);
  for (const id of logs.minted.map(String)) if (!known.has(id)) gone.add(id);
  for (const id of logs.minted) known.add(String(id));
  for (const [id, change] of changes) {
    // A token that was issued before the first block of the scan is not among them.
    if (!known.has(id)) continue;
    const tokens = (gone.has(id) ? 0 : 1) + change;
    if (tokens > 1) throw new RpcFault('the logs repeat a token');
    if (tokens > 0) gone.delete(id);
    else gone.add(id);
  }
  return { issued: [...known], burned: [...gone] };
}
