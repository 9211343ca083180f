import type { Hex } from 'viem';
import type { Step, StepKind } from '../../pass/step.ts';
import type { RpcAnswer, RpcCall } from '../json-rpc.ts';
import type { Finding } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import * as rpc from './calls.ts';
import { refusalOf } from './refusal.ts';
import type { EthereumCall } from './sign.ts';

/** A call that brings about what a step aims at. */
export interface Attempt {
  readonly step: Step;
  readonly data: Hex;
}

/** Added to the estimate, in percent: what a call costs differs a little from wallet to wallet. */
const GAS_MARGIN = 25n;

const transaction = ({ account, network }: Ethereum, data: Hex) => ({ from: account, to: network.gateway, data });

/** Runs every call without sending it; what the contract answered, by step id. */
export async function tryCalls(chain: Ethereum, attempts: readonly Attempt[]): Promise<Map<string, RpcAnswer>> {
  const answers = await chain.rpc(attempts.map(({ data }) => rpc.call(transaction(chain, data))));
  return new Map(attempts.flatMap(({ step }, index) => (answers[index] ? [[step.id, answers[index]] as const] : [])));
}

/** One call of each kind that would succeed: an estimate costs a node many runs, so one stands for all of its kind. */
export function samplesOf(attempts: readonly Attempt[], tried: ReadonlyMap<string, RpcAnswer>): Map<StepKind, Hex> {
  const good = attempts.filter(({ step }) => 'result' in (tried.get(step.id) ?? {}));
  return new Map(good.map(({ step, data }) => [step.kind, data]));
}

export function estimateCalls(chain: Ethereum, samples: ReadonlyMap<StepKind, Hex>): RpcCall[] {
  return [...samples.values()].map((data) => rpc.estimateGas(transaction(chain, data)));
}

/** Gas limits by kind of step, from the answers to `estimateCalls`; none where the estimate failed. */
export function gasLimits(
  samples: ReadonlyMap<StepKind, Hex>,
  answers: readonly RpcAnswer[],
): ReadonlyMap<StepKind, bigint> {
  return new Map(
    [...samples.keys()].flatMap((kind, index) => {
      const answer = answers[index];
      if (answer === undefined || 'error' in answer) return [];
      return [[kind, (BigInt(answer.result as Hex) * (100n + GAS_MARGIN)) / 100n] as const];
    }),
  );
}

/** What trying a call has shown. */
export function findingOf({ data }: Attempt, tried: RpcAnswer | undefined, gas: bigint | undefined): Finding {
  if (tried === undefined || 'error' in tried || gas === undefined) return refusalOf(tried);
  return { is: 'ready', call: { data, gas } satisfies EthereumCall };
}
