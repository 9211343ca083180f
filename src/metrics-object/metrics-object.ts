import { DurableObject } from 'cloudflare:workers';
import { COUNTED, type Counts, keyOf, OTHER_PARTNERS, partsOf } from '../counts/counted.ts';
import type { Batch } from '../counts/counts.ts';
import { SECOND_MS } from '../lib/units.ts';
import { type Activity, labeledPartners, withRequests } from './busiest.ts';

/** The sums as the object stores them, in one row. */
interface Sums {
  readonly counts: Map<string, number>;
  activity: Activity;
  /** The partners that are a label, the busiest first. */
  labeled: readonly string[];
  /** The newest batch of each isolate that sent one lately: a batch whose answer got lost arrives again. */
  readonly batches: Map<string, number>;
}

/** The sums of all isolates. */
interface CountedSums {
  readonly counts: Counts;
  /** The partners that are a label, the busiest first. */
  readonly partners: readonly string[];
}

const KEY = 'sums';
/** The sums are written at most this often. An idle object may end after ten seconds. */
const STORE_EVERY_MS = 5 * SECOND_MS;
/** Maximum number of sums, and of the characters of their keys. More need not fit into the row, which has at most 2 MB. */
const MAX_SUMS = 20_000;
const MAX_CHARS = 1_000_000;
const MAX_BATCHES = 1_000;
/** The place of the partner among the labels of `requests`. */
const PARTNER = COUNTED.requests.indexOf('partner');

/**
 * Adds up the counts of all isolates. They are in memory, and a row every five seconds keeps them: an object that ends without notice
 * loses the last ones.
 */
export class MetricsObject extends DurableObject<Env> {
  #known: Sums | undefined;
  #isStoring = false;

  /** Adds a batch of an isolate, unless it was added before. */
  async add({ isolate, n, counts }: Batch): Promise<void> {
    const sums = this.#sums();
    if ((sums.batches.get(isolate) ?? 0) >= n) return;
    this.#chooseLabels(sums, counts);
    const labeled = new Set(sums.labeled);
    let chars = [...sums.counts.keys()].reduce((sum, { length }) => sum + length, 0);
    for (const [key, by] of Object.entries(counts)) {
      const label = labelOf(key, labeled);
      const known = sums.counts.get(label);
      if (known === undefined) {
        if (sums.counts.size === MAX_SUMS || chars + label.length > MAX_CHARS) continue;
        chars += label.length;
      }
      sums.counts.set(label, (known ?? 0) + by);
    }
    // Insert it as the newest entry; the oldest one makes room.
    sums.batches.delete(isolate);
    sums.batches.set(isolate, n);
    const [oldest] = sums.batches.keys();
    if (sums.batches.size > MAX_BATCHES && oldest !== undefined) sums.batches.delete(oldest);
    this.#storeSoon();
  }

  /** Returns the sums. */
  async read(): Promise<CountedSums> {
    const { counts, labeled: partners } = this.#sums();
    return { counts: Object.fromEntries(counts), partners };
  }

  #sums(): Sums {
    this.#known ??= this.ctx.storage.kv.get<Sums>(KEY) ?? {
      counts: new Map(),
      activity: { halvedAt: Date.now(), weights: {} },
      labeled: [],
      batches: new Map(),
    };
    return this.#known;
  }

  /** Chooses the partners that are a label after these requests. */
  #chooseLabels(sums: Sums, counts: Counts): void {
    const before = sums.labeled;
    sums.activity = withRequests(sums.activity, requestsByPartner(counts), Date.now());
    sums.labeled = labeledPartners(sums.activity, before);
    const gone = new Set(before.filter((partner) => !sums.labeled.includes(partner)));
    if (gone.size === 0) return;
    // The sums of a partner that is no label any longer end: added to the others, they would look like new requests.
    for (const key of sums.counts.keys()) if (gone.has(partnerOf(key) ?? '')) sums.counts.delete(key);
  }

  /** A timer and no alarm, which would write a second row. */
  #storeSoon(): void {
    if (this.#isStoring) return;
    this.#isStoring = true;
    setTimeout(() => {
      this.#isStoring = false;
      this.ctx.storage.kv.put(KEY, this.#sums());
    }, STORE_EVERY_MS);
  }
}

function requestsByPartner(counts: Counts): ReadonlyMap<string, number> {
  const requests = new Map<string, number>();
  for (const [key, n] of Object.entries(counts)) {
    const partner = partnerOf(key);
    if (partner && partner !== OTHER_PARTNERS) requests.set(partner, (requests.get(partner) ?? 0) + n);
  }
  return requests;
}

/** Returns the partner of a count of requests: empty if it is unknown. Undefined: it counts no requests. */
function partnerOf(key: string): string | undefined {
  const { name, labels } = partsOf(key);
  return name === 'requests' ? labels[PARTNER] : undefined;
}

/** Returns the key under which the sum is. */
function labelOf(key: string, labeled: ReadonlySet<string>): string {
  const partner = partnerOf(key);
  if (!partner || labeled.has(partner)) return key;
  return keyOf('requests', partsOf(key).labels.with(PARTNER, OTHER_PARTNERS));
}
