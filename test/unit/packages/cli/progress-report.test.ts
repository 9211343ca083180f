import { describe, expect, it } from 'vitest';
import { reportAsLines, reportCount, timeLeft } from '../../../../packages/cli/src/progress-report.ts';
import { RUN_PROGRESS } from '../../../../packages/cli/src/run/progress.ts';

describe('the estimate of the remaining time', () => {
  it.each([
    [9_000, 1_000, 9.9, 'remaining time not known yet'],
    [99_990, 10, 60, 'remaining time not known yet'],
    [100, 0, 3_600, 'remaining time not known yet'],
    [9_000, 1_000, 10, '1 min 30 s left'],
    [1, 1, 7_260, '2 h 1 min left'],
    [0, 7, 20, '0 s left'],
  ])('with %i to do and %i done in %d s is "%s"', (rest, done, seconds, words) => {
    expect(timeLeft(rest, done, seconds)).toBe(words);
  });
});

it('without a terminal, a run prints a line every five seconds', () => {
  let now = 0;
  const lines: string[] = [];
  const report = reportAsLines(
    RUN_PROGRESS,
    (line) => lines.push(line),
    () => now,
  );
  for (let second = 0; second <= 12; second += 1) {
    now = second * 1_000;
    report.update({ total: 100, accepted: 50, settled: second * 2, failed: 0 });
  }
  report.stop();
  expect(lines).toEqual([
    '10 %, 50 of 100 accepted, 10 settled, 0 failed, 2.0 per second, remaining time not known yet',
    '20 %, 50 of 100 accepted, 20 settled, 0 failed, 2.0 per second, 40 s left',
  ]);
});

it('a search without a known end prints a line every five seconds', () => {
  let now = 0;
  const lines: string[] = [];
  const report = reportCount(
    (line) => lines.push(line),
    (count) => `${count} passes so far`,
    () => now,
  );
  for (let second = 0; second <= 12; second += 1) {
    now = second * 1_000;
    report(second * 100);
  }
  expect(lines).toEqual(['500 passes so far', '1000 passes so far']);
});
