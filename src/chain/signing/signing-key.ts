import { signAsync } from '@noble/secp256k1';
import { encodeBase64Url, hexToBytes, keccak256 } from '../../lib/bytes.ts';
import type { Secret } from '../../lib/secret.ts';

/** Signs for one address. The adapters know no other way to a signature, and a key that a KMS holds never reaches the Worker. */
export interface SigningKey {
  readonly address: string;
  /**
   * Signs the bytes of an unsigned transaction (Ethereum: serialized; Solana: its message). Returns the signature in the form of
   * the key's curve. Throws KmsFault if a KMS does not sign now.
   */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/** Keys that the configuration holds. */

export function ethereumSecret(address: string, key: Secret<`0x${string}`>): SigningKey {
  return {
    address,
    async sign(bytes) {
      const options = { prehash: false, format: 'recovered' } as const;
      const [parity = 0, ...parts] = await signAsync(keccak256(bytes), hexToBytes(key()), options);
      return Uint8Array.of(...parts, parity);
    },
  };
}

/** Imports the key once, when it is first needed. */
export function solanaSecret(address: string, pair: Secret<Uint8Array>): SigningKey {
  let imported: ReturnType<typeof importPair> | undefined;
  return {
    address,
    async sign(bytes) {
      imported ??= importPair(pair());
      return new Uint8Array(await crypto.subtle.sign('Ed25519', await imported, bytes));
    },
  };
}

/** RFC 8037 §2. */
function importPair(pair: Uint8Array) {
  const d = encodeBase64Url(pair.subarray(0, 32));
  const x = encodeBase64Url(pair.subarray(32));
  return crypto.subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', d, x }, 'Ed25519', false, ['sign']);
}
