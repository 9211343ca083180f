import type { Account } from './runtime.ts';

/** Bytes that the bookkeeping of an account is counted as. */
const ACCOUNT_OVERHEAD = 128n;
/** 3,480 lamports per byte and year, for two years: an account that holds as much is kept for ever. */
const LAMPORTS_PER_BYTE = 6_960n;

/** The lamports that an account of `size` bytes must hold to be rent-exempt. */
export function rentExemptMinimum(size: number | bigint): bigint {
  return (ACCOUNT_OVERHEAD + BigInt(size)) * LAMPORTS_PER_BYTE;
}

/**
 * Whether a transaction may leave an account so: gone, rent-exempt, or as short of the minimum as it was before and no
 * longer, nor richer (agave: `transition_allowed` of rent states).
 */
export function isRentChangeAllowed(before: Account | undefined, after: Account | undefined): boolean {
  if (after === undefined || isExempt(after) || after.lamports === 0n) return true;
  if (before === undefined || isExempt(before) || before.lamports === 0n) return false;
  return after.data.length === before.data.length && after.lamports <= before.lamports;
}

function isExempt({ lamports, data }: Account): boolean {
  return lamports >= rentExemptMinimum(data.length);
}
