import type { Platform } from '../platform/platform.ts';
import { coveragesOf } from './database.ts';

/** Counts of alarms and requests. */
export interface Activity {
  /** Number of alarms that fired, by the name of the object. */
  readonly alarms: ReadonlyMap<string, number>;
  /** Number of requests to nodes. */
  readonly requests: number;
}

/** Observations of the time after the rest, when the Worker has little to do. */
export class IdleTime {
  /** How old the coverage of a network was at most. */
  lagSeconds = 0;
  /** How often the alarm of each object fired in a minute, by its name. */
  wakes: ReadonlyMap<string, number> = new Map();
  /** Number of requests to nodes in a minute. */
  requests = 0;
  /** Its beginning (Unix milliseconds). */
  readonly begun: number;
  readonly #platform: Platform;

  constructor(platform: Platform) {
    this.begun = platform.scheduler.now;
    this.#platform = platform;
  }

  noteLag(): void {
    const now = this.#platform.scheduler.now / 1_000;
    const ages = coveragesOf(this.#platform).map((until) => now - until);
    this.lagSeconds = Math.max(this.lagSeconds, ...ages);
  }

  /** Notes what the Worker did between two counts. @param seconds The time between them. */
  noteActivity(before: Activity, after: Activity, seconds: number): void {
    const perMinute = (count: number) => count / (seconds / 60);
    this.requests = perMinute(after.requests - before.requests);
    this.wakes = new Map(
      [...after.alarms].map(([label, count]) => [label, perMinute(count - (before.alarms.get(label) ?? 0))]),
    );
  }
}
