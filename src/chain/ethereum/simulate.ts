import type { Hex } from 'viem';
import type { OnChain } from '../../pass/pass.ts';
import type { Step } from '../../pass/step.ts';
import { askEach } from '../json-rpc.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import { pairUp } from '../pairs.ts';
import type { PrepareResult } from '../port.ts';
import type { RpcAnswer } from '../rpc-answer.ts';
import type { Ethereum } from './context.ts';
import { resultOfError } from './refusal.ts';
import * as calls from './rpc.ts';

/** A call that fulfills a step. */
export interface PlannedCall {
  readonly step: Step;
  readonly data: Hex;
  /** On-chain state after the call. */
  readonly expectedOnChain: OnChain;
  /** The token that the call changes; undefined if the call mints one. */
  readonly changes?: OnChain;
}

/** Added to the estimate, because the gas of a call differs slightly between wallets. */
const GAS_MARGIN_PERCENT = 25n;

function requestFor({ gatekeeper, network }: Ethereum, data: Hex) {
  return { from: gatekeeper.address, to: network.gateway, data };
}

/** Returns the RPC call that simulates a contract call. */
export function simulationCall(chain: Ethereum, data: Hex): RpcCall {
  return calls.call(requestFor(chain, data));
}

/** Simulates every call. */
export async function simulateCalls(
  chain: Ethereum,
  planned: readonly PlannedCall[],
): Promise<ReadonlyMap<PlannedCall, RpcAnswer>> {
  return new Map(await askEach(chain.rpc, planned, ({ data }) => simulationCall(chain, data)));
}

/** Returns the gas class of a call. Calls of one class need the same gas; writing to zero storage costs more. */
export function gasClassOf({ step, changes }: PlannedCall): string {
  const expires = (expiry: number | undefined) => (expiry === undefined ? 'never' : 'expires');
  const before = changes ? [changes.state, expires(changes.expiry)] : [];
  return [step.kind, expires(step.expiry), ...before].join(' ');
}

/** Returns one successful call per gas class. A node runs a call many times for an estimate, so one estimate serves the class. */
export function samplesOf(simulated: ReadonlyMap<PlannedCall, RpcAnswer>): ReadonlyMap<string, Hex> {
  const succeeded = [...simulated].filter(([, answer]) => 'result' in answer);
  return new Map(succeeded.map(([call]) => [gasClassOf(call), call.data]));
}

export function estimateCalls(chain: Ethereum, samples: ReadonlyMap<string, Hex>): RpcCall[] {
  return [...samples.values()].map((data) => calls.estimateGas(requestFor(chain, data)));
}

/** Returns gas limits by class from the answers to `estimateCalls`. A class is missing if its estimate failed. */
export function gasLimits(
  samples: ReadonlyMap<string, Hex>,
  answers: readonly RpcAnswer[],
): ReadonlyMap<string, bigint> {
  return new Map(
    pairUp([...samples.keys()], answers).flatMap(([gasClass, answer]) =>
      'error' in answer ? [] : [[gasClass, addGasMargin(calls.quantityOf(answer))] as const],
    ),
  );
}

export function addGasMargin(gas: bigint): bigint {
  return (gas * (100n + GAS_MARGIN_PERCENT)) / 100n;
}

/** Returns the gas limit of a call that succeeded in simulation, or why the signer cannot send it. */
export function resultOfSimulation(
  answer: RpcAnswer | undefined,
  gas: bigint | undefined,
): { readonly gas: bigint } | PrepareResult {
  return answer === undefined || 'error' in answer || gas === undefined ? resultOfError(answer) : { gas };
}
