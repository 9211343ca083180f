/** The first and the last block of a log query. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** The number of blocks of the next range query. Providers limit blocks, logs and time, and show a limit only by refusing a query. */
export interface RangeSize {
  readonly blocks: number;
  /** How many successes must follow until the size grows. */
  readonly waits: number;
}

export const FIRST_RANGE: RangeSize = { blocks: 10_000, waits: 0 };
/** A refusal that repeats at every other query would double their number. */
const WAITS_AFTER_REFUSAL = 16;

export function growRange({ blocks, waits }: RangeSize): RangeSize {
  return waits > 0 ? { blocks, waits: waits - 1 } : { blocks: blocks * 2, waits };
}

/** Returns half the size of the refused query, or undefined if it had only one block. */
export function shrinkRange(refusedBlocks: number): RangeSize | undefined {
  return refusedBlocks > 1 ? { blocks: Math.floor(refusedBlocks / 2), waits: WAITS_AFTER_REFUSAL } : undefined;
}
