import { createPrivateKey, createPublicKey } from 'node:crypto';
import { base58, base64urlnopad } from '@scure/base';
import * as v from 'valibot';
import { privateKeyToAddress } from 'viem/accounts';
import { type Secret, secret, withheldSecret } from '../lib/secret.ts';
import { canonicalWalletOfAnyChain } from '../network/wallet.ts';
import { ConfigError, Json, parseVariable } from './variable.ts';

/** A key that issues passes, and the address the chain knows it by. */
export interface Gatekeeper<Key> {
  readonly address: string;
  readonly key: Secret<Key>;
  /** It serves the passes it has, and is given no new ones. */
  readonly retired?: boolean;
  /** Somebody else has it. It signs nothing: `key` throws. Its signer tracks what it signed before. */
  readonly compromised?: boolean;
}

/** The keys of each chain, in the order they are given in; on a chain without any no network is enabled. */
export interface Gatekeepers {
  readonly ethereum: readonly Gatekeeper<`0x${string}`>[];
  /** 64 bytes: the seed and the public key (RFC 8032). */
  readonly solana: readonly Gatekeeper<Uint8Array>[];
}

/** Order of the secp256k1 group: private keys lie below it. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const NOT_ETHEREUM = 'must be a private key: 32 bytes in hex';

const EthereumKey = v.pipe(
  v.string(),
  v.regex(/^(0x)?[0-9a-fA-F]{64}$/, NOT_ETHEREUM),
  v.transform((key) => (key.startsWith('0x') ? key : `0x${key}`) as `0x${string}`),
  v.check((key) => BigInt(key) > 0n && BigInt(key) < ORDER, NOT_ETHEREUM),
);

const NOT_SOLANA = 'must be a key pair: 64 bytes, as a JSON array (the file of solana-keygen) or in base58';

const SolanaKey = v.pipe(
  v.string(),
  v.transform(parseSolanaBytes),
  v.check((bytes) => bytes.length === 64, NOT_SOLANA),
  v.check(isKeyPair, 'must be a key pair: its second half is not the public key of its first'),
);

/** As many as fit into a secret of a Worker (5 kB) also where each is a JSON array. */
const MAX_KEYS = 16;

/** The texts of several keys, with white space between: that within the brackets of a JSON array is part of the key. */
const Texts = v.optional(
  v.pipe(
    v.string('must be keys, with spaces between'),
    v.transform((text) => text.match(/(\[[^\]]*\]|\S)+/g) ?? ['']),
    v.maxLength(MAX_KEYS, `must be at most ${MAX_KEYS} keys`),
  ),
);

const Addresses = v.pipe(
  v.optional(v.string('must be addresses'), ''),
  v.transform((text): (string | undefined)[] => text.split(/\s+/).filter(Boolean).map(canonicalWalletOfAnyChain)),
  v.array(v.string('must be addresses of gatekeepers, with spaces between')),
);

/**
 * `ETHEREUM_GATEKEEPER_KEY`, `SOLANA_GATEKEEPER_KEY`, `RETIRED_GATEKEEPERS` and `COMPROMISED_GATEKEEPERS`. A retired address
 * need not have a key here, so that the operator can name it before the key is added, and until after it is removed. A
 * compromised key needs no secret: its address is enough.
 */
export function parseGatekeepers(env: Readonly<Record<string, unknown>>): Gatekeepers {
  const retired = parseVariable(env, 'RETIRED_GATEKEEPERS', Addresses);
  const compromised = parseVariable(env, 'COMPROMISED_GATEKEEPERS', Addresses);
  const [onEthereum = [], onSolana = []] = [true, false].map((isEthereum) =>
    compromised.filter((address) => address.startsWith('0x') === isEthereum),
  );
  const ethereum = parseKeys(env, 'ETHEREUM_GATEKEEPER_KEY', EthereumKey, privateKeyToAddress, retired);
  const solanaAddressOf = (pair: Uint8Array) => base58.encode(pair.subarray(32));
  const solana = parseKeys(env, 'SOLANA_GATEKEEPER_KEY', SolanaKey, solanaAddressOf, retired);
  return { ethereum: withCompromised(ethereum, onEthereum), solana: withCompromised(solana, onSolana) };
}

/** Returns the keys in their order, compromised ones with their address only. Compromised addresses without a key follow. */
function withCompromised<Key>(keys: readonly Gatekeeper<Key>[], addresses: readonly string[]): Gatekeeper<Key>[] {
  const withhold = (address: string): Gatekeeper<Key> => ({
    address,
    key: withheldSecret('a compromised key signs nothing'),
    retired: true,
    compromised: true,
  });
  const known = keys.map((key) => (addresses.includes(key.address) ? withhold(key.address) : key));
  const others = [...new Set(addresses)].filter((other) => keys.every(({ address }) => address !== other));
  return [...known, ...others.map(withhold)];
}

function parseKeys<Key>(
  env: Readonly<Record<string, unknown>>,
  variable: string,
  schema: v.GenericSchema<unknown, Key>,
  addressOf: (key: Key) => string,
  retired: readonly string[],
): Gatekeeper<Key>[] {
  const texts = parseVariable(env, variable, Texts) ?? [];
  const found = texts.map((text, index) => {
    const key = parseVariable({ [variable]: text }, variable, schema, describeKeyPosition(texts, index));
    const address = addressOf(key);
    return { address, key: secret(key), retired: retired.includes(address) };
  });
  const addresses = found.map(({ address }) => address);
  const again = addresses.findIndex((address, index) => addresses.indexOf(address) < index);
  if (again >= 0) throw new ConfigError(variable, `${describeKeyPosition(texts, again)}must not be there twice`);
  return found;
}

/** Which of several keys is meant, for a complaint: by its place, since nothing of it may show. */
export function describeKeyPosition({ length }: readonly unknown[], index: number): string {
  return length > 1 ? `(key ${index + 1} of ${length}) ` : '';
}

const Bytes = v.pipe(Json, v.array(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255))));

/** No bytes for what is neither form. */
function parseSolanaBytes(text: string): Uint8Array {
  const listed = v.safeParse(Bytes, text);
  if (listed.success) return Uint8Array.from(listed.output);
  // Longer texts are refused unread: decoding base58 takes quadratic time.
  return /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) ? base58.decode(text) : new Uint8Array();
}

/** The signatures of a mismatched pair are invalid, and its address is not the one that the operator funded. */
function isKeyPair(bytes: Uint8Array): boolean {
  const d = base64urlnopad.encode(bytes.subarray(0, 32));
  const x = base64urlnopad.encode(bytes.subarray(32));
  // RFC 8037 §2. The runtime derives the public key from `d`, whatever `x` says.
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
  return createPublicKey(key).export({ format: 'jwk' }).x === x;
}
