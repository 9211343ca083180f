import { type Change, isDone, type Standing } from './change.ts';
import type { Changed } from './sender.ts';

/** The addresses that a reading of a gatekeeper network asks for. */
export interface Question {
  readonly authorities: readonly string[];
  readonly gatekeepers: readonly string[];
}

/** A gatekeeper network in the contract or the program of one network. Every method throws RpcFault if no node answers. */
export interface Gateway extends Changed<Change> {
  read(question: Question): Promise<Standing>;
  /** Returns the accounts that became authorities from that block on. Only where somebody else may become one. */
  readNewAuthorities?(fromBlock: number): Promise<string[]>;
}

/** Reads everything that shows whether the chain has the changes, and whether the account is an authority. */
export function readStanding(
  { read }: Pick<Gateway, 'read'>,
  changes: readonly Change[],
  account?: string,
): Promise<Standing> {
  const addressesOf = (role: string) =>
    changes.flatMap((change) => ('address' in change && change.type.endsWith(role) ? change.address : []));
  const authorities = new Set([...addressesOf('authority'), ...(account === undefined ? [] : [account])]);
  return read({ authorities: [...authorities], gatekeepers: addressesOf('gatekeeper') });
}

/** Returns the changes that the chain lacks. */
export async function findMissing(gateway: Pick<Gateway, 'read'>, changes: readonly Change[]): Promise<Change[]> {
  const standing = await readStanding(gateway, changes);
  return changes.filter((change) => !isDone(change, standing));
}
