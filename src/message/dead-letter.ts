/** Sends bodies once more as they were; all of them together must not be larger than 256 KB, and at most 100. */
export async function resendMessages(queue: Queue, bodies: readonly string[]): Promise<void> {
  if (bodies.length > 0) await queue.sendBatch(bodies.map((body) => ({ body: JSON.parse(body) })));
}
