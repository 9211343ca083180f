import { mayBeBehind, readingFor, STALE_READING } from '../plan-step.ts';
import type { Question, Reading } from '../port.ts';
import type { Solana } from './adapter.ts';
import { readTime } from './network-conditions.ts';
import { findHolders, readTokens } from './owned-tokens.ts';

/** The tokens of these wallets, as deep as transactions are confirmed. */
export async function read(chain: Solana, questions: readonly Question[]): Promise<Reading[]> {
  const { rpc } = chain;
  const found = findHolders(
    chain,
    questions.map(({ key }) => key),
  );
  const [time, tokens] = await Promise.all([
    readTime(rpc),
    readTokens(
      chain,
      found.filter((holder) => holder !== undefined),
      'confirmed',
    ),
  ]);
  if (mayBeBehind(time, Date.now())) return questions.map(() => STALE_READING);
  return found.map((holder, index) => (holder ? readingFor(tokens.get(holder), questions[index]?.known) : NO_NETWORK));
}

const NO_NETWORK: Reading = { type: 'unreadable', why: 'not a gatekeeper network' };
