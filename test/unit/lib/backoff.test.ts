import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backoff } from '../../../src/lib/units.ts';

it.each`
  base  | tries  | cap    | delay
  ${10} | ${0}   | ${900} | ${10}
  ${10} | ${1}   | ${900} | ${20}
  ${10} | ${2}   | ${900} | ${40}
  ${10} | ${6}   | ${900} | ${640}
  ${10} | ${7}   | ${900} | ${900}
  ${10} | ${1e6} | ${900} | ${900}
  ${50} | ${0}   | ${20}  | ${20}
`('returns $delay after $tries tries with the base $base and the cap $cap', ({ base, tries, cap, delay }) => {
  expect(backoff(base, tries, cap)).toBe(delay);
});

it('never returns a shorter delay for more tries, and never one above the cap', () => {
  const delays = fc.integer({ min: 1, max: 1e6 });
  fc.assert(
    fc.property(delays, fc.nat(1e6), delays, (base, tries, cap) => {
      const delay = backoff(base, tries, cap);
      expect(delay).toBeLessThanOrEqual(cap);
      expect(backoff(base, tries + 1, cap)).toBeGreaterThanOrEqual(delay);
    }),
  );
});
