import { createPrivateKey, createPublicKey } from 'node:crypto';
import { getPublicKey } from '@noble/secp256k1';
import * as v from 'valibot';
import { decodeBase58, encodeBase64Url, type Hex, hexToBytes } from '../lib/bytes.ts';
import { type Secret, secret, withheldSecret } from '../lib/secret.ts';
import type { UnixSeconds } from '../lib/units.ts';
import type { Chain } from '../network/network.ts';
import { networkNamesOf } from '../network/networks.ts';
import { isSandbox } from '../network/sandbox.ts';
import { addressOfPublicKey, canonicalWallet, canonicalWalletOfAnyChain } from '../network/wallet.ts';
import {
  isKmsText,
  type KmsCredentials,
  type KmsKey,
  type KmsReference,
  parseKmsText,
  withCredentials,
} from './kms.ts';
import { ConfigError, Json, parseVariable } from './variable.ts';

/** A gatekeeper key and its address on chain. */
export interface Gatekeeper<Key> {
  readonly address: string;
  /** Throws if it is read and a KMS holds the key, or the key is compromised. */
  readonly key: Secret<Key>;
  /** The KMS that holds the key; undefined: the configuration holds it. */
  readonly kms?: KmsKey | undefined;
  /** Name of the only network that it signs for; undefined: every network of its chain. */
  readonly network?: string | undefined;
  /** The key still signs for its existing passes and gets no new ones. */
  readonly retired?: boolean;
  /** The key leaked. It signs nothing (`key` throws), and its signer still tracks the transactions that it signed before. */
  readonly compromised?: boolean;
}

/** The keys of each chain, in their configured order. Networks of a chain without keys are not enabled. */
export interface Gatekeepers {
  readonly ethereum: readonly Gatekeeper<`0x${string}`>[];
  /** 64 bytes: the seed and the public key (RFC 8032). */
  readonly solana: readonly Gatekeeper<Uint8Array>[];
}

/**
 * Whether the key has a signer on that network of its chain. A compromised key has one on every network, because it may have
 * signed there before the configuration bound it to another network.
 */
export function servesNetwork({ network, compromised }: Gatekeeper<unknown>, name: string): boolean {
  return network === undefined || network === name || compromised === true;
}

const Addresses = v.pipe(
  v.optional(v.string('must be addresses'), ''),
  v.transform((text): (string | undefined)[] => text.split(/\s+/).filter(Boolean).map(canonicalWalletOfAnyChain)),
  v.array(v.string('must be addresses of gatekeepers, separated by spaces')),
);

type Env = Readonly<Record<string, unknown>>;

/**
 * Returns the keys of `ETHEREUM_GATEKEEPER_KEY`, `SOLANA_GATEKEEPER_KEY`, `RETIRED_GATEKEEPERS` and `COMPROMISED_GATEKEEPERS`.
 * A retired address needs no key here: the operator can list it before adding the key, and keep it after removing the key. A
 * compromised key needs no secret and no credentials: its address is enough.
 * @param rpc Endpoints by network name.
 */
export function parseGatekeepers(
  env: Env,
  rpc: Readonly<Record<string, readonly unknown[]>>,
  credentials: KmsCredentials,
): Gatekeepers {
  const retired = parseVariable(env, 'RETIRED_GATEKEEPERS', Addresses);
  const compromised = parseVariable(env, 'COMPROMISED_GATEKEEPERS', Addresses);
  const [onEthereum = [], onSolana = []] = [true, false].map((isEthereum) =>
    compromised.filter((address) => address.startsWith('0x') === isEthereum),
  );
  const ethereum = parseKeys(parseVariable(env, ETHEREUM.variable, v.optional(KeyTexts)), ETHEREUM, retired);
  const solana = parseSolanaKeys(env, retired);
  const reached = networkNamesOf('solana').filter((network) => rpc[network]?.length);
  if (reached.length > 1 && solana.some(({ network }) => network === undefined)) {
    throw new ConfigError(SOLANA.variable, `must be ${BY_NETWORK}: ${reached.join(' and ')} have RPC endpoints`);
  }
  refuseSameReference([...ethereum, ...solana]);
  return {
    ethereum: withCompromised(ethereum, onEthereum).map((key) => addCredentials(key, ETHEREUM, credentials)),
    solana: withCompromised(solana, onSolana).map((key) => addCredentials(key, SOLANA, credentials)),
  };
}

/** A key as its variable shows it, without the credentials of a KMS. */
type ParsedKey<Key> = Omit<Gatekeeper<Key>, 'kms'> & { readonly kms?: KmsReference | undefined };

/** Throws ConfigError if two references name the same key: one of their addresses must be wrong. */
function refuseSameReference(keys: readonly ParsedKey<unknown>[]): void {
  const names = keys.flatMap(({ kms }) => kms?.name ?? []);
  if (new Set(names).size === names.length) return;
  throw new ConfigError(`${ETHEREUM.variable} and ${SOLANA.variable}`, 'must not name a key of a KMS twice');
}

