import { readReconcile } from '../message/reconcile.ts';
import { buryDeadLetters } from './dead-letters.ts';
import { reconcile } from './reconcile.ts';
import { settle } from './settle.ts';

/** One batch of a queue, each message by whom it is for. */
export async function consume(batch: MessageBatch, env: Env): Promise<void> {
  if (batch.queue.endsWith('-dead')) return buryDeadLetters(batch, env);
  const isSlice = ({ body }: Message) => readReconcile(body) !== undefined;
  const slices = batch.messages.filter(isSlice);
  const looks = batch.messages.filter((message) => !isSlice(message));
  await Promise.all([settle({ messages: looks }, env), reconcile(slices, env)]);
}
