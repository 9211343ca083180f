import type { Account } from './runtime.ts';

/** Bytes that count for the bookkeeping of an account. */
const ACCOUNT_OVERHEAD = 128n;
/** Lamports per byte before SIMD-0437 lowered the rent in steps. */
export const FIRST_RENT = 6_960n;
/** The other fields of the sysvar `Rent`: a factor, 1 since SIMD-0194, and the part of the rent that is burnt. */
export const RENT_THRESHOLD = 1;
export const RENT_BURNT_PERCENT = 50;

/** Returns the lamports that make an account of `size` bytes rent-exempt. An account with this balance is kept forever. */
export function rentExemptMinimum(size: number | bigint, lamportsPerByte = FIRST_RENT): bigint {
  return (ACCOUNT_OVERHEAD + BigInt(size)) * lamportsPerByte;
}

/**
 * Whether a transaction may leave an account in this state: deleted, rent-exempt, or still below the minimum with the same size and no
 * more lamports (agave: `transition_allowed` of rent states).
 */
export function isRentChangeAllowed(
  before: Account | undefined,
  after: Account | undefined,
  lamportsPerByte: bigint,
): boolean {
  const isExempt = ({ lamports, data }: Account) => lamports >= rentExemptMinimum(data.length, lamportsPerByte);
  if (after === undefined || isExempt(after) || after.lamports === 0n) return true;
  if (before === undefined || isExempt(before) || before.lamports === 0n) return false;
  return after.data.length === before.data.length && after.lamports <= before.lamports;
}
