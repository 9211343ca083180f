import { waitUntil } from 'cloudflare:workers';
import { sendCounts, time } from '../counts/counts.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/time.ts';
import { withinTogether } from '../lib/with-timeout.ts';
import { parseReconcile } from '../message/queue.ts';
import { type Backend, openBackend, storeListeners } from '../operations/backend.ts';
import { openStore } from '../store/store.ts';
import { storeDeadLetterBatch } from './dead-letters.ts';
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
