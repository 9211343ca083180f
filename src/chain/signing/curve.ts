import { recoverPublicKey, Signature } from '@noble/secp256k1';
import { base58 } from '@scure/base';
import { bytesToHex, keccak256 } from 'viem/utils';
import type { Chain } from '../../network/network.ts';
import { addressOfPublicKey } from '../../network/wallet.ts';
import { readDerSignature } from './der.ts';

/** The differences between the keys of the two kinds of chains. */
export interface Curve {
  /** The DER of a public key up to the key itself (SubjectPublicKeyInfo, RFC 5480 and RFC 8410), in hex. */
  readonly publicKeyPrefix: string;
  readonly publicKeyBytes: number;
  /** Returns what a KMS signs: the digest or the message itself. */
  signedBytes(message: Uint8Array): Uint8Array;
  /**
   * Returns the signature of a KMS as a transaction needs it. Undefined if it is malformed or not by the key of that address.
   */
  verify(message: Uint8Array, signature: Uint8Array, address: string): Promise<Uint8Array | undefined>;
}

/** Order of the secp256k1 group. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export const CURVES: Readonly<Record<Chain, Curve>> = {
  /** secp256k1. A signature is r and s, each in 32 bytes, and the parity of the point. */
  ethereum: {
    publicKeyPrefix: '3056301006072a8648ce3d020106052b8104000a034200',
    publicKeyBytes: 65,
    signedBytes: (message) => keccak256(message, 'bytes'),
    async verify(message, signature, address) {
      const found = readDerSignature(signature);
      if (found === undefined) return undefined;
      const { r, s } = found;
      if (r <= 0n || r >= ORDER || s <= 0n || s >= ORDER) return undefined;
      // Both s and its negative are valid. Nodes accept only the lower one (EIP-2).
      const compact = new Signature(r, s > ORDER >> 1n ? ORDER - s : s).toBytes();
      const digest = keccak256(message, 'bytes');
      for (const parity of [0, 1]) {
        // Recovery finds the key that made the signature, so the right address also proves the signature.
        if (recoverAddress(Uint8Array.of(parity, ...compact), digest) === address)
          return Uint8Array.of(...compact, parity);
      }
      return undefined;
    },
  },
  /** Ed25519. A signature has 64 bytes (RFC 8032). */
  solana: {
    publicKeyPrefix: '302a300506032b6570032100',
    publicKeyBytes: 32,
    signedBytes: (message) => message,
    async verify(message, signature, address) {
      // The runtime throws for another length, instead of saying that the signature is wrong.
      if (signature.length !== 64) return undefined;
      const key = await crypto.subtle.importKey('raw', base58.decode(address), 'Ed25519', false, ['verify']);
      return (await crypto.subtle.verify('Ed25519', key, signature, message)) ? signature : undefined;
    },
  },
};

/** Returns the address of the key that made the signature; undefined if none can have made it. */
function recoverAddress(signature: Uint8Array, digest: Uint8Array): string | undefined {
  try {
    return addressOfPublicKey('ethereum', recoverPublicKey(signature, digest, { prehash: false, isCompressed: false }));
  } catch {
    return undefined;
  }
}

/** Returns the address of a public key in DER; undefined if the key is not one of the curve. */
export function addressOfDer(chain: Chain, der: Uint8Array): string | undefined {
  const { publicKeyPrefix, publicKeyBytes } = CURVES[chain];
  const key = der.subarray(publicKeyPrefix.length / 2);
  const isOfCurve = bytesToHex(der).slice(2).startsWith(publicKeyPrefix) && key.length === publicKeyBytes;
  return isOfCurve ? addressOfPublicKey(chain, key) : undefined;
}
