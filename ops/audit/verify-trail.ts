import { type ChainedEntry, hashOf, TRAIL_START, type TrailPlace } from '../../src/audit/entry.ts';

/** An entry as the service shows it. It has further fields, and `hash` is the last one. */
export interface ShownEntry {
  readonly sequence: number;
  readonly previous: string;
  readonly action: string;
  readonly target: object;
  readonly hash: string;
}

/** A part of a trail, with the ends of the whole trail at that time. */
export interface TrailPart {
  readonly entries: readonly ShownEntry[];
  readonly start: TrailPlace;
  readonly head: TrailPlace;
}

/** Returns the entry as its trail stores it. */
export function chainedOf({ hash, ...entry }: ShownEntry): ChainedEntry {
  return { text: JSON.stringify(entry), hash };
}

/**
 * Verifies a trail part by part, oldest first. A deletion by retention is no fault if an entry accounts for it. Somebody who can write
 * the storage can compute all hashes again, or cut the end: only a head from the log shows that.
 */
export class TrailVerifier {
  readonly findings: string[] = [];
  /** The number of entries that were read. */
  count = 0;
  readonly #heads: readonly TrailPlace[];
  readonly #seen = new Set<number>();
  readonly #deleted: TrailPlace[] = [];
  #place: TrailPlace | undefined;
  #start: TrailPlace = TRAIL_START;
  #head: TrailPlace = TRAIL_START;

  /** @param heads Heads from the log, which the trail must have. */
  constructor(heads: readonly TrailPlace[]) {
    this.#heads = heads;
  }

  /** Verifies the next part. */
  add({ entries, start, head }: TrailPart): void {
    this.#start = start;
    this.#head = head;
    // The service may delete old entries while they are read.
    if (this.#place === undefined || start.sequence > this.#place.sequence) this.#place = start;
    for (const entry of entries) this.#place = this.#verify(entry, this.#place);
  }

  /** Verifies the ends after the last part, and returns everything that was found. */
  finish(): readonly string[] {
    const place = this.#place ?? TRAIL_START;
    if (!isSame(place, this.#head))
      this.findings.push(
        `the trail ends at ${nameOf(place)}, and the service says that it ends at ${nameOf(this.#head)}`,
      );
    const isExplained = this.#start.sequence === 0 || this.#deleted.some((deleted) => isSame(deleted, this.#start));
    if (!isExplained) this.findings.push(`no entry accounts for the deletion up to ${nameOf(this.#start)}`);
    for (const head of this.#heads) {
      if (this.#seen.has(head.sequence)) continue;
      if (isSame(head, this.#start)) continue;
      if (head.sequence > place.sequence) this.findings.push(`the end was cut: the log has ${nameOf(head)}`);
      else if (head.sequence > this.#start.sequence) this.findings.push(`${nameOf(head)} of the log is missing`);
      else this.findings.push(`${nameOf(head)} of the log proves nothing: it is deleted. Use a later head`);
    }
    return this.findings;
  }

  /** Returns the place after the entry. */
  #verify(entry: ShownEntry, place: TrailPlace): TrailPlace {
    const { sequence, previous, hash } = entry;
    const { text } = chainedOf(entry);
    const faults: string[] = [];
    if (hashOf(text) !== hash) faults.push('was changed: its hash is not that of its text');
    if (sequence <= place.sequence) faults.push(`is out of order: it follows entry ${place.sequence}`);
    else if (sequence > place.sequence + 1)
      faults.push(`follows a gap: entries ${place.sequence + 1} to ${sequence - 1} are missing`);
    else if (previous !== place.hash) faults.push(`does not follow entry ${place.sequence}: it names another hash`);
    for (const head of this.#heads)
      if (head.sequence === sequence && head.hash !== hash) faults.push('differs from the head in the log');
    this.findings.push(...faults.map((fault) => `entry ${sequence} ${fault}`));
    this.count += 1;
    this.#seen.add(sequence);
    const { upTo, hash: last } = entry.target as { upTo?: number; hash?: string };
    if (entry.action === 'audit.delete' && upTo !== undefined) this.#deleted.push({ sequence: upTo, hash: last ?? '' });
    return { sequence, hash };
  }
}

const isSame = (a: TrailPlace, b: TrailPlace) => a.sequence === b.sequence && a.hash === b.hash;
const nameOf = ({ sequence, hash }: TrailPlace) => `${sequence}:${hash.slice(0, 16)}`;

/** Returns the head in the form SEQUENCE:HASH; undefined for any other text. */
export function parseHead(text: string): TrailPlace | undefined {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  return sequence === undefined || hash === undefined ? undefined : { sequence: Number(sequence), hash };
}
