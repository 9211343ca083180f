import { expect, it } from 'vitest';
import { reportWaits } from '../../../../packages/cli/src/run/report-waits.ts';

/** The lines of a run about its long waits. `test/system/packages/cli/long-wait.test.ts` runs the command. */

const retry = (pauseMs: number, more: object = {}) =>
  ({
    to: 'service',
    method: 'POST',
    url: 'https://a/passes',
    attempt: 1,
    type: 'retry',
    status: 429,
    pauseMs,
    ...more,
  }) as const;

function recorded() {
  const lines: string[] = [];
  const clock = { ms: 1_000_000 };
  const report = reportWaits(
    (line) => lines.push(line),
    () => clock.ms,
  );
  return { lines, clock, report };
}

it('says how long the run waits, and for which server', () => {
  const { lines, clock, report } = recorded();
  report(retry(60_100));
  clock.ms += 60_100;
  report(retry(7_000, { status: undefined }));
  clock.ms += 7_000;
  report(retry(3_600_000, { to: 'token', status: 503 }));
  expect(lines).toEqual([
    'waits 61 s: the service answered 429',
    'waits 7 s: the service gave no answer',
    'waits 3600 s: the authorization server answered 503',
  ]);
});

it('prints nothing about a short wait, a request or an answer', () => {
  const { lines, report } = recorded();
  report(retry(4_999));
  report(retry(60_000, { type: 'request' }));
  report(retry(60_000, { type: 'answer', requestId: undefined, durationMs: 60_000 }));
  expect(lines).toEqual([]);
});

it('prints one line about waits that end together, and another one about a longer wait', () => {
  const { lines, clock, report } = recorded();
  report(retry(60_000));
  clock.ms += 100;
  report(retry(60_000, { method: 'GET' }));
  report(retry(6_000));
  expect(lines).toHaveLength(1);
  report(retry(600_000));
  expect(lines).toHaveLength(2);
});
