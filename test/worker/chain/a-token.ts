import type { Owned, Token } from '../../../src/chain/plan-step.ts';
import { notNow, refused } from '../../../src/chain/reasons.ts';
import type { Chain } from '../../../src/network/network.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import type { Step } from '../../../src/pass/step.ts';
import { rankOf, type StepKind } from '../../../src/pass/step-kinds.ts';

/** Makers of steps and tokens without a chain. */

export const EXPIRY = 2_000_000_000;
export const LATER = 2_100_000_000;
export const EARLIER = 1_900_000_000;

/** The default block of every reading. */
export const NOW = 100;

/** Returns a token without an expiry, with overrides. */
export const aToken = (overrides: Partial<Token> = {}): Token => ({
  id: 'a',
  state: 'ACTIVE',
  expiry: undefined,
  ...overrides,
});

/** Returns a reading of a wallet's tokens at a block. */
export const owned = (tokens: readonly Token[], asOf = NOW): Owned<Token> => ({ tokens, asOf });

export interface StepOverrides {
  readonly chain?: Chain;
  readonly expiry?: number | undefined;
  /** The block of the known state. */
  readonly asOf?: number | undefined;
}

/** Returns a step of a pass. A new expiry is EXPIRY. */
export function aStepOf(kind: StepKind, { chain = 'solana', asOf, ...rest }: StepOverrides = {}): Step {
  return {
    id: 'pass:1',
    kind,
    rank: rankOf(kind),
    expiry: kind === 'set-expiry' ? EXPIRY : undefined,
    key: { gatekeeperNetwork: 'network', chain, network: 'any', wallet: 'wallet' } as PassKey,
    contract: 'contract',
    known: asOf === undefined ? undefined : { state: 'ACTIVE', asOf },
    ...rest,
  };
}

export const NOT_FINAL = notNow('tokens-not-final');
export const BEHIND = notNow('state-behind');
export const FOREIGN = refused('issued-by-another');
