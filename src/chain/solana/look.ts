import type { Step } from '../../pass/step.ts';
import { believed, intentOf, mayBeBehind, mustBeFinal } from '../intent.ts';
import type { Finding, Look } from '../port.ts';
import type { Solana } from './adapter.ts';
import { issue, updateExpiry } from './gateway.ts';
import { type Holdings, type Placed, placed, readTokens } from './owned-tokens.ts';
import { NO_FUNDS } from './refusal.ts';
import { readMoment } from './terms.ts';
import { type Attempt, affordable, tryCalls } from './try-calls.ts';

/**
 * Looks at the wallets of all steps at once: every wallet's tokens, where there are any also the finalized ones; tries
 * the calls; reads the terms of the moment. What is wrong with one step keeps no other waiting.
 */
export async function look(chain: Solana, steps: readonly Step[], unmined: number): Promise<Look> {
  const sound = await placed(chain, steps);
  const [now, moment] = await Promise.all([readTokens(chain, sound, 'confirmed'), readMoment(chain)]);
  const doubted = sound.filter(({ step }) => mustBeFinal(step, now.get(step.id)));
  const final = await readTokens(chain, doubted, 'finalized');
  const aims = new Map(
    sound.map((each) => [each.step.id, aimOf(each, now.get(each.step.id), final.get(each.step.id))]),
  );
  const attempts = [...aims.values()].filter((aim) => 'instruction' in aim);
  const tried = await tryCalls(chain, affordable(attempts, moment, unmined), moment.terms);
  const behind = mayBeBehind(moment.time, Date.now());
  const findings = steps.map(({ id }): Finding => {
    const aim = aims.get(id) ?? NO_NETWORK;
    return 'instruction' in aim ? (tried.get(id) ?? NO_FUNDS) : believed(aim, behind);
  });
  return { terms: moment.terms, findings };
}

const NO_NETWORK: Finding = { is: 'not-now', why: 'not a gatekeeper network', keeps: 'gatekeeper-network' };
const NO_ADDRESS: Finding = { is: 'refused', reason: 'the addresses of the pass are occupied by other accounts' };
const NEVER_CLEARED: Finding = { is: 'refused', reason: 'an expiry cannot be cleared on this chain' };

function aimOf(
  { step, wallet, acting }: Placed,
  now: Holdings | Finding | undefined,
  final: Holdings | Finding | undefined,
): Finding | Attempt {
  const intent = intentOf(step, now, final);
  if (intent === 'issue') {
    const free = now && 'free' in now ? now.free : undefined;
    return free ? { step, instruction: issue(acting, wallet, free, step.expiry) } : NO_ADDRESS;
  }
  if (!('change' in intent)) return intent;
  if (step.expiry === undefined) return NEVER_CLEARED;
  return { step, instruction: updateExpiry(acting, intent.change.id, step.expiry) };
}
