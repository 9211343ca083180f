import { signAsync } from '@noble/secp256k1';
import { encodeBase64Url } from '../../lib/base64.ts';
import { hexToBytes } from '../../lib/hex.ts';
import { keccak256 } from '../../lib/keccak.ts';
import type { Secret } from '../../lib/secret.ts';
import type { SigningKey } from './signing-key.ts';

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
