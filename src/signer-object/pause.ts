import { backoff } from '../lib/backoff.ts';
import { logFault } from '../log/log.ts';
import type { Signer } from './signer.ts';

/** Why the whole signer sends nothing, and until when (milliseconds). */
export interface Pause {
  readonly until: number;
  readonly why: string;
  readonly times: number;
}

const PAUSE_MIN_MS = 2_000;
const PAUSE_MAX_MS = 60_000;

export function currentPause({ kv }: DurableObjectStorage, now: number): Pause | undefined {
  const pause = kv.get<Pause>('pause');
  return pause !== undefined && now < pause.until ? pause : undefined;
}

/** Pauses the signer, longer each time. No step fails, and the signer tries again by itself. */
export function pauseSigner({ name, storage: { kv } }: Signer, why: string): void {
  const times = kv.get<Pause>('pause')?.times ?? 0;
  const ms = backoff(PAUSE_MIN_MS, times, PAUSE_MAX_MS);
  kv.put<Pause>('pause', { why, times: times + 1, until: Date.now() + ms });
  logFault('signer.paused', why, { signer: name, times: times + 1, pause_ms: ms });
}

export function resumeSigner({ kv }: DurableObjectStorage): void {
  if (kv.get('pause') !== undefined) kv.delete('pause');
}
