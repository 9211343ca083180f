import { expect, it } from 'vitest';
import { remedyOf } from '../../../src/operator/remedies.ts';
import { explainLasting, PROGRESS, type StuckReason, WAIT_REASONS, waitedMs } from '../../../src/pass/wait-reasons.ts';

/** Reasons that should end by themselves, and do not. */

const TIMES = { inclusionMs: 60_000, finalityMs: 900_000 };
const DAY_MS = 86_400_000;

const reasons = Object.entries({ ...WAIT_REASONS, ...PROGRESS }).map(
  ([code, row]) => ({ code, text: typeof row === 'string' ? row : row.text }) as StuckReason,
);
const [ending = [], others = []] = [true, false].map((ends) =>
  reasons.filter((reason) => ends === (remedyOf(reason) === 'Nothing: it ends by itself.')),
);

it('no reason ends by itself once it has lasted ten times as long as usual', () => {
  expect(ending.length).toBeGreaterThan(5);
  for (const reason of ending) {
    const lasting = explainLasting(reason, TIMES, DAY_MS, undefined);
    expect(remedyOf(lasting), reason.code).toContain('RPC_ENDPOINTS');
    expect(lasting.text).toContain(`${reason.text} (for 1440 minutes)`);
  }
});

it.each`
  code                | forMs        | isLasting
  ${'sent'}           | ${599_999}   | ${false}
  ${'sent'}           | ${600_000}   | ${true}
  ${'mint-not-final'} | ${8_999_999} | ${false}
  ${'mint-not-final'} | ${9_000_000} | ${true}
  ${'not-simulated'}  | ${599_999}   | ${false}
  ${'not-simulated'}  | ${600_000}   | ${true}
  ${'sent'}           | ${undefined} | ${false}
`('the reason $code has lasted after $forMs ms: $isLasting', ({ code, forMs, isLasting }) => {
  expect('isLasting' in explainLasting({ code, text: 'it waits' }, TIMES, forMs, undefined)).toBe(isLasting);
});

it('names at once what the nodes are known to withhold', () => {
  const reason = explainLasting({ code: 'sent', text: 'sent' }, TIMES, 0, 'eth_getTransactionReceipt shows nothing');
  expect(reason).toMatchObject({ text: 'sent (eth_getTransactionReceipt shows nothing)' });
  expect(remedyOf(reason)).toContain('block explorer');
});

it('leaves a reason with a remedy of its own as it is', () => {
  expect(others.length).toBeGreaterThan(5);
  for (const reason of others) expect(explainLasting(reason, TIMES, DAY_MS, 'eth_call')).toEqual(reason);
});

it('knows how long a step was postponed in a row', () => {
  // 2, 4, 8, 16, 32, then 60 s each.
  expect(waitedMs('not-simulated', 0)).toBe(0);
  expect(waitedMs('not-simulated', 3)).toBe(14_000);
  expect(waitedMs('not-simulated', 7)).toBe(182_000);
});
