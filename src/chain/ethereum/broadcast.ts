import { errorKindOf } from '../error-kind.ts';
import { askEach } from '../json-rpc.ts';
import type { Pairs } from '../pairs.ts';
import type { BroadcastResult, Signed } from '../port.ts';
import { notNow } from '../reasons.ts';
import type { RpcAnswer } from '../rpc-answer.ts';
import type { Ethereum } from './context.ts';
import * as calls from './rpc.ts';

/** Hands the bytes to the nodes. */
export async function broadcast<T extends { readonly signed: Signed }>(
  { rpc }: Pick<Ethereum, 'rpc'>,
  transactions: readonly T[],
): Promise<Pairs<T, BroadcastResult>> {
  const answered = await askEach(rpc, transactions, ({ signed }) => calls.sendRaw(signed.bytes));
  return answered.map(([transaction, answer]) => [transaction, broadcastResultOf(answer)]);
}

/** The receipt decides whether the transaction lives, not this answer. */
function broadcastResultOf(answer: RpcAnswer): BroadcastResult {
  if (!('error' in answer)) return { type: 'accepted' };
  const kind = errorKindOf(answer.error);
  if (kind === 'known') return { type: 'accepted' };
  return kind === 'no-funds' ? notNow('no-funds') : notNow('broadcast-refused', answer.error.message);
}
