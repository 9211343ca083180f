import { describe, expect, it } from 'vitest';
import { LONG } from '../form.ts';
import { playFreeze } from './run-races.ts';

const PASSES = LONG ? 10_000 : 2_000;

it(`a freeze of ${PASSES} passes reaches each network that works at once, and the other one when it is back`, async () => {
  const { code, stdout } = await playFreeze(PASSES);
  expect(stdout).toBe(`The freeze of ${PASSES} passes is right.\n`);
  expect(code).toBe(0);
});

describe('the freeze finds', () => {
  const file = 'subject-object/subject.ts';
  it.each([
    ['an alarm that changes all passes at once', 'stateChange: 50,', 'stateChange: 50_000,', 'passes change at once'],
    [
      'an end before all passes have followed',
      'const isEnd = isRound && later === 0',
      'const isEnd = isRound',
      'passes have followed at the end',
    ],
  ])('%s', async (_, text, becomes, fault) => {
    expect((await playFreeze(200, [{ file, text, becomes }])).stdout).toContain(fault);
  });
});
