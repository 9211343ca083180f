import { askEach } from '../json-rpc.ts';
import type { Pairs } from '../pairs.ts';
import type { BroadcastResult, Signed } from '../port.ts';
import { notNow } from '../reasons.ts';
import type { RpcAnswer } from '../rpc-answer.ts';
import type { Solana } from './context.ts';
import { lacksFunds, nameOf } from './refusal.ts';

/** No preflight and no retries: `prepare` simulated the call, and the signer repeats the broadcast itself. */
const OPTIONS = { encoding: 'base64', skipPreflight: true, maxRetries: 0 } as const;

/** Hands the bytes to the nodes. */
export async function broadcast<T extends { readonly signed: Signed }>(
  { send }: Pick<Solana, 'send'>,
  transactions: readonly T[],
): Promise<Pairs<T, BroadcastResult>> {
  const answered = await askEach(send, transactions, ({ signed }) => ({
    method: 'sendTransaction',
    params: [signed.bytes, OPTIONS],
  }));
  return answered.map(([transaction, answer]) => [transaction, broadcastResultOf(answer)]);
}

/** Some nodes simulate the transaction although preflight is off. Its status decides its fate, not this answer. */
function broadcastResultOf(answer: RpcAnswer): BroadcastResult {
  if (!('error' in answer)) return { type: 'accepted' };
  const { message, data } = answer.error;
  const { err } = Object(data) as { err?: unknown };
  if (nameOf(err) === 'AlreadyProcessed') return { type: 'accepted' };
  return lacksFunds(err) ? notNow('no-funds') : notNow('broadcast-refused', message);
}
