import { RpcFault } from '../../src/chain/port.ts';

/** A set of token ids: a bit for each id, because the contract counts ids from 1. */
export type TokenSet = Uint8Array;

/** More ids than all networks have. A larger one comes from a faulty node, and its bit would need too much memory. */
const MAX_ID = 2n ** 27n;

export function hasToken(set: TokenSet, id: bigint): boolean {
  const { byte, bit } = placeOf(id);
  return ((set[byte] ?? 0) & bit) !== 0;
}

/** Returns the set with that id. It may change the given set. Throws RpcFault for an impossible id. */
export function addToken(set: TokenSet, id: bigint): TokenSet {
  const { byte, bit } = placeOf(id);
  let grown = set;
  if (byte >= set.length) {
    grown = new Uint8Array(2 * byte + 1);
    grown.set(set);
  }
  grown[byte] = (grown[byte] ?? 0) | bit;
  return grown;
}

function placeOf(id: bigint): { byte: number; bit: number } {
  if (id > MAX_ID) throw new RpcFault(`the token id ${id} is impossible`);
  return { byte: Number(id >> 3n), bit: 1 << Number(id & 7n) };
}
