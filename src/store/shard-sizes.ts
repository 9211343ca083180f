import { FILLING_SHARE, FULL_SHARE } from '../config/database-limit.ts';
import type { Milliseconds } from '../lib/brand.ts';
import type { Shard } from './shards.ts';

/** A shard that is running out of room. */
export interface FillingShard {
  readonly shard: string;
  readonly bytes: number;
  /** Of the configured maximum. */
  readonly percent: number;
}

const WARNING_INTERVAL_MS = 3_600_000;
const FRESH_MS = 60_000;

interface Measured {
  readonly bytes: number;
  readonly at: Milliseconds;
}

/** By shard. All stores of an isolate share what D1 told one of them. */
const measured = new Map<string, Measured>();
const warnedAt = new Map<string, Milliseconds>();

/** Reads no row: D1 reports its size with every answer. */
const ASK_SIZE = "SELECT key FROM gatekeeper_networks WHERE key = ''";

/** How full the shards are. D1 reports the size with its answers, so knowing it costs nothing. */
export class ShardSizes {
  readonly #maxBytes: () => number;
  readonly #onFilling: (shard: FillingShard) => void;

  constructor(maxBytes: () => number, onFilling: (shard: FillingShard) => void) {
    this.#maxBytes = maxBytes;
    this.#onFilling = onFilling;
  }

  /** Takes in the size that came with an answer of the shard. */
  note(shard: string, meta: { readonly size_after?: number } | undefined, now = Date.now()): void {
    const bytes = meta?.size_after;
    if (bytes === undefined) return;
    measured.set(shard, { bytes, at: now });
    const share = bytes / this.#maxBytes();
    if (share < FILLING_SHARE || now - (warnedAt.get(shard) ?? -Infinity) < WARNING_INTERVAL_MS) return;
    warnedAt.set(shard, now);
    this.#onFilling({ shard, bytes, percent: Math.floor(share * 100) });
  }

  /** Whether the shard has room for new passes. Unknown counts as room: the next publication tells. */
  async hasRoom({ name, db }: Shard, now = Date.now()): Promise<boolean> {
    if (!this.#isFull(name)) return true;
    // No new pass is published there now, so nothing else may notice that there is room again.
    if (now - (measured.get(name)?.at ?? 0) >= FRESH_MS) this.note(name, (await db.prepare(ASK_SIZE).all()).meta, now);
    return !this.#isFull(name);
  }

  #isFull(shard: string): boolean {
    return (measured.get(shard)?.bytes ?? 0) >= FULL_SHARE * this.#maxBytes();
  }
}
