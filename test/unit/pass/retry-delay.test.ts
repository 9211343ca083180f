import { expect, it } from 'vitest';
import { retryDelayMs } from '../../../src/pass/retry-delay.ts';
import { anActivePass, aPass, NOW } from './a-pass.ts';

const [SECOND, MINUTE] = [1000, 60_000];
const EXPECTED = 27 * SECOND;

const unpinned = aPass();
const pinned = aPass({ step: { held: false } });
const held = aPass({ step: { held: true } });
const renewed = anActivePass({ wanted: { expiry: NOW + 1 }, onChain: { expiry: NOW } });

it.each`
  what                    | pass        | tries  | delay
  ${'not taken yet'}      | ${unpinned} | ${0}   | ${10 * SECOND}
  ${'not taken yet'}      | ${unpinned} | ${1}   | ${20 * SECOND}
  ${'not held yet'}       | ${pinned}   | ${0}   | ${10 * SECOND}
  ${'not held yet'}       | ${pinned}   | ${2}   | ${40 * SECOND}
  ${'not held yet'}       | ${pinned}   | ${3}   | ${MINUTE}
  ${'not held yet'}       | ${pinned}   | ${500} | ${MINUTE}
  ${'held by the signer'} | ${held}     | ${0}   | ${2 * EXPECTED}
  ${'held by the signer'} | ${held}     | ${1}   | ${4 * EXPECTED}
  ${'held by the signer'} | ${held}     | ${4}   | ${32 * EXPECTED}
  ${'held by the signer'} | ${held}     | ${5}   | ${15 * MINUTE}
  ${'held by the signer'} | ${held}     | ${500} | ${15 * MINUTE}
  ${'renewed'}            | ${renewed}  | ${0}   | ${10 * SECOND}
`('a pass that is $what, after $tries tries: $delay ms', ({ pass, tries, delay }) => {
  expect(retryDelayMs(pass, tries, EXPECTED)).toBe(delay);
});

it('leaves a settled pass alone for longer and longer, but looks after its projection', () => {
  const delays = [0, 1, 2, 3, 50].map((tries) => retryDelayMs(anActivePass(), tries, EXPECTED));
  expect(delays).toEqual([...delays].sort((a, b) => a - b));
  expect(delays[0]).toBeGreaterThan(0);
  expect(delays[0]).toBeLessThan(MINUTE);
  expect(delays.at(-1)).toBe(MINUTE);
});

it('does not hurry where a chain is fast: the signer tells of what it sees by itself', () => {
  expect(retryDelayMs(held, 0, SECOND)).toBe(10 * SECOND);
  expect(retryDelayMs(held, 1, SECOND)).toBe(20 * SECOND);
});
