import type { Hex } from 'viem';
import type { OnChain } from '../../pass/pass.ts';
import type { Step } from '../../pass/step.ts';
import type { RpcAnswer } from '../json-rpc.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import type { PrepareResult } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import * as rpc from './calls.ts';
import { resultOfError } from './refusal.ts';
import type { EthereumCall } from './sign.ts';

/** A call that brings about what a step aims at. */
export interface PlannedCall {
  readonly step: Step;
  readonly data: Hex;
  /** What the chain holds once it has succeeded. */
  readonly expectedOnChain: OnChain;
  /** The token it changes; undefined: it makes one. */
  readonly changes?: OnChain;
}

/** Added to the estimate, in percent: what a call costs differs a little from wallet to wallet. */
const GAS_MARGIN = 25n;

const transaction = ({ account, network }: Ethereum, data: Hex) => ({ from: account, to: network.gateway, data });

/** Runs every call without sending it; what the contract answered, by step id. */
export async function simulateCalls(
  chain: Ethereum,
  attempts: readonly PlannedCall[],
): Promise<Map<string, RpcAnswer>> {
  const answers = await chain.rpc(attempts.map(({ data }) => rpc.call(transaction(chain, data))));
  return new Map(attempts.flatMap(({ step }, index) => (answers[index] ? [[step.id, answers[index]] as const] : [])));
}

/** What calls must have in common to cost alike: above all, to write what was zero costs more. */
export function gasClassOf({ step, changes }: PlannedCall): string {
  const expires = (expiry: number | undefined) => (expiry === undefined ? 'never' : 'expires');
  const before = changes ? [changes.state, expires(changes.expiry)] : [];
  return [step.kind, expires(step.expiry), ...before].join(' ');
}

/** One call of each class that would succeed: an estimate costs a node many runs, so one stands for all that cost alike. */
export function samplesOf(attempts: readonly PlannedCall[], tried: ReadonlyMap<string, RpcAnswer>): Map<string, Hex> {
  const good = attempts.filter(({ step }) => 'result' in (tried.get(step.id) ?? {}));
  return new Map(good.map((attempt) => [gasClassOf(attempt), attempt.data]));
}

export function estimateCalls(chain: Ethereum, samples: ReadonlyMap<string, Hex>): RpcCall[] {
  return [...samples.values()].map((data) => rpc.estimateGas(transaction(chain, data)));
}

/** Gas limits by class, from the answers to `estimateCalls`; none where the estimate failed. */
export function gasLimits(
  samples: ReadonlyMap<string, Hex>,
  answers: readonly RpcAnswer[],
): ReadonlyMap<string, bigint> {
  return new Map(
    [...samples.keys()].flatMap((costs, index) => {
      const answer = answers[index];
      if (answer === undefined || 'error' in answer) return [];
      return [[costs, addGasMargin(rpc.quantityOf(answer))] as const];
    }),
  );
}

export function addGasMargin(gas: bigint): bigint {
  return (gas * (100n + GAS_MARGIN)) / 100n;
}

/** What trying a call has shown. */
export function resultOfSimulation(
  { data, expectedOnChain }: PlannedCall,
  tried: RpcAnswer | undefined,
  gas: bigint | undefined,
): PrepareResult {
  if (tried === undefined || 'error' in tried || gas === undefined) return resultOfError(tried);
  return { type: 'ready', call: { data, gas } satisfies EthereumCall, expectedOnChain };
}
