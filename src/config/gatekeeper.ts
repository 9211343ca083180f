import { base58 } from '@scure/base';
import * as v from 'valibot';
import { privateKeyToAddress } from 'viem/accounts';
import { type Secret, secret, withheldSecret } from '../lib/secret.ts';
import { networkNamesOf } from '../network/networks.ts';
import { canonicalWalletOfAnyChain } from '../network/wallet.ts';
import { BY_NETWORK, EthereumKey, KeyTexts, KeyTextsByNetwork, SolanaKey } from './key-formats.ts';
import { ConfigError, parseVariable } from './variable.ts';

/** A gatekeeper key and its address on chain. */
export interface Gatekeeper<Key> {
  readonly address: string;
  readonly key: Secret<Key>;
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
 * compromised key needs no secret: its address is enough.
 * @param rpc Endpoints by network name.
 */
export function parseGatekeepers(env: Env, rpc: Readonly<Record<string, readonly unknown[]>>): Gatekeepers {
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
  return { ethereum: withCompromised(ethereum, onEthereum), solana: withCompromised(solana, onSolana) };
}

/** Returns the keys in their order, compromised keys without their secret. Compromised addresses without a key follow. */
function withCompromised<Key>(keys: readonly Gatekeeper<Key>[], addresses: readonly string[]): Gatekeeper<Key>[] {
  const withhold = (address: string, network?: string): Gatekeeper<Key> => ({
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

interface KeyVariable<Key> {
  readonly variable: string;
  readonly schema: v.GenericSchema<unknown, Key>;
  readonly addressOf: (key: Key) => string;
}

const ETHEREUM: KeyVariable<`0x${string}`> = {
  variable: 'ETHEREUM_GATEKEEPER_KEY',
  schema: EthereumKey,
  addressOf: privateKeyToAddress,
};
const SOLANA: KeyVariable<Uint8Array> = {
  variable: 'SOLANA_GATEKEEPER_KEY',
  schema: SolanaKey,
  addressOf: (pair) => base58.encode(pair.subarray(32)),
};

/** Returns the Solana keys from a list, as on Ethereum, or from a JSON object with the keys of each network. */
function parseSolanaKeys(env: Env, retired: readonly string[]): Gatekeeper<Uint8Array>[] {
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
  { variable, schema, addressOf }: KeyVariable<Key>,
  retired: readonly string[],
  network?: string,
): Gatekeeper<Key>[] {
  const found = texts.map((text, index) => {
    const key = parseVariable({ [variable]: text }, variable, schema, describeKeyPosition(texts, index, network));
    const address = addressOf(key);
    return { address, network, key: secret(key), retired: retired.includes(address) };
  });
  const addresses = found.map(({ address }) => address);
  const again = addresses.findIndex((address, index) => addresses.indexOf(address) < index);
  if (again >= 0) throw new ConfigError(variable, `${describeKeyPosition(texts, again, network)}must not occur twice`);
  return found;
}

/** Identifies one of several keys in an error message by its network and position, because no part of the key may be shown. */
export function describeKeyPosition({ length }: readonly unknown[], index: number, network?: string): string {
  const parts = [...(network ? [network] : []), ...(length > 1 ? [`key ${index + 1} of ${length}`] : [])];
  return parts.length > 0 ? `(${parts.join(', ')}) ` : '';
}
