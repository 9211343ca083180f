import { waitUntil } from 'cloudflare:workers';
import { FILLING_SHARE } from '../config/bindings.ts';
import { FreshValue } from '../lib/fresh-value.ts';
import { HOUR_MS, MINUTE_MS, type Milliseconds } from '../lib/units.ts';
import { answerInTime } from './d1-circuit-breaker.ts';
import { READ_NOTHING } from './partners.ts';
import type { Shard } from './shards.ts';

/** A shard that is almost full. */
export interface FillingShard {
  readonly shard: string;
  readonly bytes: number;
  /** Percentage of the configured maximum. */
  readonly percent: number;
}

const WARNING_INTERVAL_MS = HOUR_MS;
const AGES = { freshMs: MINUTE_MS, usableMs: Number.POSITIVE_INFINITY };
const ANSWER_TIMEOUT_MS = 10_000;

/** The last size of each shard in bytes. All stores of an isolate share it. */
const measured = new Map<string, FreshValue<number>>();
const warnedAt = new Map<string, Milliseconds>();

function sizeOf(shard: string): FreshValue<number> {
  const known = measured.get(shard) ?? new FreshValue<number>(AGES, waitUntil);
  measured.set(shard, known);
  return known;
}

/** Tracks the sizes of the shards. D1 reports the size with every answer, so the store rarely needs a query for it. */
export class ShardSizes {
  readonly #maxBytes: () => number;
  readonly #onFilling: ((shard: FillingShard) => void) | undefined;

  /** @param onFilling Called with a shard that is almost full. Without it, other stores of the isolate warn. */
  constructor(maxBytes: () => number, onFilling: ((shard: FillingShard) => void) | undefined) {
    this.#maxBytes = maxBytes;
    this.#onFilling = onFilling;
  }

  /** Records the size from an answer of the shard, and warns if the shard is almost full. */
  note(shard: string, meta: { readonly size_after?: number } | undefined, now = Date.now()): void {
    const bytes = meta?.size_after;
    if (bytes === undefined) return;
    sizeOf(shard).set(bytes, now);
    const share = bytes / this.#maxBytes();
    if (this.#onFilling === undefined || share < FILLING_SHARE) return;
    if (now - (warnedAt.get(shard) ?? -Infinity) < WARNING_INTERVAL_MS) return;
    warnedAt.set(shard, now);
    this.#onFilling({ shard, bytes, percent: Math.floor(share * 100) });
  }

  /**
   * Whether less than that share of the shard is full, from a size that is at most a minute old. In a full shard publications fail and
   * report no size, so this queries it. If the shard does not answer, its last size counts. An unknown size counts as room.
   */
  async hasRoom({ name, db }: Shard, share: number, now = Date.now()): Promise<boolean> {
    const bytes = await sizeOf(name)
      .get(() => this.#ask({ name, db }, now), now)
      .catch(() => 0);
    return (bytes ?? 0) < share * this.#maxBytes();
  }

  /** Returns the size of the shard as a share of the configured maximum. Throws if the shard does not answer. */
  async fullShareOf(shard: Shard, now = Date.now()): Promise<number> {
    return (await this.#ask(shard, now)) / this.#maxBytes();
  }

  async #ask({ name, db }: Shard, now: Milliseconds): Promise<number> {
    const { meta } = await answerInTime(db.prepare(READ_NOTHING).all(), ANSWER_TIMEOUT_MS);
    this.note(name, meta, now);
    return meta.size_after;
  }
}
