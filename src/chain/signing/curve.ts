import { base58 } from '@scure/base';
import { publicKeyToAddress } from 'viem/accounts';
import { bytesToHex, hexToBytes, keccak256, numberToHex, recoverAddress } from 'viem/utils';
import type { Chain } from '../../network/network.ts';
import { readDerSignature } from './der.ts';

/** What differs between the keys of the two kinds of chains. */
export interface Curve {
  /** The DER of a public key up to the key itself (SubjectPublicKeyInfo, RFC 5480 and RFC 8410), in hex. */
  readonly publicKeyPrefix: string;
  /** Returns the address of a public key: an uncompressed point, or the 32 bytes of Ed25519. */
  addressOf(publicKey: Uint8Array): string;
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
    addressOf: (publicKey) => publicKeyToAddress(bytesToHex(publicKey)),
    signedBytes: (message) => keccak256(message, 'bytes'),
    async verify(message, signature, address) {
      const found = readDerSignature(signature);
      if (found === undefined) return undefined;
      const { r, s } = found;
      if (r <= 0n || r >= ORDER || s <= 0n || s >= ORDER) return undefined;
      // Both s and its negative are valid. Nodes accept only the lower one (EIP-2).
      const parts = [r, s > ORDER >> 1n ? ORDER - s : s].map((part) => numberToHex(part, { size: 32 }));
      const [rHex = '0x', sHex = '0x'] = parts;
      const hash = keccak256(message);
      for (const yParity of [0, 1]) {
        // Recovery finds the key that made the signature, so the right address also proves the signature.
        const signer = await recoverAddress({ hash, signature: { r: rHex, s: sHex, yParity } }).catch(() => undefined);
        if (signer === address) return Uint8Array.of(...hexToBytes(rHex), ...hexToBytes(sHex), yParity);
      }
      return undefined;
    },
  },
  /** Ed25519. A signature has 64 bytes (RFC 8032). */
  solana: {
    publicKeyPrefix: '302a300506032b6570032100',
    addressOf: (publicKey) => base58.encode(publicKey),
    signedBytes: (message) => message,
    async verify(message, signature, address) {
      const key = await crypto.subtle.importKey('raw', base58.decode(address), 'Ed25519', false, ['verify']);
      const isValid = await crypto.subtle.verify('Ed25519', key, signature, message);
      return isValid && signature.length === 64 ? signature : undefined;
    },
  },
};

/** Returns the address of a public key in DER; undefined if the key is not one of the curve. */
export function addressOfDer({ publicKeyPrefix, addressOf }: Curve, der: Uint8Array): string | undefined {
  const hex = bytesToHex(der).slice(2);
  const length = publicKeyPrefix === CURVES.ethereum.publicKeyPrefix ? 65 : 32;
  const key = der.subarray(publicKeyPrefix.length / 2);
  return hex.startsWith(publicKeyPrefix) && key.length === length ? addressOf(key) : undefined;
}
