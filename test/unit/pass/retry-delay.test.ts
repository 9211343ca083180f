import { expect, it } from 'vitest';
import { retryDelayMs } from '../../../src/pass/retry-delay.ts';
import { anActivePass, aPass, NOW } from './a-pass.ts';

const [SECOND, MINUTE] = [1000, 60_000];
const EXPECTED = 27 * SECOND;

const unpinned = aPass();
const pinned = aPass({ step: { held: false } });
const bulk = { ...pinned, issuanceRank: 2 };
const held = aPass({ step: { held: true } });
const renewed = anActivePass({ wanted: { expiry: NOW + 1 }, onChain: { expiry: NOW } });

it.each`
  what                     | pass        | tries  | delay
  ${'not pinned'}          | ${unpinned} | ${0}   | ${10 * SECOND}
  ${'not pinned'}          | ${unpinned} | ${1}   | ${20 * SECOND}
  ${'pinned but not held'} | ${pinned}   | ${0}   | ${10 * SECOND}
  ${'pinned but not held'} | ${pinned}   | ${2}   | ${40 * SECOND}
  ${'pinned but not held'} | ${pinned}   | ${3}   | ${MINUTE}
  ${'pinned but not held'} | ${pinned}   | ${60}  | ${MINUTE}
  ${'pinned but not held'} | ${pinned}   | ${61}  | ${2 * MINUTE}
  ${'pinned but not held'} | ${pinned}   | ${500} | ${15 * MINUTE}
  ${'issued in bulk'}      | ${bulk}     | ${0}   | ${MINUTE}
  ${'held by the signer'}  | ${held}     | ${0}   | ${2 * EXPECTED}
  ${'held by the signer'}  | ${held}     | ${1}   | ${4 * EXPECTED}
  ${'held by the signer'}  | ${held}     | ${4}   | ${32 * EXPECTED}
  ${'held by the signer'}  | ${held}     | ${5}   | ${64 * EXPECTED}
  ${'held by the signer'}  | ${held}     | ${500} | ${60 * MINUTE}
  ${'to be renewed'}       | ${renewed}  | ${0}   | ${10 * SECOND}
`('returns $delay ms after $tries tries for a pass that is $what', ({ pass, tries, delay }) => {
  expect(retryDelayMs(pass, tries, EXPECTED)).toBe(delay);
});

it('returns growing delays up to an hour for a settled pass, because it may not be published yet', () => {
  const delays = [0, 1, 2, 3, 6, 7, 50].map((tries) => retryDelayMs(anActivePass(), tries, EXPECTED));
  expect(delays).toEqual([...delays].sort((a, b) => a - b));
  expect(delays[0]).toBeGreaterThan(0);
  expect(delays[0]).toBeLessThan(MINUTE);
  expect(delays.at(-3)).toBeLessThan(60 * MINUTE);
  expect(delays.slice(-2)).toEqual([60 * MINUTE, 60 * MINUTE]);
});

it('returns at least 10 s on a fast chain, because the signer notifies the pass object anyway', () => {
  expect(retryDelayMs(held, 0, SECOND)).toBe(10 * SECOND);
  expect(retryDelayMs(held, 1, SECOND)).toBe(20 * SECOND);
});

it.each([SECOND, EXPECTED, 15 * MINUTE])(
  'leads to at most 30 alarms per day after the first hour for a held step with %d ms',
  (expected) => {
    const HOUR = 60 * MINUTE;
    const alarms: number[] = [];
    for (let at = 0; at < 25 * HOUR; at = alarms.at(-1) ?? 0)
      alarms.push(at + retryDelayMs(held, alarms.length, expected));
    expect(alarms.filter((at) => at > HOUR).length).toBeLessThanOrEqual(30);
  },
);

it('leads to at most 96 alarms per day after the first two hours while no signer takes the step', () => {
  const HOUR = 60 * MINUTE;
  const alarms: number[] = [];
  for (let at = 0; at < 26 * HOUR; at = alarms.at(-1) ?? 0)
    alarms.push(at + retryDelayMs(pinned, alarms.length, EXPECTED));
  expect(alarms.filter((at) => at > 2 * HOUR && at <= 26 * HOUR).length).toBeLessThanOrEqual(96);
});
