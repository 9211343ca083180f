import { askEach } from '../json-rpc.ts';
import type { Pairs } from '../pairs.ts';
import type { BroadcastResult, Signed } from '../port.ts';
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

/** The node has the transaction already. `unknown transaction type` must not match. */
const KNOWN = /already (known|imported|exists|in (the )?(mempool|pool))|\bknown transaction|alreadyknown/i;
const NO_FUNDS = /insufficient ?(funds|balance)|doesn't have enough funds|upfront cost exceeds account balance/i;

/** Clients word the same answer differently. The receipt decides whether the transaction lives, not this answer. */
function broadcastResultOf(answer: RpcAnswer): BroadcastResult {
  if (!('error' in answer)) return { type: 'accepted' };
  const { message } = answer.error;
  if (KNOWN.test(message)) return { type: 'accepted' };
  if (NO_FUNDS.test(message)) return { type: 'no-funds' };
  return { type: 'refused', why: message };
}
