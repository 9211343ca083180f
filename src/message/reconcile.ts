import * as v from 'valibot';
import { within } from '../lib/with-timeout.ts';
import { SEND_TIMEOUT_MS } from './process-pass.ts';

/**
 * Message for the next slice of the reconciliation. It names its night, so that a message of an earlier night does nothing.
 * It may arrive twice, late or not at all.
 */
const Reconcile = v.object({ kind: v.literal('reconcile'), night: v.pipe(v.number(), v.integer()) });

/** Enqueues the next slice. `night` in Unix seconds. */
export async function sendReconcile(queue: Queue, night: number): Promise<void> {
  const sent = queue.send({ kind: 'reconcile', night } satisfies v.InferOutput<typeof Reconcile>);
  await within(SEND_TIMEOUT_MS, sent, 'the queue');
}

/** Returns the night in Unix seconds; undefined for any other body. */
export function parseReconcile(body: unknown): number | undefined {
  const result = v.safeParse(Reconcile, body);
  return result.success ? result.output.night : undefined;
}
