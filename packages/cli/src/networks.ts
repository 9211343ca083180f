import { NETWORKS, type PassKey } from '@gatepass/client';
import { InvalidArgumentError, Option } from 'commander';
import { suggestionFor } from './closest.ts';
import type { ChainType } from './csv/wallet.ts';
import { Failure } from './failure.ts';
import { pastedText } from './pasted-text.ts';

export const CHAINS: readonly ChainType[] = ['ethereum', 'solana'];
export const NETWORK_NAMES: readonly string[] = CHAINS.flatMap((chain) => NETWORKS[chain]);

/** Returns the chain of a network; undefined if the network is unknown. */
export function chainOf(network: string): ChainType | undefined {
  return CHAINS.find((chain) => (NETWORKS[chain] as readonly string[]).includes(network));
}

/** Returns the network with its chain, as a pass has them. */
export function chainWith(network: string): PassKey['chain'] {
  return { type: chainOf(network), network } as PassKey['chain'];
}

/** Returns why a text is not a network, as one sentence. */
export function unknownNetwork(text: string): string {
  return `"${text}" is not a network.${suggestionFor(text, NETWORK_NAMES)}`;
}

export const chainOption = () => new Option('--chain <chain>', 'the type of the chain').choices(CHAINS);
export const networkOption = () =>
  new Option('--network <network>', 'the network, for example polygonMainnet').argParser((pasted) => {
    const text = pastedText(pasted);
    if (chainOf(text) === undefined) throw new InvalidArgumentError(unknownNetwork(text));
    return text;
  });

/** Throws Failure if the network does not belong to the chain. */
export function demandChainOfNetwork(chain: string | undefined, network: string | undefined): void {
  if (chain === undefined || network === undefined || chainOf(network) === chain) return;
  throw new Failure(`${network} is a network of the chain ${chainOf(network)}, not of ${chain}`);
}
