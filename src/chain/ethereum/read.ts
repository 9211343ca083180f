import { type Pairs, pairAll } from '../pairs.ts';
import { mayBeBehind, readingFor } from '../plan-step.ts';
import type { Question, Reading } from '../port.ts';
import { unreadable } from '../reasons.ts';
import { resultOf } from '../rpc-answer.ts';
import type { Ethereum } from './context.ts';
import { finalBlock, holderOf, readTokens } from './owned-tokens.ts';
import * as calls from './rpc.ts';

/** Reads the tokens of these wallets, as of the newest block that counts as confirmed. */
export function read<Q extends Question>(chain: Ethereum, questions: readonly Q[]): Promise<Pairs<Q, Reading>> {
  const { confirmations } = chain.network;
  return readAt(chain, questions, (head) => calls.hex(Math.max(0, head - confirmations + 1)));
}

/** Reads the tokens of these wallets, as of the newest final block. */
export function readFinal<Q extends Question>(chain: Ethereum, questions: readonly Q[]): Promise<Pairs<Q, Reading>> {
  return readAt(chain, questions, (head) => finalBlock(chain, head));
}

async function readAt<Q extends Question>(
  chain: Ethereum,
  questions: readonly Q[],
  blockFor: (head: number) => calls.BlockTag,
): Promise<Pairs<Q, Reading>> {
  const [latest] = await chain.rpc([calls.newestBlock]);
  const head = resultOf<calls.Block | null>(latest);
  if (head === null || mayBeBehind(Number(head.timestamp), Date.now()))
    return pairAll(questions, unreadable('nodes-behind'));
  const located = questions.map((question) => [question, holderOf(chain, question.key)] as const);
  const holders = located.flatMap(([, holder]) => holder ?? []);
  const { of } = await readTokens(chain, holders, blockFor(Number(head.number)));
  return located.map(([question, holder]) => [
    question,
    holder ? readingFor(of.get(holder), question.known) : unreadable('no-gatekeeper-network'),
  ]);
}
