import type { Hex } from '../../lib/bytes.ts';
import type { OnChain } from '../../pass/pass.ts';
import type { Step } from '../../pass/step.ts';
import { mayBeBehind } from '../block-age.ts';
import { askEach } from '../json-rpc.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import { distrustIfBehind, needsFinalTokens, type Owned, planStep } from '../plan-step.ts';
import { type Prepared, type PrepareResult, pairUp, type ReadyCall } from '../port.ts';
import { notNow } from '../reasons.ts';
import { describeError, type RpcAnswer } from '../rpc-answer.ts';
import { nanoCoinsOfWei } from '../units.ts';
import { changeData, type EthereumToken, mintData, resultOfError } from './gateway.ts';
import { conditionCalls, readConditions } from './network-conditions.ts';
import { finalBlock, type Holder, holderOf, readTokens } from './owned-tokens.ts';
import type { Ethereum } from './rpc.ts';
import * as calls from './rpc.ts';
import { addGasMargin, findCallViolation, signCall } from './transaction.ts';

/** A step whose gatekeeper network has a slot in the contract. */
interface LocatedStep extends Holder {
  readonly step: Step;
}

/**
 * Reads the tokens of all wallets at once, and as of the newest final block for steps that need it. Then it simulates the calls
 * and reads the network's conditions. A fault of one step does not delay the others.
 */
export async function prepare<R extends { readonly step: Step }>(
  chain: Ethereum,
  requests: readonly R[],
): Promise<Prepared<R>> {
  const requested = requests.map((request) => [request, locate(chain, request.step)] as const);
  const located = requested.flatMap(([, each]) => each ?? []);
  const { asOf: head = 0, time: headTime, of: now } = await readTokens(chain, located, 'latest');
  const doubtful = located.filter((each) => needsFinalTokens(each.step, now.get(each)));
  const final = doubtful.length === 0 ? new Map() : (await readTokens(chain, doubtful, finalBlock(chain, head))).of;
  const plans = new Map(located.map((each) => [each, planCall(chain, each, now.get(each), final.get(each))]));
  const planned = [...plans.values()].filter((plan) => 'data' in plan);
  const simulated = await simulateCalls(chain, planned);

  const samples = samplesOf(simulated);
  const asked = [...conditionCalls(chain.gatekeeper.address, chain.network), ...estimateCalls(chain, samples)];
  // Repeat a refused call in the batch that reads the newest block: the endpoint that refused may be far behind its chain.
  const refused = planned.filter((plan) => resultOfError(simulated.get(plan)).type === 'refused');
  const answers = await chain.rpc([...asked, ...refused.map((plan) => simulationCall(chain, plan))]);
  const again = new Map(pairUp(refused, answers.slice(asked.length)));
  const { price, nonces, isTooDear, isL1TooDear, newest } = readConditions(answers, chain.network);
  const tokenBlock = { height: head, time: headTime ?? newest.time };
  const tokensMayBeOld = [tokenBlock, newest].some((block) => mayBeBehind(chain.rpc, block, Date.now()));
  const isBehind = mayBeBehind(chain.rpc, newest, Date.now());
  const gas = gasLimits(samples, answers.slice(asked.length - samples.size, asked.length));

  function resultOf(plan: PrepareResult | PlannedCall): PrepareResult {
    if (!('data' in plan)) return distrustIfBehind(plan, tokensMayBeOld);
    const outcome = resultOfSimulation(again.get(plan) ?? simulated.get(plan), gas.get(gasClassOf(plan)));
    if ('type' in outcome) return distrustIfBehind(outcome, isBehind);
    const call = { data: plan.data, gas: outcome.gas };
    const ready: ReadyCall = {
      type: 'ready',
      call: plan.data,
      expectedOnChain: plan.expectedOnChain,
      maxCost: nanoCoinsOfWei(call.gas * price.fee + (price.l1Fee ?? 0n)),
      findViolation: (nonce) => findCallViolation(chain, plan.step, call, price, nonce),
      sign: (nonce) => signCall(chain, plan.step, call, price, nonce),
    };
    if (isTooDear || isL1TooDear) return { ...notNow(isTooDear ? 'gas-price-too-high' : 'l1-fee-too-high'), ready };
    return ready;
  }
  return {
    nonces,
    results: requested.map(([request, each]) => [
      request,
      resultOf((each && plans.get(each)) ?? notNow('no-gatekeeper-network')),
    ]),
  };
}

