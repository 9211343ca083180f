import { setTimeout as sleep } from 'node:timers/promises';

/** Reads repeatedly and resolves to the first value that is right. Throws an error with the last value after `withinMs`. */
export async function pollUntil<T>(
  read: () => Promise<T>,
  isRight: (value: T) => boolean,
  withinMs = 90_000,
): Promise<T> {
  for (const deadline = Date.now() + withinMs; ; await sleep(200)) {
    const value = await read();
    if (isRight(value)) return value;
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${JSON.stringify(value)}`);
  }
}
