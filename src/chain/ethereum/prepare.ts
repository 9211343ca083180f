import type { Step } from '../../pass/step.ts';
import { believed, intentOf, mayBeBehind, mustBeFinal, type Owned } from '../plan-step.ts';
import type { Finding, Look } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import { changeData, type EthereumToken, mintData } from './gateway.ts';
import { momentCalls, readMoment, termsOf } from './network-conditions.ts';
import { finalBlock, type Holder, holderOf, readTokens } from './owned-tokens.ts';
import { type Attempt, costClass, estimateCalls, findingOf, gasLimits, samplesOf, tryCalls } from './simulate.ts';

/** A step whose gatekeeper network has a slot in the contract. */
interface Placed extends Holder {
  readonly step: Step;
}

/**
 * Looks at the wallets of all steps at once: every wallet's tokens, where there are any also as of the newest final
 * block; tries the calls; reads the terms of the moment. What is wrong with one step keeps no other waiting.
 */
export async function look(chain: Ethereum, steps: readonly Step[]): Promise<Look> {
  const placed = steps.flatMap((step): Placed[] => {
    const holder = holderOf(chain, step.key);
    return holder === undefined ? [] : [{ ...holder, step }];
  });
  const { asOf: head = 0, of: now } = await readTokens(chain, placed, 'latest');
  const doubted = placed.filter((each) => mustBeFinal(each.step, now.get(each)));
  const final = doubted.length === 0 ? new Map() : (await readTokens(chain, doubted, finalBlock(chain, head))).of;
  const aims = new Map(placed.map((each) => [each.step.id, aimOf(each, now.get(each), final.get(each))]));
  const attempts = [...aims.values()].filter((aim) => 'data' in aim);
  const tried = await tryCalls(chain, attempts);

  const samples = samplesOf(attempts, tried);
  const asked = momentCalls(chain.account);
  const answers = await chain.rpc([...asked, ...estimateCalls(chain, samples)]);
  const moment = readMoment(answers, chain.network);
  const behind = mayBeBehind(moment.time, Date.now());
  const gas = gasLimits(samples, answers.slice(asked.length));
  const findings = steps.map(({ id }): Finding => {
    const aim = aims.get(id) ?? NO_SLOT;
    if (!('data' in aim)) return believed(aim, behind);
    const finding = findingOf(aim, tried.get(id), gas.get(costClass(aim)));
    return finding.is === 'ready' && moment.isTooDear ? TOO_DEAR : finding;
  });
  return { terms: termsOf(moment), findings };
}

const TOO_DEAR: Finding = { is: 'not-now', why: 'the network asks more than maxFeePerGas', keeps: 'signer' };
const NO_SLOT: Finding = { is: 'not-now', why: 'not a gatekeeper network', keeps: 'gatekeeper-network' };

function aimOf(
  { step, slot }: Placed,
  now: Owned<EthereumToken> | undefined,
  final: Owned<EthereumToken> | undefined,
): Finding | Attempt {
  const intent = intentOf(step, now, final);
  if (intent === 'issue') {
    const leaves = { state: 'ACTIVE', expiry: step.expiry } as const;
    return { step, data: mintData(step.key.wallet, slot, step.expiry), leaves };
  }
  if (!('change' in intent)) return intent;
  const { change, leaves } = intent;
  return { step, data: changeData(step, change.id), leaves, changes: change };
}
