import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';
import { PassModel } from './pass-model.ts';
import type { Random } from './random.ts';

/** Who asks for passes: each in a gatekeeper network of its own. */
export const ASKERS = ['acme', 'globex'] as const;

/** A pass that is asked for, and what it should be. */
export interface Subject {
  readonly partner: (typeof ASKERS)[number];
  readonly network: string;
  readonly wallet: string;
  readonly model: PassModel;
}

/** A pass that nobody has asked for yet. */
export function newSubject(random: Random, network: string): Subject {
  return { partner: random.pick(ASKERS), network, wallet: freshWallet(network), model: new PassModel() };
}

export function gatekeeperNetworkOf({ partner }: Subject, { partners }: LocalnetFacts): string {
  return partners.find(({ name }) => name === partner)?.gatekeeperNetwork ?? '';
}

export function nameOf({ partner, network, wallet }: Subject): string {
  return `${network} ${wallet} of ${partner}`;
}
