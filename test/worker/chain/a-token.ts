import type { Owned, Token } from '../../../src/chain/plan-step.ts';
import type { Chain } from '../../../src/network/network.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { rankOf } from '../../../src/pass/rank.ts';
import type { Step } from '../../../src/pass/step.ts';
import type { StepKind } from '../../../src/pass/task.ts';

/** What the tables of intents are made of: steps and tokens that no chain has. */

export const EXPIRY = 2_000_000_000;
export const LATER = 2_100_000_000;
export const EARLIER = 1_900_000_000;

/** The block that shows everything, where nothing else is said. */
export const NOW = 100;

/** A token without an end, or what is asked for instead. */
export const aToken = (overrides: Partial<Token> = {}): Token => ({
  id: 'a',
  state: 'ACTIVE',
  expiry: undefined,
  ...overrides,
});

/** The tokens of a wallet, as a block shows them. */
export const owned = (tokens: readonly Token[], asOf = NOW): Owned<Token> => ({ tokens, asOf });

export interface StepOverrides {
  readonly chain?: Chain;
  readonly expiry?: number | undefined;
  /** The block that showed what is known. */
  readonly asOf?: number | undefined;
}

/** A step of a pass; an expiry is set to EXPIRY. */
export function aStepOf(kind: StepKind, { chain = 'solana', asOf, ...rest }: StepOverrides = {}): Step {
  return {
    id: 'pass:1',
    kind,
    rank: rankOf(kind),
    expiry: kind === 'set-expiry' ? EXPIRY : undefined,
    key: { gatekeeperNetwork: 'network', chain, network: 'any', wallet: 'wallet' } as PassKey,
    known: asOf === undefined ? undefined : { state: 'ACTIVE', asOf },
    ...rest,
  };
}

export const NOT_FINAL = { type: 'not-now', why: 'what the chain shows is not final', blocks: 'step' };
export const BEHIND = { type: 'not-now', why: 'the node is behind what is known of the pass', blocks: 'step' };
export const FOREIGN = { type: 'refused', reason: 'issued by another gatekeeper' };
