/** Totals of a signer since its store exists. They only grow. */
export interface Totals {
  /** Number of confirmed issuances. */
  readonly issued: number;
  /** Number of steps that the chain refuses for good. */
  readonly failed: number;
  /** Number of transactions whose block left the chain. */
  readonly reorged: number;
  /** Confirmed steps, by the time from the first signature to the confirmation. */
  readonly confirmations: {
    readonly count: number;
    readonly seconds: number;
    /** Number of steps by the upper bound of the bucket in seconds. A step counts in one bucket. A step beyond the last bound counts in none. */
    readonly buckets: Readonly<Record<string, number>>;
  };
}

/** Upper bounds of the buckets. A block takes from half a second to twelve seconds, and a stuck transaction minutes. */
export const BUCKETS_SECONDS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800] as const;

const NONE: Totals = { issued: 0, failed: 0, reorged: 0, confirmations: { count: 0, seconds: 0, buckets: {} } };

export function readTotals({ kv }: Pick<DurableObjectStorage, 'kv'>): Totals {
  return kv.get<Totals>('totals') ?? NONE;
}

/** The growth of the totals by one commit. */
export interface Growth {
  issued: number;
  failed: number;
  reorged: number;
  /** Seconds from the first signature to the confirmation, one entry for each step. */
  readonly confirmedAfter: number[];
}

export const noGrowth = (): Growth => ({ issued: 0, failed: 0, reorged: 0, confirmedAfter: [] });

/** Adds to the totals, with one row at most. The caller runs it in the commit of the work that it counts. */
export function addToTotals(storage: Pick<DurableObjectStorage, 'kv'>, growth: Growth): void {
  const { issued, failed, reorged, confirmedAfter } = growth;
  if (issued + failed + reorged + confirmedAfter.length === 0) return;
  const before = readTotals(storage);
  const buckets: Record<string, number> = { ...before.confirmations.buckets };
  for (const seconds of confirmedAfter) {
    const bound = BUCKETS_SECONDS.find((each) => seconds <= each);
    if (bound !== undefined) buckets[bound] = (buckets[bound] ?? 0) + 1;
  }
  const { count, seconds } = before.confirmations;
  storage.kv.put('totals', {
    issued: before.issued + issued,
    failed: before.failed + failed,
    reorged: before.reorged + reorged,
    confirmations: {
      count: count + confirmedAfter.length,
      seconds: seconds + confirmedAfter.reduce((sum, each) => sum + each, 0),
      buckets,
    },
  } satisfies Totals);
}
