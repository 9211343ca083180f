import { waitUntil } from 'cloudflare:workers';
import { parseReconcile } from '../message/reconcile.ts';
import { storeDeadLetterBatch } from './dead-letters.ts';
import { claimPasses, processPasses } from './process-passes.ts';
import { reconcile } from './reconcile.ts';

/** So many batches of an isolate may go on by themselves; the next one keeps its place in the queue. */
const MAX_BATCHES_ASIDE = 8;
let batchesAside = 0;

/** One batch of a queue, each message by whom it is for. */
export async function consume(batch: MessageBatch, env: Env): Promise<void> {
  if (batch.queue.endsWith('-dead')) return storeDeadLetterBatch(batch, env);
  const isSlice = ({ body }: Message) => parseReconcile(body) !== undefined;
  const slices = batch.messages.filter(isSlice);
  const looks = batch.messages.filter((message) => !isSlice(message));
  const settled = claimPasses(looks, env).then((looked) => setAside(processPasses(looked, env)));
  await Promise.all([settled, reconcile(slices, env)]);
}

/**
 * Has the queue hand out the next batch while this one is with its signers, which mostly wait for their nodes: what comes
 * together is signed and sent together. The messages are acknowledged by then, or will come again.
 */
function setAside(work: Promise<void>): Promise<void> | undefined {
  if (batchesAside >= MAX_BATCHES_ASIDE) return work;
  batchesAside += 1;
  waitUntil(
    work.finally(() => {
      batchesAside -= 1;
    }),
  );
  return undefined;
}
