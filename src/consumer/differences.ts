import { log } from '../log/log.ts';
import type { Counts, Difference } from '../store/reconciliations.ts';

/** Why a pass could not be compared this time. */
export type Skipped =
  | 'object-unreachable'
  /** Too many passes of the pair seem to have lost their token: nothing changes until the operator accepts it. */
  | 'held'
  | 'signer-not-configured'
  | 'busy'
  | 'not-final'
  | 'unreadable';

/** Counts the results of a slice, and logs each difference. */
export class Tally {
  readonly #counts: Record<string, number> = {};

  get counts(): Counts {
    return this.#counts;
  }

  count(what: 'passes' | Difference | Skipped, times = 1): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + times;
  }

  report(what: Difference, { id, key }: { readonly id: string; readonly key: { readonly network: string } }): void {
    log('reconciliation.difference', { difference: what, pass: id, network: key.network });
    this.count(what);
  }
}

export function addCounts(a: Counts, b: Counts): Counts {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}
