import { logFault } from '../log/log.ts';
import { parseProcessPass } from '../message/process-pass.ts';
import { parseReconcile } from '../message/reconcile.ts';
import type { DeadLetter } from '../store/dead-letters.ts';
import type { Store } from '../store/store.ts';

/** In bytes of JSON: a hundred of them can be sent again at once. Our own messages have a tenth of it. */
const BODY_MAX_BYTES = 2_048;

/**
 * Messages that were given up. Nothing is lost with them, the passes' alarms go on; they are kept for the operator to see,
 * and to send again.
 */
export async function storeDeadLetterBatch(batch: Pick<MessageBatch, 'messages'>, store: Store): Promise<void> {
  for (const { id, body } of batch.messages) {
    const pass = parseProcessPass(body)?.pass;
    logFault('dead-letter', reasonOf(body), { message: id, pass: pass && { ...pass } });
  }
  try {
    await store.storeDeadLetters(batch.messages.map(deadLetterOf));
    for (const message of batch.messages) message.ack();
  } catch (fault) {
    logFault('dead-letters-not-kept', fault, { count: batch.messages.length });
    for (const message of batch.messages) message.retry();
  }
}

function deadLetterOf({ id, body }: Message): DeadLetter {
  const json = JSON.stringify(body) ?? 'null';
  const isKept = new TextEncoder().encode(json).length <= BODY_MAX_BYTES;
  const at = Math.floor(Date.now() / 1000);
  return { id, at, reason: reasonOf(body), ...(isKept && { body: json }) };
}

function reasonOf(body: unknown): string {
  if (parseProcessPass(body) !== undefined) return 'its pass object could not be reached';
  return parseReconcile(body) === undefined ? 'unreadable' : 'its slice could not be reconciled';
}