function addCredentials<Key>(
  { kms, ...key }: ParsedKey<Key>,
  { variable }: KeyVariable<Key>,
  credentials: KmsCredentials,
): Gatekeeper<Key> {
  if (kms === undefined) return key;
  const withThem = withCredentials(kms, credentials);
  if (withThem !== undefined) return { ...key, kms: withThem };
  const vendor = kms.vendor === 'aws-kms' ? 'aws' : 'gcp';
  throw new ConfigError(variable, `has a key of ${kms.vendor}, so KMS_CREDENTIALS must have "${vendor}"`);
}

/** Returns the keys in their order, compromised keys without their secret. Compromised addresses without a key follow. */
function withCompromised<Key>(keys: readonly ParsedKey<Key>[], addresses: readonly string[]): ParsedKey<Key>[] {
  const withhold = (address: string, network?: string): ParsedKey<Key> => ({
    address,
    network,
    key: withheldSecret('a compromised key signs nothing'),
    retired: true,
    compromised: true,
  });
  const known = keys.map((key) => (addresses.includes(key.address) ? withhold(key.address, key.network) : key));
  const others = [...new Set(addresses)].filter((other) => keys.every(({ address }) => address !== other));
  return [...known, ...others.map((address) => withhold(address))];
}

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
const KeyTexts = v.pipe(
  v.string('must be keys, separated by spaces'),
  v.transform((text) => text.match(/(\[[^\]]*\]|\S)+/g) ?? ['']),
  v.maxLength(MAX_KEYS, `must be at most ${MAX_KEYS} keys`),
);

const BY_NETWORK = 'keys by network, like {"devnet": "KEY KEY", "mainnet-beta": "KEY"}';

/** Parses a JSON object with the keys of each Solana network. A single key may be a JSON array without quotes. */
const KeyTextsByNetwork = v.pipe(
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
  return /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) ? decodeBase58(text) : new Uint8Array();
}

/**
 * Whether the second half is the public key of the first. A mismatched pair produces invalid signatures, and its address is not
 * the one that the operator funded.
 */
function isKeyPair(bytes: Uint8Array): boolean {
  const d = encodeBase64Url(bytes.subarray(0, 32));
  const x = encodeBase64Url(bytes.subarray(32));
  // RFC 8037 §2. The runtime derives the public key from `d` and ignores `x`.
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
  return createPublicKey(key).export({ format: 'jwk' }).x === x;
}

interface KeyVariable<Key> {
  readonly variable: string;
  readonly chain: Chain;
  readonly schema: v.GenericSchema<unknown, Key>;
  readonly addressOf: (key: Key) => string;
}

const ETHEREUM: KeyVariable<`0x${string}`> = {
  variable: 'ETHEREUM_GATEKEEPER_KEY',
  chain: 'ethereum',
  schema: EthereumKey,
  addressOf: (key) => addressOfPublicKey('ethereum', getPublicKey(hexToBytes(key), false)),
};
const SOLANA: KeyVariable<Uint8Array> = {
  variable: 'SOLANA_GATEKEEPER_KEY',
  chain: 'solana',
  schema: SolanaKey,
  addressOf: (pair) => addressOfPublicKey('solana', pair.subarray(32)),
};

/** Returns the Solana keys from a list, as on Ethereum, or from a JSON object with the keys of each network. */
function parseSolanaKeys(env: Env, retired: readonly string[]): ParsedKey<Uint8Array>[] {
  const { variable } = SOLANA;
  const text = env[variable];
  if (typeof text !== 'string' || !text.trimStart().startsWith('{')) {
    return parseKeys(parseVariable(env, variable, v.optional(KeyTexts)), SOLANA, retired);
  }
  const byNetwork = parseVariable(env, variable, KeyTextsByNetwork);
  const keys = Object.entries(byNetwork).flatMap(([network, texts]) => parseKeys(texts, SOLANA, retired, network));
  // Only the blockhash binds a transaction to its network, and a dishonest endpoint could return the other network's blockhash.
  const networkOf = (wanted: string) => keys.find(({ address }) => address === wanted)?.network;
  const shared = keys.find(({ address, network }) => network !== networkOf(address));
  if (shared) {
    throw new ConfigError(variable, `(${shared.network}) must not contain a key of ${networkOf(shared.address)}`);
  }
  return keys;
}

function parseKeys<Key>(
  texts: readonly string[] = [],
  variable: KeyVariable<Key>,
  retired: readonly string[],
  network?: string,
): ParsedKey<Key>[] {
  const found = texts.map((text, index) => {
    const parse = isKmsText(text) ? parseReference : parseSecret;
    const key = parse(text, variable, describeKeyPosition(texts, index, network));
    return { ...key, network, retired: retired.includes(key.address) };
  });
  const addresses = found.map(({ address }) => address);
  if (addresses.some(isSandbox)) throw new ConfigError(variable.variable, 'must not have an address of a sandbox');
  const again = addresses.findIndex((address, index) => addresses.indexOf(address) < index);
  if (again < 0) return found;
  throw new ConfigError(variable.variable, `${describeKeyPosition(texts, again, network)}must not occur twice`);
}

