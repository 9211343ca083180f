import { createPrivateKey, createPublicKey } from 'node:crypto';
import { base58, base64urlnopad } from '@scure/base';
import * as v from 'valibot';
import { networkNamesOf } from '../network/networks.ts';
import { Json } from './variable.ts';

/** Order of the secp256k1 group. Private keys are below it. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const NOT_ETHEREUM = 'must be a private key: 32 bytes in hex';

export const EthereumKey = v.pipe(
  v.string(),
  v.regex(/^(0x)?[0-9a-fA-F]{64}$/, NOT_ETHEREUM),
  v.transform((key) => (key.startsWith('0x') ? key : `0x${key}`) as `0x${string}`),
  v.check((key) => BigInt(key) > 0n && BigInt(key) < ORDER, NOT_ETHEREUM),
);

const NOT_SOLANA = 'must be a key pair: 64 bytes, as a JSON array (the file of solana-keygen) or in base58';

export const SolanaKey = v.pipe(
  v.string(),
  v.transform(parseSolanaBytes),
  v.check((bytes) => bytes.length === 64, NOT_SOLANA),
  v.check(isKeyPair, 'must be a key pair: its second half is not the public key of its first'),
);

/** Maximum number of keys. As JSON arrays, that many still fit into a secret of a Worker (5 kB). */
const MAX_KEYS = 16;

/** Splits several keys at white space. White space within the brackets of a JSON array belongs to the key. */
export const KeyTexts = v.pipe(
  v.string('must be keys, separated by spaces'),
  v.transform((text) => text.match(/(\[[^\]]*\]|\S)+/g) ?? ['']),
  v.maxLength(MAX_KEYS, `must be at most ${MAX_KEYS} keys`),
);

export const BY_NETWORK = 'keys by network, like {"devnet": "KEY KEY", "mainnet-beta": "KEY"}';

/** Parses a JSON object with the keys of each Solana network. A single key may be a JSON array without quotes. */
export const KeyTextsByNetwork = v.pipe(
  v.string(),
  v.parseJson(undefined, `must be keys, or ${BY_NETWORK}`),
  v.strictObject(
    Object.fromEntries(
      networkNamesOf('solana').map((network) => [
        network,
        v.optional(
          v.pipe(
            v.unknown(),
            v.transform((keys) => (Array.isArray(keys) ? JSON.stringify(keys) : keys)),
            KeyTexts,
          ),
        ),
      ]),
    ),
    `must be ${BY_NETWORK}`,
  ),
);

const Bytes = v.pipe(Json, v.array(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255))));

/** Returns no bytes if the text has neither form. */
function parseSolanaBytes(text: string): Uint8Array {
  const listed = v.safeParse(Bytes, text);
  if (listed.success) return Uint8Array.from(listed.output);
  // Longer texts are refused without decoding them: base58 decodes in quadratic time.
  return /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) ? base58.decode(text) : new Uint8Array();
}

/**
 * Whether the second half is the public key of the first. A mismatched pair produces invalid signatures, and its address is not
 * the one that the operator funded.
 */
function isKeyPair(bytes: Uint8Array): boolean {
  const d = base64urlnopad.encode(bytes.subarray(0, 32));
  const x = base64urlnopad.encode(bytes.subarray(32));
  // RFC 8037 §2. The runtime derives the public key from `d` and ignores `x`.
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
  return createPublicKey(key).export({ format: 'jwk' }).x === x;
}
