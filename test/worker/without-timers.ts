import { vi } from 'vitest';

/** Does the work while no timer fires. It then ends because of an event, and not because a time is over. */
export async function withoutTimers<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}
