import type { Step } from '../../pass/step.ts';
import { believed, intentOf, mayBeBehind, mustBeFinal, type Owned } from '../intent.ts';
import type { Finding, Look } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import { type EthereumToken, mintData, setExpirationData } from './gateway.ts';
import { finalBlock, type Placed, readTokens } from './owned-tokens.ts';
import { headTime, readTerms, termsCalls } from './terms.ts';
import { type Attempt, estimateCalls, findingOf, gasLimits, samplesOf, tryCalls } from './try-calls.ts';

/**
 * Looks at the wallets of all steps at once: every wallet's tokens, where there are any also as of the newest final
 * block; tries the calls; reads the terms of the moment. What is wrong with one step keeps no other waiting.
 */
export async function look(chain: Ethereum, steps: readonly Step[]): Promise<Look> {
  const placed = steps.flatMap((step): Placed[] => {
    const slot = chain.slot(step.key.gatekeeperNetwork);
    return slot === undefined ? [] : [{ step, slot }];
  });
  const now = await readTokens(chain, placed, 'latest');
  const doubted = placed.filter(({ step }) => mustBeFinal(step, now.get(step.id)));
  const final = doubted.length === 0 ? new Map() : await readTokens(chain, doubted, await finalBlock(chain));
  const aims = new Map(
    placed.map((each) => [each.step.id, aimOf(each, now.get(each.step.id), final.get(each.step.id))]),
  );
  const attempts = [...aims.values()].filter((aim) => 'data' in aim);
  const tried = await tryCalls(chain, attempts);

  const samples = samplesOf(attempts, tried);
  const asked = termsCalls(chain.account);
  const answers = await chain.rpc([...asked, ...estimateCalls(chain, samples)]);
  const terms = readTerms(answers.slice(0, asked.length), chain.network);
  const behind = mayBeBehind(headTime(answers), Date.now());
  const gas = gasLimits(samples, answers.slice(asked.length));
  const findings = steps.map(({ id, kind }) => {
    const aim = aims.get(id) ?? NO_SLOT;
    return 'data' in aim ? findingOf(aim, tried.get(id), gas.get(kind)) : believed(aim, behind);
  });
  return { terms, findings };
}

const NO_SLOT: Finding = { is: 'not-now', why: 'not a gatekeeper network', keeps: 'gatekeeper-network' };

function aimOf(
  { step, slot }: Placed,
  now: Owned<EthereumToken> | undefined,
  final: Owned<EthereumToken> | undefined,
): Finding | Attempt {
  const intent = intentOf(step, now, final);
  if (intent === 'issue') return { step, data: mintData(step.key.wallet, slot, step.expiry) };
  if (!('change' in intent)) return intent;
  return { step, data: setExpirationData(intent.change.id, step.expiry) };
}
