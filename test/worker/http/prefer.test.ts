import { expect, it } from 'vitest';
import { parseWait, WAIT_MAX_SECONDS } from '../../../src/http/protocol/prefer.ts';

/** What is read of `Prefer` (RFC 7240): how many seconds somebody would wait. */

const asked = (...lines: string[]) => parseWait(new Headers(lines.map((line): [string, string] => ['Prefer', line])));

it.each<[number, string]>([
  [5, 'wait=5'],
  [5, 'WAIT=5'],
  [5, 'wait = 5'],
  [5, 'wait="5"'],
  [15, String.raw`wait="\15"`],
  [7, 'wait=007'],
  [10, 'respond-async, wait=10'],
  [10, 'respond-async,wait=10,handling=lenient'],
  [10, 'wait=10; foo=bar; baz; qux="x;y"'],
  [4, ',, wait=4 ,'],
  [2, 'foo="a, wait=9", wait=2'],
  [2, String.raw`foo="\", wait=9", wait=2`],
  [2, 'foo=, bar="", wait=2'],
  [20, 'wait=20'],
])('%i seconds: %s', (seconds, header) => {
  expect(asked(header)).toBe(seconds);
});

it.each(['wait=21', 'wait=3600', 'wait=99999999999999999999999999999999'])('at the most so long: %s', (header) => {
  expect(asked(header)).toBe(WAIT_MAX_SECONDS);
});

it('of several the first counts, on whatever line it is (§2)', () => {
  expect(asked('wait=3, wait=9')).toBe(3);
  expect(asked('respond-async', 'wait=3', 'wait=9')).toBe(3);
  expect(asked('wait=soon', 'wait=9')).toBe(0);
});

it.each([
  '',
  'wait',
  'wait=',
  'wait=""',
  'wait=0',
  'wait=-1',
  'wait=+1',
  'wait=1.5',
  'wait=0x10',
  'wait=five',
  'wait="5',
  'wait=5 seconds',
  'wait:5',
  'await=5',
  'return=minimal',
  // A parameter of another preference.
  'respond-async; wait=5',
  // Not of the form, as a whole.
  'foo bar, wait=5',
  'wait=5, "',
  'wait=5;;=',
  `wait=5, ${'x'.repeat(1_000)}`,
])('nothing is asked, and nothing refused: %s', (header) => {
  expect(asked(header)).toBe(0);
});

it.each([' '.repeat(990), '"\\'.repeat(490), 'a;'.repeat(490), 'a = '.repeat(240), ',"'.repeat(490)])(
  'what is built to be slow is not: %#',
  (header) => {
    const started = performance.now();
    for (let count = 0; count < 100; count++) asked(`x${header}x`);
    expect(performance.now() - started).toBeLessThan(1_000);
  },
);

it('nor is anything else: whatever is repeated, it is read in one way', async () => {
  const parts = ['a', ';', '=', ' ', ',', '"', '\\'];
  const pairs = parts.flatMap((one) => parts.map((other) => one + other));
  const built = pairs.flatMap((one) => pairs.map((other) => `a${(one + other).repeat(14)}@/`));
  const started = performance.now();
  for (const header of built) asked(header);
  // Here the clock stands still while nothing but computing goes on.
  await scheduler.wait(1);
  expect(performance.now() - started).toBeLessThan(1_000);
});
