import { base58 } from '@scure/base';
import type { Address, ReadonlyUint8Array } from '@solana/kit';

/** Enough for a batch of passes and the addresses of every transaction. */
const REMEMBERED_MAX = 1_000;

const remembered = new Map<Address, ReadonlyUint8Array>();

/**
 * Returns the 32 bytes of an address. Throws if it has another length. Decoding base58 takes longer than encoding a message, and
 * the same addresses recur, so the function caches them.
 */
export function addressBytes(address: Address): ReadonlyUint8Array {
  const known = remembered.get(address);
  if (known !== undefined) return known;
  const bytes = base58.decode(address);
  if (bytes.length !== 32) throw new Error('an address has 32 bytes');
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  remembered.set(address, bytes);
  return bytes;
}
