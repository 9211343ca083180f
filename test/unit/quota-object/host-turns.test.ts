import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HostTurns, TURNS_PER_SECOND } from '../../../src/quota-object/host-turns.ts';

const calls = fc.array(
  fc.record({
    host: fc.constantFrom('a.io', 'b.io'),
    count: fc.constantFrom(1, 10),
    later: fc.integer({ min: 0, max: 2_000 }),
  }),
  { minLength: 1, maxLength: 60 },
);

it('no second has more than twenty turns at a host, whoever takes them', () => {
  fc.assert(
    fc.property(calls, (calls) => {
      const turns = new HostTurns();
      const begins = new Map<string, number[]>([
        ['a.io', []],
        ['b.io', []],
      ]);
      let now = 0;
      for (const { host, count, later } of calls) {
        now += later;
        const delays = turns.take(host, count, now);
        expect(delays).toHaveLength(count);
        for (const delay of delays) expect(delay).toBeGreaterThanOrEqual(0);
        begins.get(host)?.push(...delays.map((delay) => now + delay));
      }
      for (const all of begins.values())
        for (const from of all)
          expect(all.filter((at) => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(TURNS_PER_SECOND);
    }),
  );
});

it('the first turn after a rest begins at once, and other hosts do not wait', () => {
  const turns = new HostTurns();
  turns.take('a.io', 100, 0);
  expect(turns.take('b.io', 1, 0)).toEqual([0]);
  expect(turns.take('a.io', 1, 0)).toEqual([5_000]);
  expect(turns.take('a.io', 1, 6_000)).toEqual([0]);
});
