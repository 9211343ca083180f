import { backoff } from '../lib/backoff.ts';
import type { BatchSize } from './json-rpc-batch.ts';

/**
 * Maximum size of one HTTP request, including the calls of `Identity`. Nodes limit both the number of calls and the size, and
 * show their limits only by refusing a request.
 */
const BATCH_MAX: BatchSize = { calls: 200, bytes: 1_000_000 };
/**
 * How long an endpoint keeps a learned size before the service tries twice that size. The reason may have been temporary, so the
 * first time is short. It doubles each time that the endpoint refuses the larger size.
 */
const KEPT_MIN_MS = 30_000;
const KEPT_MAX_MS = 10 * 60_000;

/** The size of the requests that an endpoint accepts. In memory only: another isolate learns it again. */
export class LearnedSize {
  #accepted = BATCH_MAX;
  #keptUntil = 0;
  #refusals = 0;

  /** Returns the number of calls to try after the endpoint has refused that many: the known size, or half if that is known. */
  callsAfterRefusalOf(calls: number): number {
    const known = this.#accepted.calls;
    return calls > known ? known : Math.ceil(calls / 2);
  }

  /** Returns the maximum size of the next requests. */
  next(): BatchSize {
    const { calls, bytes } = this.#accepted;
    if (this.#keptUntil > Date.now()) return this.#accepted;
    return { calls: Math.min(2 * calls, BATCH_MAX.calls), bytes: Math.min(2 * bytes, BATCH_MAX.bytes) };
  }

  /** Keeps a size that the endpoint accepted after it had refused a larger one. */
  learn(size: BatchSize): void {
    this.#accepted = size;
    this.#keptUntil = Date.now() + backoff(KEPT_MIN_MS, this.#refusals, KEPT_MAX_MS);
    this.#refusals += 1;
  }

  /** Records that the endpoint accepted a request of that size. */
  accept({ calls, bytes }: BatchSize): void {
    const known = this.#accepted;
    if (calls <= known.calls && bytes <= known.bytes) return;
    this.#refusals = 0;
    this.#accepted = { calls: Math.max(calls, known.calls), bytes: Math.max(bytes, known.bytes) };
  }
}
