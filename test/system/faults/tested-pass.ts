import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import { PassModel } from './pass-model.ts';
import type { Random } from './random.ts';

/** The partners of the fault runs, each with its own gatekeeper network. */
export const PARTNERS = ['acme', 'globex'] as const;

/** A pass and the model of its expected state. */
export interface TestedPass {
  readonly partner: (typeof PARTNERS)[number];
  readonly network: string;
  readonly wallet: string;
  readonly model: PassModel;
}

/** Returns a pass that no partner has requested yet. */
export function newTestedPass(random: Random, network: string): TestedPass {
  return { partner: random.pick(PARTNERS), network, wallet: freshWallet(network), model: new PassModel() };
}

export function gatekeeperNetworkOf({ partner }: TestedPass, { partners }: LocalnetFacts): string {
  return partners.find(({ name }) => name === partner)?.gatekeeperNetwork ?? '';
}

export function nameOf({ partner, network, wallet }: TestedPass): string {
  return `${network} ${wallet} of ${partner}`;
}
