import type { Step } from '../../pass/step.ts';
import { distrustIfBehind, mayBeBehind, needsFinalTokens, type Owned, planStep } from '../plan-step.ts';
import type { Prepared, PrepareResult } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import { changeData, type EthereumToken, mintData } from './gateway.ts';
import { conditionCalls, readConditions, termsOf } from './network-conditions.ts';
import { finalBlock, type Holder, holderOf, readTokens } from './owned-tokens.ts';
import {
  estimateCalls,
  gasClassOf,
  gasLimits,
  type PlannedCall,
  resultOfSimulation,
  samplesOf,
  simulateCalls,
} from './simulate.ts';

/** A step whose gatekeeper network has a slot in the contract. */
interface StepWithSlot extends Holder {
  readonly step: Step;
}

/**
 * Looks at the wallets of all steps at once: every wallet's tokens, where there are any also as of the newest final
 * block; tries the calls; reads the terms of the moment. What is wrong with one step keeps no other waiting.
 */
export async function prepare(chain: Ethereum, steps: readonly Step[]): Promise<Prepared> {
  const placed = steps.flatMap((step): StepWithSlot[] => {
    const holder = holderOf(chain, step.key);
    return holder === undefined ? [] : [{ ...holder, step }];
  });
  const { asOf: head = 0, of: now } = await readTokens(chain, placed, 'latest');
  const doubted = placed.filter((each) => needsFinalTokens(each.step, now.get(each)));
  const final = doubted.length === 0 ? new Map() : (await readTokens(chain, doubted, finalBlock(chain, head))).of;
  const aims = new Map(placed.map((each) => [each.step.id, planAttempt(each, now.get(each), final.get(each))]));
  const attempts = [...aims.values()].filter((aim) => 'data' in aim);
  const tried = await simulateCalls(chain, attempts);

  const samples = samplesOf(attempts, tried);
  const asked = conditionCalls(chain.account);
  const answers = await chain.rpc([...asked, ...estimateCalls(chain, samples)]);
  const moment = readConditions(answers, chain.network);
  const behind = mayBeBehind(moment.time, Date.now());
  const gas = gasLimits(samples, answers.slice(asked.length));
  const results = steps.map(({ id }): PrepareResult => {
    const aim = aims.get(id) ?? NO_SLOT;
    if (!('data' in aim)) return distrustIfBehind(aim, behind);
    const finding = resultOfSimulation(aim, tried.get(id), gas.get(gasClassOf(aim)));
    return finding.type === 'ready' && moment.isTooDear ? TOO_DEAR : finding;
  });
  return { terms: termsOf(moment), results };
}

const TOO_DEAR: PrepareResult = { type: 'not-now', why: 'the network asks more than maxFeePerGas', blocks: 'signer' };
const NO_SLOT: PrepareResult = { type: 'not-now', why: 'not a gatekeeper network', blocks: 'gatekeeper-network' };

function planAttempt(
  { step, slot }: StepWithSlot,
  now: Owned<EthereumToken> | undefined,
  final: Owned<EthereumToken> | undefined,
): PrepareResult | PlannedCall {
  const intent = planStep(step, now, final);
  if (intent === 'issue') {
    const expectedOnChain = { state: 'ACTIVE', expiry: step.expiry } as const;
    return { step, data: mintData(step.key.wallet, slot, step.expiry), expectedOnChain };
  }
  if (!('change' in intent)) return intent;
  const { change, expectedOnChain } = intent;
  return { step, data: changeData(step, change.id), expectedOnChain, changes: change };
}
