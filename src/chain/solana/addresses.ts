import { ed25519 } from '@noble/curves/ed25519';
import { sha256 } from '@noble/hashes/sha2';
import { base58 } from '@scure/base';
import { type Address, getAddressDecoder, type ReadonlyUint8Array } from '@solana/kit';

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

const MARKER = new TextEncoder().encode('ProgramDerivedAddress');
const address = getAddressDecoder();

/**
 * Returns the program-derived address for these seeds: the first hash that is not a point of the Ed25519 curve, so that no key
 * can sign for it. The hash includes a byte that counts down from 255. `getProgramDerivedAddress` of kit returns the same
 * address, but it is asynchronous and takes twice as long for the five addresses of a wallet.
 */
export function programAddress(program: ReadonlyUint8Array, seeds: readonly ReadonlyUint8Array[]): Address {
  const bytes = Uint8Array.from([...seeds, [255], program, MARKER].flatMap((part) => [...part]));
  const bumpAt = seeds.reduce((length, seed) => length + seed.length, 0);
  for (let bump = 255; bump >= 0; bump -= 1) {
    bytes[bumpAt] = bump;
    const hash = sha256(bytes);
    if (!isOnCurve(hash)) return address.decode(hash);
  }
  throw new Error('these seeds have no address');
}

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.ExtendedPoint.fromHex(bytes);
    return true;
  } catch {
    return false;
  }
}
