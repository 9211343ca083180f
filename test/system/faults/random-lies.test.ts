import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { randomFrom } from './random.ts';
import { NO_FAULTS, type Severity } from './random-faults.ts';
import { withRandomLies } from './random-lies.ts';

const FAULT = { type: 'reset' } as const;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 0 }));
afterEach(() => void vi.useRealTimers());

/** A time in each phase: of faults, without faults, and of lies. */
const TIMES = { faults: 30_000, quiet: 80_000, lies: 120_000 };

it.each`
  time        | seen
  ${'faults'} | ${['reset,reset']}
  ${'quiet'}  | ${['none,none']}
  ${'lies'}   | ${['none,none', 'lie,none', 'none,lie']}
`('gives the endpoints of a node the faults $seen in the phase $time, with at most one liar', ({ time, seen }) => {
  const severity = { perRequest: 1, perSend: 1, hangMs: 0, lying: 0.5 };
  const faulty = () => FAULT;
  const found = Array.from({ length: 200 }, (_, seed) => {
    const endpoints = withRandomLies('ethereum', randomFrom(seed), () => severity, [faulty, faulty]);
    const ask = () => endpoints.map((faultOf) => faultOf([])?.type ?? 'none').join();
    vi.setSystemTime(0);
    ask();
    vi.setSystemTime(TIMES[time as keyof typeof TIMES]);
    return ask();
  });
  expect(new Set(found)).toEqual(new Set(seen));
});

it('lets no endpoint lie once the faults have ended', () => {
  let severity: Severity = { ...NO_FAULTS, lying: 1 };
  const endpoints = withRandomLies('solana', randomFrom(1), () => severity, [() => undefined, () => undefined]);
  const lying = () => endpoints.filter((faultOf) => faultOf([]) !== undefined).length;
  expect(lying()).toBe(0);
  vi.setSystemTime(TIMES.lies);
  expect(lying()).toBe(1);
  severity = NO_FAULTS;
  expect(lying()).toBe(0);
});
