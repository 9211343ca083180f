import { within } from '../lib/with-timeout.ts';
import { SEND_TIMEOUT_MS } from './process-pass.ts';

/** Sends the bodies again unchanged: at most 100, and at most 256 KB together. */
export async function resendMessages(queue: Queue, bodies: readonly string[]): Promise<void> {
  if (bodies.length === 0) return;
  const sent = queue.sendBatch(bodies.map((body) => ({ body: JSON.parse(body) })));
  await within(SEND_TIMEOUT_MS, sent, 'the queue');
}
