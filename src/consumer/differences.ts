import { log } from '../log/log.ts';
import type { Counts } from '../store/reconciliations.ts';

/** Where the read model, a pass object and the chain did not agree, and what became of it. */
export type Difference =
  /** A row without a pass: for a person to see. */
  | 'no-pass-object'
  /** Written anew. */
  | 'row-missing'
  | 'row-stale'
  | 'row-altered'
  /** Its alarm was set. */
  | 'no-alarm'
  /** Others changed it on the chain, and it was taken over. */
  | 'changed-on-chain';

/** Why a pass could not be compared this time. */
export type Skipped =
  | 'object-unreachable'
  /** Too many passes there seem to have lost their token: nothing changes until the operator accepts it. */
  | 'held'
  | 'signer-not-configured'
  | 'busy'
  | 'not-final'
  | 'unreadable';

/** Counts what a slice meets; tells each difference as it is found. */
export class Tally {
  readonly #counts: Record<string, number> = {};

  get counts(): Counts {
    return this.#counts;
  }

  count(what: 'passes' | Difference | Skipped, times = 1): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + times;
  }

  report(what: Difference, { id, key }: { readonly id: string; readonly key: { readonly network: string } }): void {
    log('difference', { what, pass: id, network: key.network });
    this.count(what);
  }
}

export function addCounts(a: Counts, b: Counts): Counts {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}
