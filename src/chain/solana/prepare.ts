import type { Step } from '../../pass/step.ts';
import { BEHIND, distrustIfBehind, mayBeBehind, needsFinalTokens, planStep } from '../plan-step.ts';
import type { Prepared, PrepareResult } from '../port.ts';
import type { Solana } from './adapter.ts';
import { change, issue } from './gateway.ts';
import { readConditions } from './network-conditions.ts';
import { findHolders, type Holder, type Holdings, readTokens } from './owned-tokens.ts';
import { NO_FUNDS } from './refusal.ts';
import { type PlannedCall, selectAffordable, simulateCalls } from './simulate.ts';

/** A step whose gatekeeper network is one, with the addresses it deals with. */
interface StepWithAddresses extends Holder {
  readonly step: Step;
}

/**
 * Looks at the wallets of all steps at once: every wallet's tokens, where there are any also the finalized ones; tries
 * the calls; reads the terms of the moment. What is wrong with one step keeps no other waiting.
 */
export async function prepare(chain: Solana, steps: readonly Step[], unmined: number): Promise<Prepared> {
  const placed = locateSteps(chain, steps);
  const [now, moment] = await Promise.all([readTokens(chain, placed, 'confirmed'), readConditions(chain)]);
  const doubted = placed.filter((each) => needsFinalTokens(each.step, now.get(each)));
  const final = await readTokens(chain, doubted, 'finalized');
  const aims = new Map(
    placed.map((each) => {
      // With the blockhash of an older call, the same call would be the same transaction, and be taken for done.
      const isOld = moment.slot < (each.step.known?.asOf ?? 0);
      return [each.step.id, isOld ? BEHIND : planAttempt(each, now.get(each), final.get(each))];
    }),
  );
  const attempts = [...aims.values()].filter((aim) => 'instruction' in aim);
  const tried = await simulateCalls(chain, selectAffordable(attempts, moment, unmined), moment.terms);
  const behind = mayBeBehind(moment.time, Date.now());
  const results = steps.map(({ id }): PrepareResult => {
    const aim = aims.get(id) ?? NO_NETWORK;
    return 'instruction' in aim ? (tried.get(id) ?? NO_FUNDS) : distrustIfBehind(aim, behind);
  });
  return { terms: moment.terms, results };
}

const NO_NETWORK: PrepareResult = { type: 'not-now', why: 'not a gatekeeper network', blocks: 'gatekeeper-network' };
const NO_ADDRESS: PrepareResult = {
  type: 'refused',
  reason: 'the addresses of the pass are occupied by other accounts',
};
const NEVER_CLEARED: PrepareResult = { type: 'refused', reason: 'an expiry cannot be cleared on this chain' };

function locateSteps(chain: Solana, steps: readonly Step[]): StepWithAddresses[] {
  const found = findHolders(
    chain,
    steps.map(({ key }) => key),
  );
  return steps.flatMap((step, index) => {
    const holder = found[index];
    return holder === undefined ? [] : [{ ...holder, step }];
  });
}

function planAttempt(
  { step, wallet, acting }: StepWithAddresses,
  now: Holdings | PrepareResult | undefined,
  final: Holdings | PrepareResult | undefined,
): PrepareResult | PlannedCall {
  const intent = planStep(step, now, final);
  if (intent === 'issue') {
    const free = now && 'free' in now ? now.free : undefined;
    if (free === undefined) return NO_ADDRESS;
    const expectedOnChain = { state: 'ACTIVE', expiry: step.expiry } as const;
    return { step, instruction: issue(acting, wallet, free, step.expiry), expectedOnChain };
  }
  if (!('change' in intent)) return intent;
  const instruction = change(acting, intent.change.id, step);
  return instruction === undefined ? NEVER_CLEARED : { step, instruction, expectedOnChain: intent.expectedOnChain };
}
