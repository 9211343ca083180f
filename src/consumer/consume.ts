import { waitUntil } from 'cloudflare:workers';
import { sendCounts, time } from '../counts/counts.ts';
import { MINUTE_MS, type Milliseconds, nowSeconds, SECOND_MS } from '../lib/units.ts';
import { withinTogether } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { parseProcessPass, parseReconcile } from '../message/queue.ts';
import { type Backend, openBackend, storeListeners } from '../operations/backend.ts';
import type { DeadLetter } from '../store/dead-letters.ts';
import { openStore, type Store } from '../store/store.ts';
import { claimPasses, processPasses } from './process-passes.ts';

/** Maximum number of batches that an isolate continues in the background. Any other batch keeps its place in the queue. */
const MAX_BATCHES_ASIDE = 8;
/** The platform may end background work without notice, so a batch that takes longer than this no longer counts. */
const ASIDE_MAX_MS = MINUTE_MS;
/** When each batch was set aside, by a key that is unique to the batch. */
const batchesAside = new Map<symbol, Milliseconds>();

/** Counts the time of each message from its sending until this delivery. */
function timeInQueue({ queue, messages }: MessageBatch): void {
  const kind = queue.endsWith('-dead') ? 'dead' : queue.endsWith('-bulk-passes') ? 'bulk' : 'single';
  for (const { timestamp } of messages) time('queueSeconds', [kind], (Date.now() - timestamp.getTime()) / SECOND_MS);
}

/** Handles one batch of a queue: dead letters, passes to process, slices of the reconciliation. */
export async function consume(batch: MessageBatch, env: Env): Promise<void> {
  timeInQueue(batch);
  try {
    await consumeBatch(batch, env);
  } finally {
    sendCounts(env);
  }
}

async function consumeBatch(batch: MessageBatch, env: Env): Promise<void> {
  const backend = openBackend(env, openStore(env, storeListeners(env)), withinTogether());
  if (batch.queue.endsWith('-dead')) return storeDeadLetterBatch(batch, backend.store);
  const isSlice = ({ body }: Message) => parseReconcile(body) !== undefined;
  const slices = batch.messages.filter(isSlice);
  const passes = batch.messages.filter((message) => !isSlice(message));
  // Bulk requests keep their place in the queue until they are done: batches in the background are for waiting users.
  if (batch.queue.endsWith('-bulk-passes')) return processPasses(await claimPasses(passes, backend), backend);
  await Promise.all([claimAndProcess(passes, env, backend), reconcileSlices(slices, env, backend)]);
}

async function reconcileSlices(slices: readonly Message[], env: Env, backend: Backend): Promise<void> {
  if (slices.length === 0) return;
  const { reconcile } = await import('./reconcile.ts');
  await reconcile(slices, env, backend);
}

/**
 * Claims the passes of a batch and processes them in the background. The queue may deliver the next batch meanwhile, because
 * signers mostly wait for their nodes, and they sign and send together the steps that arrive together. A claimed message is
 * acknowledged or will be delivered again.
 */
async function claimAndProcess(messages: readonly Message[], env: Env, backend: Backend): Promise<void> {
  const work = processPasses(await claimPasses(messages, backend), backend);
  const now = Date.now();
  for (const [batch, since] of batchesAside) if (now - since >= ASIDE_MAX_MS) batchesAside.delete(batch);
  if (batchesAside.size >= MAX_BATCHES_ASIDE) return work;
  const batch = Symbol('batch');
  batchesAside.set(batch, now);
  waitUntil(
    work.finally(() => {
      batchesAside.delete(batch);
      sendCounts(env);
    }),
  );
}

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
