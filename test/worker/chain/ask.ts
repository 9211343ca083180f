import { expect } from 'vitest';
import {
  type BroadcastResult,
  type ChainPort,
  type InclusionStatus,
  type InFlightTransaction,
  KmsFault,
  type Pairs,
  type PrepareResult,
  type Question,
  type Reading,
  type Signed,
} from '../../../src/chain/port.ts';
import type { Step } from '../../../src/pass/step.ts';
import { defaultContract } from '../../default-contract.ts';

/** The contract of the steps whose transactions are replaced. */
const CONTRACT = defaultContract({ network: 'sepolia' });

/** The methods of a port without the items of their pairs. Each checks that the port returns the items in their order. */

function answersOf<Asked, Answer>(asked: readonly Asked[], pairs: Pairs<Asked, Answer>): Answer[] {
  expect(pairs).toHaveLength(asked.length);
  for (const [index, [each]] of pairs.entries()) expect(each).toBe(asked[index]);
  return answersIn(pairs);
}

/** Returns the answers of pairs. */
export function answersIn<Answer>(pairs: Pairs<unknown, Answer>): Answer[] {
  return pairs.map(([, answer]) => answer);
}

export async function prepareAll(chain: ChainPort, steps: readonly Step[], unmined = 0): Promise<PrepareResult[]> {
  const requests = steps.map((step) => ({ step }));
  return answersOf(requests, (await chain.prepare(requests, unmined)).results);
}

export async function readAll(chain: ChainPort, questions: readonly Question[]): Promise<Reading[]> {
  return answersOf(questions, await chain.read(questions));
}

export async function broadcastAll(chain: ChainPort, signed: readonly Signed[]): Promise<BroadcastResult[]> {
  const transactions = signed.map((each) => ({ signed: each }));
  return answersOf(transactions, await chain.broadcast(transactions));
}

export async function trackAll(
  chain: ChainPort,
  transactions: readonly InFlightTransaction[],
): Promise<InclusionStatus[]> {
  return answersOf(transactions, await chain.track(transactions));
}

/** Returns the signed fillers of gaps in the nonces. */
export async function fillersOf(
  chain: Pick<ChainPort, 'signGapFillers'>,
  nonces: readonly number[],
  earlier?: ReadonlyMap<number, string>,
): Promise<(Signed & { readonly nonce: number })[]> {
  return (await chain.signGapFillers(nonces, earlier)).map(([nonce, filler]) => {
    if (filler instanceof KmsFault) throw filler;
    return { nonce, ...filler };
  });
}

export async function replaceAll(
  chain: ChainPort,
  signed: readonly Signed[],
  contract = CONTRACT,
): Promise<(Signed | undefined)[]> {
  const transactions = signed.map((each) => ({ step: { contract } as Step, signed: each }));
  const answers = answersOf(transactions, await chain.replaceTransactions(transactions));
  return answers.map((answer) => {
    if (answer instanceof KmsFault) throw answer;
    return answer;
  });
}
