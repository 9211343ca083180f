import { type Pairs, pairAll } from '../pairs.ts';
import { mayBeBehind, readingFor } from '../plan-step.ts';
import type { Question, Reading } from '../port.ts';
import { unreadable } from '../reasons.ts';
import type { Solana } from './context.ts';
import { readTime } from './network-conditions.ts';
import { findHolders, readTokens } from './owned-tokens.ts';

/** Reads the tokens of these wallets. */
export async function read<Q extends Question>(
  chain: Solana,
  questions: readonly Q[],
  commitment: 'confirmed' | 'finalized' = 'confirmed',
): Promise<Pairs<Q, Reading>> {
  const located = findHolders(chain, questions, ({ key }) => key);
  const holders = located.flatMap(([, holder]) => holder ?? []);
  const [time, tokens] = await Promise.all([readTime(chain.rpc), readTokens(chain, holders, commitment)]);
  if (mayBeBehind(time, Date.now())) return pairAll(questions, unreadable('nodes-behind'));
  return located.map(([question, holder]) => [
    question,
    holder ? readingFor(tokens.get(holder), question.known) : unreadable('no-gatekeeper-network'),
  ]);
}
