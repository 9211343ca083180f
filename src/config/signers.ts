import { chooseByRendezvous } from '../lib/rendezvous.ts';
import type { Secret } from '../lib/secret.ts';
import { type EthereumNetwork, findNetwork, type Network, type SolanaNetwork } from '../network/networks.ts';
import type { Config } from './config.ts';
import type { Gatekeeper, Gatekeepers } from './gatekeeper.ts';

interface Enabled<N extends Network> {
  readonly chain: N['chain'];
  readonly network: N;
  readonly endpoints: readonly Secret<string>[];
  readonly gatekeeper: Gatekeepers[N['chain']][number];
}

export type EnabledEthereum = Enabled<EthereumNetwork & { readonly gateway: `0x${string}` }>;
export type EnabledSolana = Enabled<SolanaNetwork>;

/** A network that has an endpoint and a known contract or program, with one of the keys of its chain. */
export type EnabledNetwork = EnabledEthereum | EnabledSolana;

/** The network with each of its keys; none when something of it is not configured. */
export function signersOn(config: Config, network: Network): readonly EnabledNetwork[] {
  const endpoints = config.rpc[network.network] ?? [];
  if (endpoints.length === 0) return [];
  const { ethereum, solana } = config.gatekeepers;
  const { chain } = network;
  if (chain === 'solana') return solana.map((gatekeeper) => ({ chain, network, endpoints, gatekeeper }));
  const { gateway } = network;
  if (gateway === undefined) return [];
  return ethereum.map((gatekeeper) => ({ chain, network: { ...network, gateway }, endpoints, gatekeeper }));
}

/**
 * The signer that a new pass of that name is given: each key has an equal share, a new one takes its share from all others,
 * and the order of the keys says nothing. Undefined when no key of the network takes new passes.
 */
export function chooseSigner(config: Config, network: Network, pass: string): EnabledNetwork | undefined {
  const active = signersOn(config, network).filter(({ gatekeeper }) => !gatekeeper.retired);
  return chooseByRendezvous(active, ({ gatekeeper }) => gatekeeper.address, pass);
}

/** The signer objects are named after what they sign for; a pass keeps the name it was given. */
export function signerNameOf({ network, gatekeeper }: EnabledNetwork): string {
  return [network.chain, network.network, gatekeeper.address].join('/');
}

/** The network and key a signer object signs for; undefined when the configuration no longer has them. */
export function findSigner(config: Config, name: string): EnabledNetwork | undefined {
  const [chain = '', network = ''] = name.split('/');
  const row = findNetwork(config.networks, chain, network);
  return row && signersOn(config, row).find((signer) => signerNameOf(signer) === name);
}

/** Whether the configuration has the key a signer object signs with, its network enabled or not. */
export function hasKeyOf(config: Config, name: string): boolean {
  return keyOf(config, name) !== undefined;
}

/** Whether that key is given new passes. */
export function acceptsNewPasses(config: Config, name: string): boolean {
  const key = keyOf(config, name);
  return key !== undefined && !key.retired;
}

function keyOf({ gatekeepers: { ethereum, solana } }: Config, name: string): Gatekeeper<unknown> | undefined {
  const [, , address] = name.split('/');
  return [...ethereum, ...solana].find((gatekeeper) => gatekeeper.address === address);
}
