import { backoff } from '../lib/backoff.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { HOUR_MS, SECOND_MS } from '../lib/time.ts';
import type { ProcessPass } from '../message/queue.ts';
import { passIdOf } from '../pass/step.ts';
import type { Signer } from './signer.ts';

/** Maximum number of outcomes that are announced at once. */
const ANNOUNCE_MAX_STEPS = 1_000;
/** How long the signer waits for the acknowledgment of an outcome before it announces the outcome again. */
export const ANNOUNCE_AGAIN_MS = 30 * SECOND_MS;
/**
 * Longest delay between two announcements. While a database is unavailable or full, its passes cannot be published, so
 * nobody acknowledges their outcomes. Announcing them must cost little.
 */
const ANNOUNCE_AGAIN_MAX_MS = HOUR_MS;

interface Announced {
  readonly times: number;
  readonly againAt: Milliseconds;
}

/** Selects the outcomes to announce: unacknowledged ones, each repeatedly with a growing delay. In memory only. */
export class Announcements {
  readonly #announced = new Map<string, Announced>();
  /** Whether more outcomes are due than were taken. */
  hasMore = false;

  /** Returns the messages of outcomes to announce, and counts these as announced. */
  takeDue({ name, steps }: Pick<Signer, 'name' | 'steps'>, now: Milliseconds): ProcessPass[] {
    const due = [...steps.outcomes()].filter(({ id }) => (this.#announced.get(id)?.againAt ?? now) <= now);
    const taken = due.slice(0, ANNOUNCE_MAX_STEPS);
    this.hasMore = taken.length < due.length;
    for (const { id } of taken) this.countAsAnnounced(id, now);
    return taken.map(({ id, key }) => ({ pass: key, news: { signer: name, id: passIdOf(id) } }));
  }

  /** Records that the outcome was announced, or returned to a caller, so that the next announcement comes later. */
  countAsAnnounced(id: string, now: Milliseconds): void {
    const times = this.#announced.get(id)?.times ?? 0;
    const againAt = now + backoff(ANNOUNCE_AGAIN_MS, times, ANNOUNCE_AGAIN_MAX_MS);
    this.#announced.set(id, { times: times + 1, againAt });
  }

  /** Forgets an outcome that was acknowledged. */
  forget(id: string): void {
    this.#announced.delete(id);
  }
}
