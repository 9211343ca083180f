import { nowSeconds } from '../lib/time.ts';
import { logFault } from '../log/log.ts';
import { parseProcessPass, parseReconcile } from '../message/queue.ts';
import type { DeadLetter } from '../store/dead-letters.ts';
import type { Store } from '../store/store.ts';

/** Maximum size of a stored body as JSON. One call can resend a hundred of them. The service's messages have a tenth of it. */
const BODY_MAX_BYTES = 2_048;

/**
 * Stores dead letters, so that the operator can see them and send them again. No work is lost with them, because the alarms
 * of the passes continue.
 */
export async function storeDeadLetterBatch(batch: Pick<MessageBatch, 'messages'>, store: Store): Promise<void> {
  for (const { id, body } of batch.messages) {
    const pass = parseProcessPass(body)?.pass;
    logFault('queue.dead_letter', reasonOf(body), { message: id, pass: pass && { ...pass } });
  }
  try {
    await store.storeDeadLetters(batch.messages.map(deadLetterOf));
    for (const message of batch.messages) message.ack();
  } catch (fault) {
    logFault('queue.dead_letters_not_stored', fault, { messages: batch.messages.length });
    for (const message of batch.messages) message.retry();
  }
}

function deadLetterOf({ id, body }: Message): DeadLetter {
  const json = JSON.stringify(body) ?? 'null';
  const isKept = new TextEncoder().encode(json).length <= BODY_MAX_BYTES;
  const at = nowSeconds();
  return { id, at, reason: reasonOf(body), ...(isKept && { body: json }) };
}

function reasonOf(body: unknown): string {
  if (parseProcessPass(body) !== undefined) return 'its pass object could not be reached';
  return parseReconcile(body) === undefined ? 'unreadable' : 'its slice could not be reconciled';
}
