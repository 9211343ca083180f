import { chainOf } from '../../../localnet/partner/fresh-wallet.ts';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';
import { censusOfEthereum } from './census-of-ethereum.ts';
import { censusOfSolana } from './census-of-solana.ts';

/** All that is on a chain of the service's passes, asked of its node alone. */
export interface Census {
  /** How many tokens the wallet has in the gatekeeper network, whatever their state. */
  tokens(wallet: string, gatekeeperNetwork: string): Promise<number>;
  /** The gatekeeper's transactions about them that succeeded: those that made a token, and all. */
  done(
    wallet: string,
    gatekeeperNetwork: string,
  ): Promise<{ readonly mints: readonly string[]; readonly all: readonly string[] }>;
}

export function censusOf(facts: LocalnetFacts, network: string): Promise<Census> {
  return chainOf(network) === 'ethereum' ? censusOfEthereum(facts, network) : censusOfSolana(facts, network);
}
