import { secp256k1 } from '@noble/curves/secp256k1';
import { base58 } from '@scure/base';
import { publicKeyToAddress } from 'viem/accounts';
import { bytesToHex, keccak256 } from 'viem/utils';
import type { Chain } from '../../network/network.ts';

/** The differences between the keys of the two kinds of chains. */
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

const ethereumAddress = (publicKey: Uint8Array): string => publicKeyToAddress(bytesToHex(publicKey));

/** Returns the signature in DER (RFC 3279) with its lower s; undefined if the bytes are none, or a number is out of range. */
function readDer(signature: Uint8Array) {
  try {
    // Both s and its negative are valid. Nodes accept only the lower one (EIP-2).
    return secp256k1.Signature.fromDER(signature).normalizeS();
  } catch {
    return undefined;
  }
}

/** Returns the uncompressed point of the key that made the signature; undefined if r is on no point. */
function recover(
  signature: { recoverPublicKey(digest: Uint8Array): { toRawBytes(isCompressed: boolean): Uint8Array } },
  digest: Uint8Array,
) {
  try {
    return signature.recoverPublicKey(digest).toRawBytes(false);
  } catch {
    return undefined;
  }
}

export const CURVES: Readonly<Record<Chain, Curve>> = {
  /** secp256k1. A signature is r and s, each in 32 bytes, and the parity of the point. */
  ethereum: {
    publicKeyPrefix: '3056301006072a8648ce3d020106052b8104000a034200',
    addressOf: ethereumAddress,
    signedBytes: (message) => keccak256(message, 'bytes'),
    async verify(message, signature, address) {
      const found = readDer(signature);
      const digest = keccak256(message, 'bytes');
      for (const parity of [0, 1]) {
        // Recovery finds the key that made the signature, so the right address also proves the signature.
        const signer = found && recover(found.addRecoveryBit(parity), digest);
        if (signer && ethereumAddress(signer) === address) return Uint8Array.of(...found.toCompactRawBytes(), parity);
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
      if (signature.length !== 64) return undefined;
      const key = await crypto.subtle.importKey('raw', base58.decode(address), 'Ed25519', false, ['verify']);
      return (await crypto.subtle.verify('Ed25519', key, signature, message)) ? signature : undefined;
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
