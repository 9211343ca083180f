import { chooseByRendezvous } from '../lib/rendezvous.ts';
import type { Secret } from '../lib/secret.ts';
import type { EthereumNetwork, Network, SolanaNetwork } from '../network/network.ts';
import { findNetwork } from '../network/networks.ts';
import { findNetworkFor, isSandbox } from '../network/sandbox.ts';
import { formatSignerName, parseSignerName, type SignerName } from '../network/signer-name.ts';
import { slotOf, TEST_SLOT } from '../network/slot.ts';
import type { Config } from './config.ts';
import { type Gatekeeper, type Gatekeepers, servesNetwork } from './gatekeeper.ts';

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

/**
 * Chooses the signer of a new pass of that name by rendezvous hashing. Each key gets an equal share, a new key takes its share
 * from all others, and the order of the keys does not matter. Undefined if no key of the network accepts new passes.
 */
export function chooseSigner(config: Config, network: Network, pass: string): SignerName | undefined {
  const active = signersOn(config, network).filter(({ gatekeeper }) => !gatekeeper.retired);
  const chosen = chooseByRendezvous(active, ({ gatekeeper }) => gatekeeper.address, pass);
  return chosen && signerNameOf(chosen);
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
  const signers = signersOn(config, network);
  if (isSandbox(gatekeeperNetwork)) return { canIssue: true, canRead: true };
  return { canIssue: signers.some(({ gatekeeper }) => !gatekeeper.retired), canRead: signers.length > 0 };
}

/** Returns the names of the signer objects that the passes of the gatekeeper network may have there. */
export function signerNamesFor(gatekeeperNetwork: string, config: Config, network: Network): SignerName[] {
  if (!isSandbox(gatekeeperNetwork)) return signerNamesOf(config, network);
  return [formatSignerName(network.chain, network.network, gatekeeperNetwork)];
}

/** Returns the names of the signer objects of all keys of that network, even if the network is not enabled. */
export function signerNamesOf({ gatekeepers }: Config, { chain, network }: Network): SignerName[] {
  const own = gatekeepers[chain].filter((gatekeeper) => servesNetwork(gatekeeper, network));
  return own.map(({ address }) => formatSignerName(chain, network, address));
}

/** Returns the network and key of a signer object; undefined if the configuration no longer has them. */
export function findSigner(config: Config, name: SignerName): EnabledNetwork | undefined {
  const { chain, network, address } = parseSignerName(name);
  const row = isSandbox(address) ? undefined : findNetwork(config.networks, chain, network);
  return row && signersOn(config, row).find((signer) => signerNameOf(signer) === name);
}

/**
 * Returns the signer object that can read the wallets of that signer's passes: itself, or another one of the network if its key has left
 * the configuration. Undefined: the network has no signer.
 */
export function findReader(config: Config, name: SignerName): SignerName | undefined {
  if (isSandbox(parseSignerName(name).address) || findSigner(config, name) !== undefined) return name;
  const { chain, network } = parseSignerName(name);
  const row = findNetwork(config.networks, chain, network);
  const [other] = row === undefined ? [] : signersOn(config, row);
  return other && signerNameOf(other);
}

/** Returns the simulated network of a signer object of a sandbox; undefined for every other signer, which has a key. */
export function findSimulation({ networks }: Config, name: SignerName): Network | undefined {
  const { chain, network, address } = parseSignerName(name);
  return isSandbox(address) ? findNetworkFor(address, networks, chain, network) : undefined;
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

function findKey(
  { gatekeepers: { ethereum, solana } }: Config,
  name: SignerName,
): Pick<Gatekeeper<unknown>, 'retired' | 'compromised'> | undefined {
  const { address, network } = parseSignerName(name);
  if (isSandbox(address)) return {};
  return [...ethereum, ...solana].find((key) => key.address === address && servesNetwork(key, network));
}
