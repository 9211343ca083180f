/** Sends the bodies again unchanged: at most 100, and at most 256 KB together. */
export async function resendMessages(queue: Queue, bodies: readonly string[]): Promise<void> {
  if (bodies.length > 0) await queue.sendBatch(bodies.map((body) => ({ body: JSON.parse(body) })));
}