function parseSecret<Key>(text: string, { variable, schema, addressOf }: KeyVariable<Key>, where: string) {
  const key = parseVariable({ [variable]: text }, variable, schema, where);
  return { address: addressOf(key), key: secret(key) };
}

/** Parses a reference to a key of a KMS, whose address follows it (docs/decisions/0111). */
function parseReference<Key>(text: string, { variable, chain }: KeyVariable<Key>, where: string) {
  const parsed = parseKmsText(text);
  if (parsed === undefined) throw new ConfigError(variable, `${where}${KMS_FORM}`);
  const address = canonicalWallet(chain, parsed.address);
  if (address === undefined) throw new ConfigError(variable, `${where}${KMS_ADDRESS[chain]}`);
  return { address, kms: parsed.key, key: withheldSecret('a KMS holds this key') };
}

const KMS_FORM =
  'must be a reference like aws-kms:arn:aws:kms:REGION:ACCOUNT:key/ID#ADDRESS or ' +
  'gcp-kms:projects/P/locations/L/keyRings/R/cryptoKeys/K/cryptoKeyVersions/V#ADDRESS';
const KMS_PRINT = '`npm run key` prints it from the public key in the KMS';
const KMS_ADDRESS: Readonly<Record<Chain, string>> = {
  ethereum: `must have the address of the key after #, like #0x7099…79C8: ${KMS_PRINT}`,
  solana: `must have the address of the key after #, in base58: ${KMS_PRINT}`,
};

/** Identifies one of several keys in an error message by its network and position, because no part of the key may be shown. */
export function describeKeyPosition({ length }: readonly unknown[], index: number, network?: string): string {
  const parts = [...(network ? [network] : []), ...(length > 1 ? [`key ${index + 1} of ${length}`] : [])];
  return parts.length > 0 ? `(${parts.join(', ')}) ` : '';
}

/** A key that signs verdicts about passes, or has signed them. */
export interface VerdictKey {
  readonly address: Hex;
  readonly from: UnixSeconds;
  /** Undefined: it has not ended. */
  readonly until?: UnixSeconds | undefined;
}

export interface VerdictKeys {
  /** Undefined: the configuration has none. It signs only while the history has it and does not say that it has ended. */
  readonly key: Gatekeeper<Hex> | undefined;
  /** All keys that ever signed, the oldest first. Public. */
  readonly history: readonly VerdictKey[];
}

const RULE = 'must be JSON like {"0x7099…79C8": [FROM, UNTIL]} with Unix seconds: only `npm run verdict` sets it';
const seconds = v.pipe(v.number(RULE), v.safeInteger(RULE), v.minValue(1, RULE));
const History = v.pipe(
  Json,
  v.record(v.string(), v.pipe(v.array(seconds, RULE), v.minLength(1, RULE), v.maxLength(2, RULE)), RULE),
  v.transform((keys) =>
    Object.entries(keys).map(([address, [from = 0, until]]) => ({
      address: canonicalWallet('ethereum', address) as string | undefined,
      from,
      until,
    })),
  ),
  v.check((keys) => keys.every(({ address }) => address !== undefined), RULE),
);

/** Returns `VERDICT_KEY` and `VERDICT_KEYS`. */
export function parseVerdictKeys(env: Env, credentials: KmsCredentials): VerdictKeys {
  const history = parseVariable(env, 'VERDICT_KEYS', History) as VerdictKey[];
  const rules = { ...ETHEREUM, variable: 'VERDICT_KEY' };
  const [key, other] = parseKeys(parseVariable(env, 'VERDICT_KEY', v.optional(KeyTexts)), rules, []);
  if (other !== undefined) throw new ConfigError('VERDICT_KEY', 'must be one key');
  const isTrusted =
    key !== undefined && !parseVariable(env, 'COMPROMISED_GATEKEEPERS', Addresses).includes(key.address);
  return { key: isTrusted ? addCredentials(key, rules, credentials) : undefined, history };
}

/** Throws ConfigError if a gatekeeper has the key of verdicts: a leak of one would be a leak of both. */
export function demandOwnKey({ key }: VerdictKeys, { ethereum }: Gatekeepers): void {
  if (ethereum.some(({ address }) => address === key?.address))
    throw new ConfigError('VERDICT_KEY', 'must not be the key of a gatekeeper');
}

/** Returns the key that signs verdicts now; undefined: none does. */
export function activeVerdictKey({ key, history }: VerdictKeys): Gatekeeper<Hex> | undefined {
  return history.some(({ address, until }) => address === key?.address && until === undefined) ? key : undefined;
}
