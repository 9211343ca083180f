import { inject } from 'vitest';

/** Returns the rows of one of two tests that differ only in the order of their endpoints: half of them, and all in the long form. */
export function halfOf<T>(rows: readonly T[], test: 0 | 1): readonly T[] {
  return inject('form') === 'long' ? rows : rows.filter((_, index) => index % 2 === test);
}
