import type { Secret } from '../lib/secret.ts';
import {
  type EthereumNetwork,
  formatSignerName,
  type Network,
  parseSignerName,
  type SignerName,
  type SolanaNetwork,
} from '../network/network.ts';
import { CHAINS, findNetwork } from '../network/networks.ts';
import { findNetworkFor, rulesFor } from '../network/sandbox.ts';
import { slotOf, TEST_SLOT } from '../network/slot.ts';
import type { Config } from './config.ts';
import { type Gatekeeper, type Gatekeepers, servesNetwork } from './gatekeeper.ts';
import { configOf } from './parse-config.ts';

interface Enabled<N extends Network> {
  readonly chain: N['chain'];
  readonly network: N;
  readonly endpoints: readonly Secret<string>[];
  readonly gatekeeper: Gatekeepers[N['chain']][number];
}

export type EnabledEthereum = Enabled<EthereumNetwork>;
export type EnabledSolana = Enabled<SolanaNetwork>;

/** A network that has an endpoint, with one of its keys. */
export type EnabledNetwork = EnabledEthereum | EnabledSolana;

/** Returns the network with each of its keys; empty if it has no endpoint or no key. */
export function signersOn(config: Config, network: Network): readonly EnabledNetwork[] {
  const endpoints = config.rpc[network.network] ?? [];
  if (endpoints.length === 0) return [];
  const { ethereum, solana } = config.gatekeepers;
  const { chain } = network;
  if (chain === 'solana') {
    const own = solana.filter((gatekeeper) => servesNetwork(gatekeeper, network.network));
    return own.map((gatekeeper) => ({ chain, network, endpoints, gatekeeper }));
  }
  return ethereum.map((gatekeeper) => ({ chain, network, endpoints, gatekeeper }));
}

/** A key as far as it decides which signer may do a step. */
type Key = Pick<Gatekeeper<unknown>, 'address' | 'retired' | 'compromised'>;

/** Returns the keys that may sign on the network for that gatekeeper network, or for the signer with that address. */
function keysFor(
  address: string,
  { gatekeepers }: Config,
  { chain, network }: Pick<Network, 'chain' | 'network'>,
): readonly Key[] {
  return rulesFor(address).isSimulated
    ? [{ address }]
    : gatekeepers[chain].filter((key) => servesNetwork(key, network));
}

/** Returns the same; empty if the network has no node for them. */
function connectedKeys(address: string, config: Config, network: Network): readonly Key[] {
  const hasNode = rulesFor(address).isSimulated || (config.rpc[network.network] ?? []).length > 0;
  return hasNode ? keysFor(address, config, network) : [];
}

/**
 * Chooses the signer of a new pass of that name by rendezvous hashing. Each key gets an equal share, a new key takes its share
 * from all others, and the order of the keys does not matter. Undefined if no key of the network accepts new passes.
 */
export function chooseSigner(
  config: Config,
  network: Network,
  pass: string,
  gatekeeperNetwork = '',
): SignerName | undefined {
  const active = connectedKeys(gatekeeperNetwork, config, network).filter(({ retired }) => !retired);
  const chosen = chooseByRendezvous(active, ({ address }) => address, pass);
  return chosen && formatSignerName(network.chain, network.network, chosen.address);
}

/**
 * Whether the gatekeeper network has slot 1 of the contract, and the network is a mainnet. The service issues nothing there,
 * because the key of a gatekeeper of slot 1 is public.
 */
export function isTestSlotOnMainnet(
  { slots }: Config,
  { chain, testnet }: Network,
  gatekeeperNetwork: string,
): boolean {
  return chain === 'ethereum' && !testnet && slotOf(gatekeeperNetwork, slots) === TEST_SLOT;
}

/** Returns the name of the signer object for that network and key. */
export function signerNameOf({ chain, network, gatekeeper }: EnabledNetwork): SignerName {
  return formatSignerName(chain, network.network, gatekeeper.address);
}

/** Whether the gatekeeper network gets new passes on the network, and its passes can be read there. */
export function isEnabledFor(gatekeeperNetwork: string, config: Config, network: Network) {
  const keys = connectedKeys(gatekeeperNetwork, config, network);
  return { canIssue: keys.some(({ retired }) => !retired), canRead: keys.length > 0 };
}

/** Returns the names of the signer objects that the passes of the gatekeeper network may have there. */
export function signerNamesFor(gatekeeperNetwork: string, config: Config, network: Network): SignerName[] {
  const keys = keysFor(gatekeeperNetwork, config, network);
  return keys.map(({ address }) => formatSignerName(network.chain, network.network, address));
}

/** Returns the names of the signer objects of all keys of that network, even if the network is not enabled. */
export const signerNamesOf = (config: Config, network: Network): SignerName[] => signerNamesFor('', config, network);

