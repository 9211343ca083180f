import { backoff } from '../lib/backoff.ts';
import type { Milliseconds } from '../lib/brand.ts';
import type { ProcessPass } from '../message/process-pass.ts';
import { passIdOf } from '../pass/step.ts';
import { ANNOUNCE_AGAIN_MS } from './next-alarm.ts';
import type { Signer } from './signer.ts';
import { unacknowledgedSteps } from './step-table.ts';

/** Maximum number of outcomes that one page announces. */
const ANNOUNCE_MAX_STEPS = 1_000;
/**
 * Longest delay between two announcements. While a database is unavailable or full, its passes cannot be published, so
 * nobody acknowledges their outcomes. Announcing them must cost little.
 */
const ANNOUNCE_AGAIN_MAX_MS = 3_600_000;

interface Announced {
  readonly times: number;
  readonly againAt: Milliseconds;
}

/** Selects the outcomes to announce: unacknowledged ones, each repeatedly with a growing delay. In memory only. */
export class Announcements {
  readonly #sql: SqlStorage;
  readonly #announced = new Map<string, Announced>();
  /** The last step of the page that was read last; 0: the next page is the first. */
  #lastSeq = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether the next page has more outcomes. */
  get hasMore(): boolean {
    return this.#lastSeq > 0;
  }

  /** Returns the messages of the next page of outcomes to announce, and counts these as announced. */
  takeDue({ name, network }: Pick<Signer, 'name' | 'network'>, now: Milliseconds): ProcessPass[] {
    const page = unacknowledgedSteps(this.#sql, network, this.#lastSeq, ANNOUNCE_MAX_STEPS);
    this.#lastSeq = page.length < ANNOUNCE_MAX_STEPS ? 0 : (page.at(-1)?.seq ?? 0);
    const due = page.filter(({ step }) => (this.#announced.get(step.id)?.againAt ?? now) <= now);
    for (const { step } of due) this.countAsAnnounced(step.id, now);
    return due.map(({ step: { id, key } }) => ({ pass: key, news: { signer: name, id: passIdOf(id) } }));
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
