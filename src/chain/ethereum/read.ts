import { resultOf } from '../json-rpc.ts';
import { mayBeBehind, readingFor, STALE_READING } from '../plan-step.ts';
import type { Question, Reading } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import * as rpc from './calls.ts';
import { holderOf, readTokens } from './owned-tokens.ts';

/** The tokens of these wallets, as deep as transactions are confirmed. */
export async function read(chain: Ethereum, questions: readonly Question[]): Promise<Reading[]> {
  const { network } = chain;
  const [latest] = await chain.rpc([rpc.newestBlock]);
  const head = resultOf<rpc.Block | null>(latest);
  if (head === null || mayBeBehind(Number(head.timestamp), Date.now())) return questions.map(() => STALE_READING);
  const holders = questions.map(({ key }) => holderOf(chain, key));
  const confirmed = rpc.hex(Math.max(0, Number(head.number) - network.confirmations + 1));
  const { of } = await readTokens(
    chain,
    holders.filter((holder) => holder !== undefined),
    confirmed,
  );
  return holders.map((holder, index) => (holder ? readingFor(of.get(holder), questions[index]?.known) : NO_SLOT));
}

const NO_SLOT: Reading = { type: 'unreadable', why: 'not a gatekeeper network' };