function locate(chain: Ethereum, step: Step): LocatedStep | undefined {
  const holder = holderOf(chain, step);
  return holder && { ...holder, step };
}

function planCall(
  { derivesTokenIds }: Ethereum,
  { step, slot, contract }: LocatedStep,
  now: Owned<EthereumToken> | undefined,
  final: Owned<EthereumToken> | undefined,
): PrepareResult | PlannedCall {
  const plan = planStep(step, now, final, !derivesTokenIds(contract));
  if (plan === 'issue') {
    const expectedOnChain = { state: 'ACTIVE', expiry: step.expiry } as const;
    return { step, data: mintData(step.key.wallet, slot, step.expiry), expectedOnChain };
  }
  if (!('change' in plan)) return plan;
  const { change, expectedOnChain } = plan;
  return { step, data: changeData(step, change.id), expectedOnChain, changes: change };
}

/** A call that fulfills a step. */
export interface PlannedCall {
  readonly step: Step;
  readonly data: Hex;
  /** On-chain state after the call. */
  readonly expectedOnChain: OnChain;
  /** The token that the call changes; undefined if the call mints one. */
  readonly changes?: OnChain;
}

function requestFor({ gatekeeper }: Ethereum, { step, data }: PlannedCall) {
  return { from: gatekeeper.address, to: step.contract as Hex, data };
}

/** Returns the RPC call that simulates a contract call. */
function simulationCall(chain: Ethereum, planned: PlannedCall): RpcCall {
  return calls.call(requestFor(chain, planned));
}

export async function simulateCalls(
  chain: Ethereum,
  planned: readonly PlannedCall[],
): Promise<ReadonlyMap<PlannedCall, RpcAnswer>> {
  return new Map(await askEach(chain.rpc, planned, (each) => simulationCall(chain, each)));
}

/** Returns the gas class of a call. Calls of one class need the same gas; contracts differ, and writing to zero storage costs more. */
function gasClassOf({ step, changes }: PlannedCall): string {
  const expires = (expiry: number | undefined) => (expiry === undefined ? 'never' : 'expires');
  const before = changes ? [changes.state, expires(changes.expiry)] : [];
  return [step.contract, step.kind, expires(step.expiry), ...before].join(' ');
}

/** Returns one successful call per gas class. A node runs a call many times for an estimate, so one estimate serves the class. */
export function samplesOf(simulated: ReadonlyMap<PlannedCall, RpcAnswer>): ReadonlyMap<string, PlannedCall> {
  const succeeded = [...simulated].filter(([, answer]) => 'result' in answer);
  return new Map(succeeded.map(([call]) => [gasClassOf(call), call]));
}

function estimateCalls(chain: Ethereum, samples: ReadonlyMap<string, PlannedCall>): RpcCall[] {
  return [...samples.values()].map((planned) => calls.estimateGas(requestFor(chain, planned)));
}

/** Returns gas limits by class from the answers to `estimateCalls`, or the result of its steps if an estimate failed. */
function gasLimits(
  samples: ReadonlyMap<string, PlannedCall>,
  answers: readonly RpcAnswer[],
): ReadonlyMap<string, bigint | PrepareResult> {
  return new Map(
    pairUp([...samples.keys()], answers).map(([gasClass, answer]) => [
      gasClass,
      'error' in answer ? resultOfEstimate(answer) : addGasMargin(calls.quantityOf(answer)),
    ]),
  );
}

/** The call succeeded in simulation, so the estimate says nothing about the contract. */
function resultOfEstimate(answer: Extract<RpcAnswer, { readonly error: unknown }>): PrepareResult {
  return notNow(calls.isOutOfGas(answer) ? 'out-of-gas' : 'not-simulated', describeError(answer.error));
}

/** Returns the gas limit of a call that succeeded in simulation, or why the signer cannot send it. */
function resultOfSimulation(
  answer: RpcAnswer | undefined,
  gas: bigint | PrepareResult | undefined,
): { readonly gas: bigint } | PrepareResult {
  if (answer === undefined || 'error' in answer || gas === undefined) return resultOfError(answer);
  return typeof gas === 'bigint' ? { gas } : gas;
}