/** Returns the network and key of a signer object; undefined if the configuration no longer has them. */
export function findSigner(config: Config, name: SignerName): EnabledNetwork | undefined {
  const { chain, network, address } = parseSignerName(name);
  const row = rulesFor(address).isSimulated ? undefined : findNetwork(config.networks, chain, network);
  return row && signersOn(config, row).find((signer) => signerNameOf(signer) === name);
}

/**
 * Returns the signer object that can read the wallets of that signer's passes: itself, or another one of the network if its key has left
 * the configuration. Undefined: the network has no signer.
 */
export function findReader(config: Config, name: SignerName): SignerName | undefined {
  const { chain, network, address } = parseSignerName(name);
  const row = findNetwork(config.networks, chain, network);
  const keys = row === undefined ? [] : connectedKeys(address, config, row);
  const reader = keys.find((key) => key.address === address) ?? keys[0];
  return row && reader && formatSignerName(row.chain, network, reader.address);
}

/** Returns the simulated network of a signer object of a sandbox; undefined for every other signer, which has a key. */
export function findSimulation({ networks }: Config, name: SignerName): Network | undefined {
  const { chain, network, address } = parseSignerName(name);
  return rulesFor(address).isSimulated ? findNetworkFor(address, networks, chain, network) : undefined;
}

/** Whether the configuration has the key of that signer object for signing, even if its network is not enabled. */
export function hasKeyOf(config: Config, name: SignerName): boolean {
  const key = findKey(config, name);
  return key !== undefined && !key.compromised;
}

/** Whether the key of that signer object is compromised. */
export function isCompromised(config: Config, name: SignerName): boolean {
  return findKey(config, name)?.compromised === true;
}

/** Returns the addresses in `COMPROMISED_GATEKEEPERS`. */
export function compromisedIn({ gatekeepers: { ethereum, solana } }: Config): string[] {
  const own = [...ethereum, ...solana].filter(({ compromised }) => compromised);
  return [...new Set(own.map(({ address }) => address))];
}

/** Whether the key of that signer object gets new passes. */
export function acceptsNewPasses(config: Config, name: SignerName): boolean {
  const key = findKey(config, name);
  return key !== undefined && !key.retired;
}

function findKey(config: Config, name: SignerName): Key | undefined {
  const { chain: named, network, address } = parseSignerName(name);
  const chain = CHAINS.find((each) => each === named);
  return chain && keysFor(address, config, { chain, network }).find((key) => key.address === address);
}

/**
 * Returns the member for the subject by rendezvous hashing: the member with the highest hash of subject and name. Undefined
 * if there are no members. Each member gets an equal share of all subjects. A new member takes its share evenly from all
 * others, a removed member's share goes evenly to all others, and no other subject moves.
 */
export function chooseByRendezvous<T>(all: readonly T[], nameOf: (one: T) => string, subject: string): T | undefined {
  const start = fnv1a(subject);
  const weighed = all.map((one) => ({ one, name: nameOf(one), weight: finalizeHash(fnv1a(nameOf(one), start)) }));
  return weighed.toSorted((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))[0]?.one;
}

/** Returns the 32-bit FNV-1a hash of an ASCII text. `start` is the hash of a preceding text. */
function fnv1a(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

/** Applies the finalizer of MurmurHash3, so that similar FNV hashes differ in every bit. Returns an unsigned number. */
function finalizeHash(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}

/**
 * The lists that stop keys and clients, as `npm run emergency` set them. A running object keeps the variables with which it started, so
 * callers bring it newer lists. Of two, the one with the higher number counts.
 */
export interface EmergencyLists {
  /** Unix milliseconds of the command that set them; 0: no command did. */
  readonly number: number;
  readonly compromisedGatekeepers: readonly string[];
  readonly suspendedClients: readonly string[];
}

export const emergencyListsOf = (config: Config): EmergencyLists => ({
  number: config.emergencyNumber,
  compromisedGatekeepers: compromisedIn(config),
  suspendedClients: config.suspendedClients,
});

/** Returns the variables of a running object with the lists of its caller, if those are newer. */
export function withNewerLists<E extends object>(env: E, lists: EmergencyLists | undefined): E {
  if (lists === undefined || lists.number <= configOf(env).emergencyNumber) return env;
  const { number, compromisedGatekeepers, suspendedClients } = lists;
  return {
    ...env,
    EMERGENCY_NUMBER: String(number),
    COMPROMISED_GATEKEEPERS: compromisedGatekeepers.join(' '),
    SUSPENDED_CLIENTS: suspendedClients.join(' '),
  };
}

/** Returns the lists in these variables; empty ones if the configuration is broken, with which nothing can be signed. */
export function emergencyListsIn(env: object): EmergencyLists {
  try {
    return emergencyListsOf(configOf(env));
  } catch {
    return { number: 0, compromisedGatekeepers: [], suspendedClients: [] };
  }
}
