import { base58 } from '@scure/base';
import type { Address, ReadonlyUint8Array } from '@solana/kit';

/** So many are remembered: those of a batch of passes, and what is in every transaction. */
const REMEMBERED = 1_000;

const known = new Map<Address, ReadonlyUint8Array>();

/**
 * The 32 bytes of an address. Base58 is slow to read, longer than it takes to put a transaction together around it, and the
 * same addresses come time and again: they are remembered.
 */
export function addressBytes(address: Address): ReadonlyUint8Array {
  const remembered = known.get(address);
  if (remembered !== undefined) return remembered;
  const bytes = base58.decode(address);
  if (bytes.length !== 32) throw new Error('an address has 32 bytes');
  if (known.size >= REMEMBERED) known.clear();
  known.set(address, bytes);
  return bytes;
}
