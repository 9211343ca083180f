import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { Hex } from 'viem';
import { isShardName } from '../src/config/bindings.ts';
import { NETWORKS } from '../src/network/networks.ts';
import { isSandbox } from '../src/network/sandbox.ts';
import { type GatekeeperNetwork, isGatekeeperNetwork } from '../src/network/slot.ts';
import { canonicalWallet, canonicalWalletOfAnyChain } from '../src/network/wallet.ts';
import { Failure } from './failure.ts';
import { PROJECT } from './wrangler.ts';

/**
 * Parsers of the values that several commands take. Commander quotes a value that a parser refuses with InvalidArgumentError, so
 * a parser of URLs throws Failure instead: a URL may contain a password or an API key.
 */

/** The file that describes a running `npm run dev`. */
export const LOCALNET_FILE = resolve(PROJECT, '.dev', 'localnet.json');

export function filePath(text: string): string {
  if (text.trim() === '' || text.startsWith('--')) throw new InvalidArgumentError('It must be a path.');
  return resolve(text);
}

export function shardName(text: string): string {
  if (!isShardName(text)) throw new InvalidArgumentError('It must be DB or like DB_1.');
  return text;
}

export const NETWORK_NAMES: readonly string[] = NETWORKS.map(({ network }) => network);

export function networkName(text: string): string {
  if (!NETWORK_NAMES.includes(text))
    throw new InvalidArgumentError(`"${text}" is not one of ${NETWORK_NAMES.join(', ')}.`);
  return text;
}

export function gatekeeperNetwork(text: string): GatekeeperNetwork {
  if (isGatekeeperNetwork(text)) return text;
  throw new InvalidArgumentError(
    'It must be a public key: 32 bytes in base58, of which the first 24 are not all zero.',
  );
}

/** Parses the key of a gatekeeper network on chain, for a command that calls nodes about it. */
export function onChainNetwork(text: string): GatekeeperNetwork {
  const key = gatekeeperNetwork(text);
  if (isSandbox(key)) throw new InvalidArgumentError('It is a sandbox, which no chain has.');
  return key;
}

/** Returns the canonical address on either chain. */
export function chainAddress(text: string): string {
  const address = canonicalWalletOfAnyChain(text);
  if (address === undefined) throw new InvalidArgumentError('It must be an address.');
  return address;
}

export type NodeUrl = readonly [network: string, url: string];

/** The Failure for an invalid URL does not quote it, because it may contain an API key. */
export function nodeUrl(text: string): NodeUrl {
  const [, network = '', url = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new Failure('--rpc must be like sepolia=https://node.example.com', 2);
  if (!NETWORK_NAMES.includes(network))
    throw new Failure(`--rpc: "${network}" is not one of ${NETWORK_NAMES.join(', ')}`, 2);
  return [network, url];
}

/**
 * Returns the URL without a slash at its end. Refuses a query or a fragment, because callers append a path, and a user or a
 * password, because callers print the URL.
 */
export function serviceUrl(text: string): string {
  const url = URL.parse(text);
  const { username, password } = url ?? {};
  if (!url || !/^https?:[^?#]*$/.test(url.href) || username || password)
    throw new Failure('--url must be like https://api.acme.com, without user, password, query or fragment', 2);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** How a command that calls the admin API gets the operator's token. */
export const OPERATORS_TOKEN =
  "For the operator's token, set GATEPASS_TOKEN, or GATEPASS_CLIENT_ID and GATEPASS_CLIENT_SECRET. The deployment names the token " +
  'endpoint and the audience, unless GATEPASS_TOKEN_URL and GATEPASS_AUDIENCE do. With --local, it is the operator of `npm run dev`.';

/** The option of a command that calls the admin API. */
export const serviceUrlOption = () =>
  new Option(
    '--url <url>',
    'URL of the service, including its base path; default: PUBLIC_ORIGIN and BASE_PATH of the deployment',
  ).argParser(serviceUrl);

/** Throws Failure unless exactly one of the options is given. `values` has the given options by their names. */
export function demandOneOf(values: object, ...names: readonly string[]): void {
  const given = names.filter((name) => isGiven(values, name));
  if (given.length !== 1) throw new Failure(`name one of ${names.map(flagOf).join(', ')}`, 2);
}

/** Throws Failure if an option is given without another one that it requires. */
export function demandWith(values: object, name: string, required: string): void {
  if (isGiven(values, name) && !isGiven(values, required))
    throw new Failure(`${flagOf(name)} requires ${flagOf(required)}`, 2);
}

const isGiven = (values: object, name: string) => (values as Readonly<Record<string, unknown>>)[name] !== undefined;
const flagOf = (name: string) => `--${name}`;

/** Returns the address of a contract on an Ethereum-type network with its checksum. */
export function contractAddress(text: string): Hex {
  const address = canonicalWallet('ethereum', text);
  if (address === undefined)
    throw new InvalidArgumentError('It must be 0x and 40 hex digits. An address in mixed case needs a valid checksum.');
  return address as string as Hex;
}
