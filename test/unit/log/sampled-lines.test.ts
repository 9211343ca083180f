import { expect, it } from 'vitest';
import { MINUTE_MS } from '../../../src/lib/units.ts';
import { shareOfLines } from '../../../src/log/log.ts';

const NOW = 1_800_000_000_000;
const sharesOf = (caller: string, lines: number, now: number) =>
  Array.from({ length: lines }, () => shareOfLines(caller, now));

it('logs the first hundred lines of a caller in a minute, and a hundredth of the others', () => {
  expect(sharesOf('flood', 1_000, NOW)).toEqual([...Array(100).fill(1), ...Array(900).fill(0.01)]);
});

it('logs the lines of one caller while another one floods, and all again in the next minute', () => {
  sharesOf('flood', 1_000, NOW);
  expect(sharesOf('another', 100, NOW)).toEqual(Array(100).fill(1));
  expect(sharesOf('flood', 1, NOW + MINUTE_MS)).toEqual([1]);
});
