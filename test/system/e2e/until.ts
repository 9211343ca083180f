import { setTimeout as sleep } from 'node:timers/promises';

/** Reads until what is read is as it should be, and answers with it. Throws with what was read last. */
export async function until<T>(read: () => Promise<T>, isRight: (value: T) => boolean, withinMs = 30_000): Promise<T> {
  for (const deadline = Date.now() + withinMs; ; await sleep(200)) {
    const value = await read();
    if (isRight(value)) return value;
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${JSON.stringify(value)}`);
  }
}
