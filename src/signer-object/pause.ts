import { backoff } from '../lib/backoff.ts';

/** Why the signer as a whole sends nothing, and until when (milliseconds). */
export interface Pause {
  readonly until: number;
  readonly why: string;
  readonly times: number;
}

const PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

export function currentPause({ kv }: DurableObjectStorage, now: number): Pause | undefined {
  const pause = kv.get<Pause>('pause');
  return pause !== undefined && now < pause.until ? pause : undefined;
}

/** Pauses the signer, longer each time; nothing fails, and it tries again by itself. */
export function pauseSigner({ kv }: DurableObjectStorage, why: string, now: number): void {
  const times = kv.get<Pause>('pause')?.times ?? 0;
  kv.put<Pause>('pause', { why, times: times + 1, until: now + backoff(PAUSE_MS, times, LONGEST_PAUSE_MS) });
}

export function resumeSigner({ kv }: DurableObjectStorage): void {
  if (kv.get('pause') !== undefined) kv.delete('pause');
}
