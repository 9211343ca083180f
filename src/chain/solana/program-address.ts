import { ed25519 } from '@noble/curves/ed25519';
import { sha256 } from '@noble/hashes/sha2';
import { type Address, getAddressDecoder, type ReadonlyUint8Array } from '@solana/kit';

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
