import type { Hex } from 'viem';
import type { Step, StepKind } from '../../pass/step.ts';
import type { RpcAnswer } from '../json-rpc.ts';
import type { Finding } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import * as rpc from './calls.ts';
import type { Intent } from './look.ts';
import { refusalOf } from './refusal.ts';

/** Added to the estimate, in percent: what a call costs differs a little from wallet to wallet. */
const GAS_MARGIN = 25n;

/** Tries every call without sending it, and measures the gas of one of each kind. */
export async function tryCalls(
  chain: Ethereum,
  steps: readonly Step[],
  intents: readonly Intent[],
): Promise<Finding[]> {
  const calls = intents.flatMap((intent, index) =>
    intent.is === 'call' ? [{ data: intent.data, kind: (steps[index] as Step).kind }] : [],
  );
  const transaction = (data: Hex) => ({ from: chain.account, to: chain.network.gateway, data });
  const answers = calls.length === 0 ? [] : await chain.rpc(calls.map(({ data }) => rpc.call(transaction(data))));
  const tried = new Map<Hex, RpcAnswer | undefined>(calls.map(({ data }, index) => [data, answers[index]]));

  const good = calls.filter((_, index) => 'result' in (answers[index] ?? {}));
  const sample = new Map<StepKind, Hex>(good.map(({ kind, data }) => [kind, data]));
  const gas = await measure(chain, sample, transaction);

  return intents.map((intent, index): Finding => {
    if (intent.is !== 'call') return intent;
    const answer = tried.get(intent.data);
    const limit = gas.get((steps[index] as Step).kind);
    if (answer === undefined || 'error' in answer || limit === undefined) return refusalOf(answer);
    return { is: 'ready', call: { data: intent.data, gas: String(limit) } };
  });
}

/** Gas limits by kind of step: an estimate costs a node many runs of the call, so one stands for all of its kind. */
async function measure(
  chain: Ethereum,
  sample: ReadonlyMap<StepKind, Hex>,
  transaction: (data: Hex) => Record<string, string>,
): Promise<Map<StepKind, bigint>> {
  if (sample.size === 0) return new Map();
  const estimates = await chain.rpc([...sample.values()].map((data) => rpc.estimateGas(transaction(data))));
  return new Map(
    [...sample.keys()].flatMap((kind, index) => {
      const estimate = estimates[index];
      if (estimate === undefined || 'error' in estimate) return [];
      return [[kind, (BigInt(estimate.result as Hex) * (100n + GAS_MARGIN)) / 100n] as const];
    }),
  );
}
