import { type InclusionStatus, type InFlightTransaction, RpcFault } from '../port.ts';
import type { Solana } from './adapter.ts';
import { readStatuses, type SolanaRpc, type Status } from './calls.ts';

/** The finalized chain as it was seen at one moment. */
interface View {
  readonly slot: number;
  readonly height: bigint;
}

/** Transactions of which the history is asked at a time: nodes look them up one after the other, in a slow store. */
const HISTORY = 32;

/**
 * Statuses of everything in flight, in one request. What the node does not know, and what its finalized chain should
 * hold or can hold no more, is looked for in its history as well before anything is concluded.
 */
export async function track({ rpc }: Solana, flights: readonly InFlightTransaction[]): Promise<InclusionStatus[]> {
  const [{ absoluteSlot: slot, blockHeight: height }, known] = await Promise.all([
    rpc.getEpochInfo({ commitment: 'finalized' }).send(),
    statusesOf(rpc, flights, false),
  ]);
  const view = { slot: Number(slot), height };
  const lost = flights.filter((flight) => !known.statuses.has(flight) && isDecided(flight, view)).slice(0, HISTORY);
  const history = await historyOf(rpc, lost);
  return flights.map((flight): InclusionStatus => {
    const seen = known.statuses.get(flight) ?? history.statuses.get(flight);
    if (seen !== undefined) return inclusionOf(flight, seen);
    const absent = flight.includedIn === undefined ? 'unconfirmed' : 'still-included';
    if (!lost.includes(flight)) return { type: absent };
    if ('fault' in history) return { type: 'unknown', why: history.fault };
    // A node that is behind the finalized chain proves nothing.
    if (history.slot < view.slot) return { type: absent };
    return flight.includedIn === undefined ? { type: 'expired', asOf: view.slot } : { type: 'unconfirmed' };
  });
}

/** Whether the finalized chain must hold the transaction by now, if it ever will. */
function isDecided({ includedIn, lastValidBlockHeight }: InFlightTransaction, { slot, height }: View): boolean {
  if (includedIn !== undefined) return slot >= includedIn.block;
  return lastValidBlockHeight !== undefined && height > BigInt(lastValidBlockHeight);
}

interface Seen {
  readonly identifier: string;
  readonly status: Status;
}

async function statusesOf(rpc: SolanaRpc, flights: readonly InFlightTransaction[], history: boolean) {
  const asked = flights.flatMap((flight) => flight.identifiers.map((identifier) => ({ flight, identifier })));
  const { slot, statuses } = await readStatuses(
    rpc,
    asked.map(({ identifier }) => identifier),
    history,
  );
  const seen = asked.flatMap(({ flight, identifier }, index) => {
    const status = statuses[index];
    return status === undefined ? [] : [[flight, { identifier, status }] as const];
  });
  return { slot, statuses: new Map<InFlightTransaction, Seen>(seen) };
}

/** Not every node has its history: then these transactions wait, and no others. */
async function historyOf(rpc: SolanaRpc, flights: readonly InFlightTransaction[]) {
  try {
    return await statusesOf(rpc, flights, true);
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    return { fault: fault.message, statuses: new Map<InFlightTransaction, Seen>() };
  }
}

/** What the status of a transaction says. */
function inclusionOf({ includedIn }: InFlightTransaction, { identifier, status }: Seen): InclusionStatus {
  const isFinal = status.confirmationStatus === 'finalized';
  if (!isFinal && status.confirmationStatus !== 'confirmed')
    return { type: includedIn ? 'still-included' : 'unconfirmed' };
  // Signed anew before this one is final, both could take effect after a fork.
  if (status.err !== null) return isFinal ? { type: 'without-effect', identifier } : { type: 'unconfirmed' };
  const block = Number(status.slot);
  if (includedIn?.block === block) return { type: isFinal ? 'final' : 'still-included' };
  return { type: 'confirmed', identifier, includedIn: { block } };
}
