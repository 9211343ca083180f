import { standingToken } from '../../pass/standing-token.ts';
import type { Step } from '../../pass/step.ts';
import type { Finding, Look } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import { mintData, setExpirationData, type Token } from './gateway.ts';
import { finalBlock, type Owned, type Placed, readTokens } from './owned-tokens.ts';
import { mayBeBehind, readTerms, termsCalls } from './terms.ts';
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
  const doubted = placed.filter(({ step }) => step.kind !== 'issue' || hasTokens(now.get(step.id)));
  const final = doubted.length === 0 ? new Map() : await readTokens(chain, doubted, await finalBlock(chain));
  const intents = new Map(
    placed.map((each) => [each.step.id, intentOf(each, now.get(each.step.id), final.get(each.step.id))]),
  );
  const attempts = [...intents.values()].filter((intent) => 'data' in intent);
  const tried = await tryCalls(chain, attempts);

  const samples = samplesOf(attempts, tried);
  const asked = termsCalls(chain.account);
  const answers = await chain.rpc([...asked, ...estimateCalls(chain, samples)]);
  const terms = readTerms(answers.slice(0, asked.length), chain.network);
  const behind = mayBeBehind(answers, Date.now());
  const gas = gasLimits(samples, answers.slice(asked.length));
  const findings = steps.map(({ id, kind }) => {
    const intent = intents.get(id) ?? NO_SLOT;
    if ('data' in intent) return findingOf(intent, tried.get(id), gas.get(kind));
    return behind && intent.is === 'found' ? NOT_FINAL : intent;
  });
  return { terms, findings };
}

const NO_SLOT: Finding = { is: 'not-now', why: 'not a gatekeeper network', keeps: 'gatekeeper-network' };
/** A reorg may take it back, and give its token id to another wallet. */
const NOT_FINAL: Finding = { is: 'not-now', why: 'what the chain shows is not final', keeps: 'step' };

function hasTokens(owned: Owned | undefined): boolean {
  return owned !== undefined && 'tokens' in owned && owned.tokens.length > 0;
}

/** Only what is final is recorded without a transaction of ours, and only a final token is named in a call. */
function intentOf({ step, slot }: Placed, now: Owned | undefined, final: Owned | undefined): Finding | Attempt {
  if (now === undefined || 'is' in now) return now ?? NOT_FINAL;
  const token = standingToken(now.tokens);
  if (step.kind === 'issue' && token === undefined) {
    return { step, data: mintData(step.key.wallet, slot, step.expiry) };
  }
  if (final === undefined || 'is' in final || !same(token, standingToken(final.tokens))) return NOT_FINAL;
  if (token === undefined) return { is: 'found', onChain: { state: 'NONE' } };
  const { id, state, expiry } = token;
  if (step.kind === 'issue' || state !== 'ACTIVE' || expiry === step.expiry) {
    return { is: 'found', onChain: { state, expiry } };
  }
  return { step, data: setExpirationData(id, step.expiry) };
}

function same(a: Token | undefined, b: Token | undefined): boolean {
  return a?.id === b?.id && a?.state === b?.state && a?.expiry === b?.expiry;
}
