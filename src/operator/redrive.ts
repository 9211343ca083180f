import { type Cursor, formatCursor } from '../lib/cursor.ts';
import { nowSeconds } from '../lib/time.ts';
import { logFault } from '../log/log.ts';
import { reachObject } from '../message/call-object.ts';
import { resendMessages, trySendProcessPasses } from '../message/queue.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { Backend } from '../operations/backend.ts';
import type { PassKey } from '../pass/pass.ts';
import type { DeadLetter } from '../store/dead-letters.ts';

/** The number of passes or messages that a request retries. */
export interface RedriveResult {
  readonly redriven: number;
  /** Whether another request can retry more. */
  readonly more: boolean;
  /** Position after which the next request continues. */
  readonly next?: string | undefined;
}

const REQUEST_MAX_PASSES = 500;

/**
 * Retries a pass now; undefined if there is no such pass. Nothing is ever done twice: steps are pinned, and their signer adds
 * each of them once.
 */
export async function redrivePass(key: PassKey, backend: Backend): Promise<RedriveResult | undefined> {
  const pass = await redriveObject(key, backend);
  if (pass === undefined) return undefined;
  await retryAll([pass], backend);
  return { redriven: 1, more: false };
}

/** Retries the passes that have been unsettled for longer than `olderThanSeconds`, oldest first. */
export async function redriveStuck(
  { olderThanSeconds, after }: { olderThanSeconds: number; after?: Cursor | undefined },
  backend: Backend,
): Promise<RedriveResult> {
  const before = nowSeconds() - olderThanSeconds;
  const { passes: stuck, unread } = await backend.store.findUnsettled({ before, limit: REQUEST_MAX_PASSES, after });
  if (unread.length > 0) logFault('database.unread', 'databases do not answer', { databases: unread.join() });
  // An object that cannot be reached does not keep the others from it.
  const redriven = await Promise.all(
    stuck.map(({ key, id }) => reachObject(() => redriveObject(key, backend), 'pass', id)),
  );
  const passes = redriven.filter((pass) => pass !== undefined);
  await retryAll(passes, backend);
  const last = stuck.length === REQUEST_MAX_PASSES ? stuck.at(-1) : undefined;
  const next = last && formatCursor({ at: last.since, id: last.id });
  return { redriven: passes.length, more: next !== undefined, next };
}

interface RedrivenPass {
  readonly key: PassKey;
  readonly signer: SignerName;
  readonly step?: { readonly id: string } | undefined;
}

async function redriveObject(key: PassKey, { passObject }: Backend): Promise<RedrivenPass | undefined> {
  const pass = await passObject(key).redrive();
  return pass && { key, ...pass };
}

async function retryAll(passes: readonly RedrivenPass[], backend: Backend): Promise<void> {
  const bySigner = Map.groupBy(passes, ({ signer }) => signer);
  await Promise.all([...bySigner].map(([signer, group]) => retrySteps(signer, group, backend)));
  const messages = passes.map(({ key }) => ({ pass: key }));
  // If the messages are lost, the alarms of the passes soon do the same.
  await trySendProcessPasses(backend.queue, messages);
}

/** Makes a signer retry these steps now. A signer that cannot be reached retries them later by itself. */
async function retrySteps(
  signer: SignerName,
  passes: readonly RedrivenPass[],
  { signerObject }: Backend,
): Promise<void> {
  const steps = passes.flatMap(({ key: { gatekeeperNetwork }, step }) =>
    step === undefined ? [] : { id: step.id, gatekeeperNetwork },
  );
  if (steps.length > 0) await reachObject(async () => signerObject(signer).retryNow(steps), 'signer', signer);
}

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
