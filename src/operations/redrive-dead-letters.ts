import { logFault } from '../log/log.ts';
import { resendMessages } from '../message/dead-letter.ts';
import type { DeadLetter } from '../store/dead-letters.ts';
import type { Backend } from './backend.ts';
import type { RedriveResult } from './redrive-passes.ts';

/** Maximum size of one `sendBatch` of the queue, and number of batches per request. */
const BATCH_MAX_LETTERS = 100;
const REQUEST_MAX_BATCHES = 5;

/** Sends one dead letter again. Refuses if no letter has this id, or if the queue accepts nothing. */
export async function redriveDeadLetter(
  id: string,
  backend: Backend,
): Promise<RedriveResult | 'not-found' | 'queue-unavailable'> {
  const letter = await backend.store.findDeadLetter(id);
  if (letter === undefined) return 'not-found';
  const redriven = await resendDeadLetters([letter], backend);
  return redriven === undefined ? 'queue-unavailable' : { redriven, more: false };
}

/** Sends the dead letters again, newest first. Letters that were too large to keep stay in the list for the operator. */
export async function redriveDeadLetters(backend: Backend): Promise<RedriveResult | 'queue-unavailable'> {
  let redriven = 0;
  let after: DeadLetter | undefined;
  for (let batch = 0; batch < REQUEST_MAX_BATCHES; batch += 1) {
    const letters = await backend.store.findDeadLetters({ limit: BATCH_MAX_LETTERS, after });
    const resent = await resendDeadLetters(letters, backend);
    if (resent === undefined) return redriven === 0 ? 'queue-unavailable' : { redriven, more: true };
    redriven += resent;
    if (letters.length < BATCH_MAX_LETTERS) return { redriven, more: false };
    after = letters.at(-1);
  }
  return { redriven, more: true };
}

/** Sends the letters, then removes them: an interruption may repeat a letter, but loses none. Undefined if the queue refuses. */
async function resendDeadLetters(
  letters: readonly DeadLetter[],
  { store, queue }: Backend,
): Promise<number | undefined> {
  const whole = letters.filter(({ body }) => body !== undefined);
  const ids = whole.map(({ id }) => id);
  try {
    await resendMessages(
      queue,
      whole.map(({ body }) => body as string),
    );
  } catch (fault) {
    logFault('queue.send_failed', fault, { messages: ids.length });
    return undefined;
  }
  await store.removeDeadLetters(ids);
  return ids.length;
}
