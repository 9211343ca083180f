import { describe, expect, it } from 'vitest';
import { parseWait, WAIT_MAX_SECONDS } from '../../../src/http/protocol/reply.ts';

const waitOf = (...lines: string[]) => parseWait(new Headers(lines.map((line): [string, string] => ['Prefer', line])));

/** A header that makes the parser try every combination takes much longer than this on any machine. */
const DESIGNED_TO_BE_SLOW_MS = 30_000;

describe('parseWait', () => {
  it.each<[number, string]>([
    [5, 'wait=5'],
    [5, 'WAIT=5'],
    [5, 'wait = 5'],
    [5, 'wait="5"'],
    [5, 'wait\t=\t"5"\t'],
    [7, 'wait=007'],
    [10, 'respond-async, wait=10'],
    [10, 'respond-async,wait=10,handling=lenient'],
    [4, ',, wait=4 ,'],
    [2, 'foo="a, wait=9", wait=2'],
    [2, String.raw`foo="\", wait=9", wait=2`],
    [2, 'foo=, bar="", wait=2'],
    [20, 'wait=20'],
    [5, 'foo bar, wait=5'],
    [5, 'wait=5, "'],
  ])('reads %i seconds from "%s"', (seconds, header) => {
    expect(waitOf(header)).toBe(seconds);
  });

  it.each(['wait=21', 'wait=3600', 'wait=99999999999999999999999999999999'])('reads "%s" as the maximum', (header) => {
    expect(waitOf(header)).toBe(WAIT_MAX_SECONDS);
  });

  it('reads the first of several wait preferences, whichever line it is on', () => {
    expect(waitOf('wait=3, wait=9')).toBe(3);
    expect(waitOf('respond-async', 'wait=3', 'wait=9')).toBe(3);
    expect(waitOf('wait=soon', 'wait=9')).toBe(9);
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
    'wait=5"',
    String.raw`wait="\15"`,
    'wait=5 seconds',
    'wait=5 5',
    'wait:5',
    'await=5',
    'return=minimal',
    'respond-async; wait=5',
    'wait=10; foo=bar; baz; qux="x;y"',
    'wait=5;;=',
    `wait=5, ${'x'.repeat(1_000)}`,
  ])('ignores "%s" without an error', (header) => {
    expect(waitOf(header)).toBe(0);
  });

  it.each([
    ' '.repeat(990),
    `wait${' '.repeat(990)}`,
    `wait=${'1'.repeat(990)}`,
    'wait='.repeat(190),
    '"\\'.repeat(490),
    'a;'.repeat(490),
    'a = '.repeat(240),
    ',"'.repeat(490),
  ])('reads a header that is designed to be slow within the time limit: %#', async (header) => {
    const started = performance.now();
    for (let count = 0; count < 100; count++) waitOf(`${header}x`);
    for (let count = 0; count < 100; count++) waitOf(`x${header}x`);
    // The runtime's clock advances only with I/O.
    await scheduler.wait(1);
    expect(performance.now() - started).toBeLessThan(DESIGNED_TO_BE_SLOW_MS);
  });

  it('reads every repeated pair of characters within the time limit', async () => {
    const parts = ['a', ';', '=', ' ', ',', '"', '\\'];
    const pairs = parts.flatMap((one) => parts.map((other) => one + other));
    const built = pairs.flatMap((one) => pairs.map((other) => `a${(one + other).repeat(14)}@/`));
    const started = performance.now();
    for (const header of built) waitOf(header);
    await scheduler.wait(1);
    expect(performance.now() - started).toBeLessThan(DESIGNED_TO_BE_SLOW_MS);
  });
});
