import { describe, expect, it } from 'vitest';
import { mayBeBehind } from '../../../src/chain/block-age.ts';

const NOW = 1_000_000_000;
const MINUTE = 60;

/** A chain whose newest block is that old at first, as an endpoint shows it each minute. */
function verdicts({
  age,
  pace,
  minutes,
  stopsAfter = minutes,
}: {
  age: number;
  pace: number;
  minutes: number;
  stopsAfter?: number;
}): boolean[] {
  const endpoint = {};
  return Array.from({ length: minutes }, (_, minute) => {
    const made = Math.min(minute, stopsAfter);
    const block = { height: made, time: NOW - age + pace * made * MINUTE };
    return mayBeBehind(endpoint, block, (NOW + minute * MINUTE) * 1000);
  });
}

describe('an endpoint whose newest block is old by our clock', () => {
  it.each`
    age         | behind
    ${0}        | ${false}
    ${600}      | ${false}
    ${601}      | ${true}
    ${-32 * 60} | ${false}
  `('may be behind when its block is $age s old: $behind', ({ age, behind }) => {
    expect(mayBeBehind({}, { height: 1, time: NOW - age }, NOW * 1000)).toBe(behind);
  });

  it('is up to date if its blocks keep pace with our clock: then the clock of the chain is wrong', () => {
    expect(verdicts({ age: 32 * MINUTE, pace: 1, minutes: 5 })).toEqual([true, false, false, false, false]);
    expect(verdicts({ age: 32 * MINUTE, pace: 0.9, minutes: 200 }).slice(1)).not.toContain(true);
  });

  it('is up to date if its height advances while the clock of the chain stands still', () => {
    expect(verdicts({ age: 32 * MINUTE, pace: 0, minutes: 60 }).slice(1)).not.toContain(true);
  });

  it('may be behind if it catches up, until its blocks are new', () => {
    const shown = verdicts({ age: 32 * MINUTE, pace: 3, minutes: 20 });
    expect(shown.slice(0, 11)).not.toContain(false);
    expect(shown.slice(11)).not.toContain(true);
  });

  it('may be behind once it has shown no further block for ten minutes', () => {
    const shown = verdicts({ age: 32 * MINUTE, pace: 1, minutes: 20, stopsAfter: 4 });
    expect(shown.slice(1, 15)).not.toContain(true);
    expect(shown.slice(15)).not.toContain(false);
  });

  it('may be behind if one of its nodes shows a block ten minutes before that of another', () => {
    const endpoint = {};
    const show = (height: number, age: number, after: number) =>
      mayBeBehind(endpoint, { height, time: NOW + after - age }, (NOW + after) * 1000);
    expect([show(10, 1_900, 0), show(20, 1_900, 30), show(5, 2_600, 40), show(30, 1_900, 50)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('says nothing about another endpoint', () => {
    const [a, b] = [{}, {}];
    mayBeBehind(a, { height: 1, time: NOW - 1_900 }, NOW * 1000);
    expect(mayBeBehind(b, { height: 2, time: NOW - 1_880 }, (NOW + 20) * 1000)).toBe(true);
    expect(mayBeBehind(a, { height: 2, time: NOW - 1_880 }, (NOW + 20) * 1000)).toBe(false);
  });
});
