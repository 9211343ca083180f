import { standingToken } from '../../pass/standing-token.ts';
import type { Step } from '../../pass/step.ts';
import type { Finding, Look } from '../port.ts';
import type { Solana } from './adapter.ts';
import { issue, updateExpiry } from './gateway.ts';
import { type Owned, type Placed, placed, readTokens, type Token } from './owned-tokens.ts';
import { NO_FUNDS } from './refusal.ts';
import { mayBeBehind, readMoment } from './terms.ts';
import { type Attempt, affordable, tryCalls } from './try-calls.ts';

/**
 * Looks at the wallets of all steps at once: every wallet's tokens, where there are any also the finalized ones; tries
 * the calls; reads the terms of the moment. What is wrong with one step keeps no other waiting.
 */
export async function look(chain: Solana, steps: readonly Step[]): Promise<Look> {
  const sound = await placed(chain, steps);
  const [now, moment] = await Promise.all([readTokens(chain, sound, 'confirmed'), readMoment(chain)]);
  const doubted = sound.filter(({ step }) => step.kind !== 'issue' || now.get(step.id)?.tokens.length !== 0);
  const final = await readTokens(chain, doubted, 'finalized');
  const intents = new Map(
    sound.map((each) => [each.step.id, intentOf(each, now.get(each.step.id), final.get(each.step.id))]),
  );
  const attempts = [...intents.values()].filter((intent) => 'instruction' in intent);
  const tried = await tryCalls(chain, affordable(attempts, moment), moment.terms);

  const behind = mayBeBehind(moment, Date.now());
  const findings = steps.map(({ id }): Finding => {
    const intent = intents.get(id) ?? NO_NETWORK;
    if ('instruction' in intent) return tried.get(id) ?? NO_FUNDS;
    return behind && intent.is === 'found' ? NOT_FINAL : intent;
  });
  return { terms: moment.terms, findings };
}

const NO_NETWORK: Finding = { is: 'not-now', why: 'not a gatekeeper network', keeps: 'gatekeeper-network' };
/** A fork may take it back. */
const NOT_FINAL: Finding = { is: 'not-now', why: 'what the chain shows is not final', keeps: 'step' };
const NO_ADDRESS: Finding = { is: 'refused', reason: 'the addresses of the pass are occupied by other accounts' };

/** Only what is final is recorded without a transaction of ours. */
function intentOf(
  { step, wallet, acting }: Placed,
  now: Owned | undefined,
  final: Owned | undefined,
): Finding | Attempt {
  const token = standingToken(now?.tokens ?? []);
  if (step.kind === 'issue' && token === undefined) {
    return now?.free ? { step, instruction: issue(acting, wallet, now.free, step.expiry) } : NO_ADDRESS;
  }
  if (!same(token, standingToken(final?.tokens ?? []))) return NOT_FINAL;
  if (token === undefined) return { is: 'found', onChain: { state: 'NONE' } };
  const { state, expiry, place } = token;
  if (step.kind === 'issue' || state !== 'ACTIVE' || expiry === step.expiry) {
    return { is: 'found', onChain: { state, expiry } };
  }
  if (step.expiry === undefined) return NEVER_CLEARED;
  return { step, instruction: updateExpiry(acting, place.address, step.expiry) };
}

const NEVER_CLEARED: Finding = { is: 'refused', reason: 'an expiry cannot be cleared on this chain' };

function same(a: Token | undefined, b: Token | undefined): boolean {
  return a?.place.address === b?.place.address && a?.state === b?.state && a?.expiry === b?.expiry;
}
