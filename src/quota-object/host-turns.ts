import type { Milliseconds } from '../lib/units.ts';

/** Maximum number of deliveries to a host in any second. */
export const TURNS_PER_SECOND = 20;
/** Turns at equal distances: after a delay, bursts would meet. */
const DISTANCE_MS = 1_000 / TURNS_PER_SECOND;

/** Spreads the deliveries to each host. In memory only, so a restart forgets the turns of the next moments. */
export class HostTurns {
  /** When the next turn of each host begins. */
  readonly #next = new Map<string, Milliseconds>();

  /** Takes the next turns at a host, and returns how long to wait for each. Takes none if the first one is later than `maxMs`. */
  take(host: string, count: number, now: Milliseconds, maxMs = Number.POSITIVE_INFINITY): Milliseconds[] {
    for (const [each, next] of this.#next) if (next <= now) this.#next.delete(each);
    const first = this.#next.get(host) ?? now;
    if (first - now > maxMs) return [];
    this.#next.set(host, first + count * DISTANCE_MS);
    return Array.from({ length: count }, (_, turn) => first + turn * DISTANCE_MS - now);
  }
}
