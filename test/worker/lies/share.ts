import { inject } from 'vitest';

/**
 * Returns the rows that one of several tests takes, which differ in their endpoints. Each row is in one of them; in the long form, each
 * test has all rows.
 */
export function shareOf<T>(rows: readonly T[], test: number, tests: number): readonly T[] {
  return inject('form') === 'long' ? rows : rows.filter((_, index) => index % tests === test);
}
