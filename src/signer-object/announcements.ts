import type { Milliseconds } from '../lib/brand.ts';
import { ANNOUNCE_AGAIN_MS } from './next-alarm.ts';
import { type Served, type StepEntry, unacknowledgedSteps } from './step-table.ts';

/** Outcomes that one alarm announces. */
const ANNOUNCE_MAX_STEPS = 1_000;

/** Which outcomes are to be announced: those that nobody has acknowledged, each again after a while. In memory only. */
export class Announcements {
  readonly #sql: SqlStorage;
  readonly #announcedAt = new Map<string, Milliseconds>();
  /** The last step of the page that was read; 0: the next page is the first. */
  #lastSeq = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether the next page has more outcomes. */
  get hasMore(): boolean {
    return this.#lastSeq > 0;
  }

  /** Returns the next page of outcomes to announce, and counts them as announced. */
  takeDue(served: Served, now: Milliseconds): StepEntry[] {
    for (const [id, at] of this.#announcedAt) if (now - at >= ANNOUNCE_AGAIN_MS) this.#announcedAt.delete(id);
    const page = unacknowledgedSteps(this.#sql, served, this.#lastSeq, ANNOUNCE_MAX_STEPS);
    this.#lastSeq = page.length < ANNOUNCE_MAX_STEPS ? 0 : (page.at(-1)?.seq ?? 0);
    const due = page.filter(({ step }) => !this.#announcedAt.has(step.id));
    for (const { step } of due) this.#announcedAt.set(step.id, now);
    return due;
  }

  /** The outcome was returned to a caller, which need not be notified soon. */
  countAsAnnounced(id: string, now: Milliseconds): void {
    this.#announcedAt.set(id, now);
  }

  /** The outcome was acknowledged. */
  forget(id: string): void {
    this.#announcedAt.delete(id);
  }
}
