import type { Step } from '../../pass/step.ts';
import { distrustIfBehind, mayBeBehind, needsFinalTokens, planStep } from '../plan-step.ts';
import type { Prepared, PrepareResult } from '../port.ts';
import { notNow, refused } from '../reasons.ts';
import type { Solana } from './context.ts';
import { change, issue } from './gateway.ts';
import { readConditions } from './network-conditions.ts';
import { findHolders, type Holder, type Holdings, readTokens } from './owned-tokens.ts';
import { type PlannedCall, selectAffordable, simulateCalls } from './simulate.ts';

/** A step whose gatekeeper network is a public key, with the addresses that it needs. */
interface LocatedStep extends Holder {
  readonly step: Step;
}

/**
 * Reads the tokens of all wallets at once, and the finalized tokens for steps that need them. Then it reads the network's
 * conditions and simulates the calls. A fault of one step does not delay the others.
 */
export async function prepare<R extends { readonly step: Step }>(
  chain: Solana,
  requests: readonly R[],
  unmined: number,
): Promise<Prepared<R>> {
  const requested = findHolders(chain, requests, ({ step }) => step.key).map(
    ([request, holder]) => [request, holder && { ...holder, step: request.step }] as const,
  );
  const located = requested.flatMap(([, each]): LocatedStep[] => (each === undefined ? [] : [each]));
  const [now, conditions] = await Promise.all([readTokens(chain, located, 'confirmed'), readConditions(chain)]);
  const doubtful = located.filter((each) => needsFinalTokens(each.step, now.get(each)));
  const final = await readTokens(chain, doubtful, 'finalized');
  const plans = new Map(
    located.map((each) => {
      // With the blockhash of an older call, the same call would be the same transaction and would count as done.
      const isOld = conditions.slot < (each.step.known?.asOf ?? 0);
      return [each, isOld ? notNow('state-behind') : planCall(each, now.get(each), final.get(each))];
    }),
  );
  const planned = [...plans.values()].filter((plan) => 'instruction' in plan);
  const simulated = await simulateCalls(chain, selectAffordable(chain, planned, conditions, unmined), conditions);
  const isBehind = mayBeBehind(conditions.time, Date.now());
  const resultOf = (plan: PrepareResult | PlannedCall): PrepareResult =>
    distrustIfBehind('instruction' in plan ? (simulated.get(plan) ?? notNow('no-funds')) : plan, isBehind);
  return {
    results: requested.map(([request, each]) => [
      request,
      resultOf((each && plans.get(each)) ?? notNow('no-gatekeeper-network')),
    ]),
  };
}

function planCall(
  { step, wallet, acting }: LocatedStep,
  now: Holdings | PrepareResult | undefined,
  final: Holdings | PrepareResult | undefined,
): PrepareResult | PlannedCall {
  const plan = planStep(step, now, final);
  if (plan === 'issue') {
    const free = now && 'free' in now ? now.free : undefined;
    if (free === undefined) return refused('addresses-occupied');
    const expectedOnChain = { state: 'ACTIVE', expiry: step.expiry } as const;
    return { step, instruction: issue(acting, wallet, free, step.expiry), expectedOnChain };
  }
  if (!('change' in plan)) return plan;
  const instruction = change(acting, plan.change.id, step);
  if (instruction === undefined) return refused('expiry-not-clearable');
  return { step, instruction, expectedOnChain: plan.expectedOnChain };
}
