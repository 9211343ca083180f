import { setTimeout as sleep } from 'node:timers/promises';

/** Reads until a value is right, and resolves to it. Throws with the last value after `withinMs`. */
export async function pollUntil<T>(
  read: () => Promise<T>,
  isRight: (value: T) => boolean,
  withinMs = 30_000,
): Promise<T> {
  for (const deadline = Date.now() + withinMs; ; await sleep(200)) {
    const value = await read();
    if (isRight(value)) return value;
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${JSON.stringify(value)}`);
  }
}
