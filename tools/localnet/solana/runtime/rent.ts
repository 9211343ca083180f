import type { Account } from './runtime.ts';

/** Bytes that count for the bookkeeping of an account. */
const ACCOUNT_OVERHEAD = 128n;
/** 3,480 lamports per byte and year, for two years. An account with this balance is kept forever. */
const LAMPORTS_PER_BYTE = 6_960n;

/** Returns the lamports that make an account of `size` bytes rent-exempt. */
export function rentExemptMinimum(size: number | bigint): bigint {
  return (ACCOUNT_OVERHEAD + BigInt(size)) * LAMPORTS_PER_BYTE;
}

/**
 * Whether a transaction may leave an account in this state: deleted, rent-exempt, or still below the minimum with the same size and no
 * more lamports (agave: `transition_allowed` of rent states).
 */
export function isRentChangeAllowed(before: Account | undefined, after: Account | undefined): boolean {
  if (after === undefined || isExempt(after) || after.lamports === 0n) return true;
  if (before === undefined || isExempt(before) || before.lamports === 0n) return false;
  return after.data.length === before.data.length && after.lamports <= before.lamports;
}

function isExempt({ lamports, data }: Account): boolean {
  return lamports >= rentExemptMinimum(data.length);
}
