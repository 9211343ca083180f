import { describe, expect, it } from 'vitest';
import { chooseByRendezvous } from '../../../src/lib/rendezvous.ts';

/** Names that differ as little as they can. */
const named = (prefix: string, many: number) =>
  Array.from({ length: many }, (_, index) => `${prefix}0x${index.toString(16).padStart(40, '0')}`);
const ADDRESSES = named('', 16);
const SUBJECTS = named('network/ethereum/sepolia/', 10_000);

const among = (names: readonly string[]) => (subject: string) =>
  chooseByRendezvous(names, (name) => name, subject) as string;

/** How many of the subjects go to each of the names. */
function shares(names: readonly string[], subjects: readonly string[] = SUBJECTS): number[] {
  const owners = subjects.map(among(names));
  return names.map((name) => owners.filter((owner) => owner === name).length);
}

/** Chi-square of shares that should be equal. */
function unevenness(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe('of several', () => {
  it.each`
    many  | atMost
    ${2}  | ${10.8}
    ${3}  | ${13.8}
    ${4}  | ${16.3}
    ${16} | ${37.7}
  `(
    '$many get an equal share each: no further from it than chance brings once in a thousand draws',
    ({ many, atMost }) => {
      expect(unevenness(shares(ADDRESSES.slice(0, many)))).toBeLessThan(atMost);
    },
  );

  it('the order says nothing', () => {
    const [forth, back] = [among(ADDRESSES), among(ADDRESSES.toReversed())];
    for (const subject of SUBJECTS) expect(back(subject)).toBe(forth(subject));
  });

  it('who joins takes an equal share from everybody alike, and nothing else changes hands', () => {
    const before = ADDRESSES.slice(0, 4);
    const newcomer = ADDRESSES[4] as string;
    const [was, is] = [among(before), among([newcomer, ...before])];
    const moved = SUBJECTS.filter((subject) => is(subject) !== was(subject));
    expect(new Set(moved.map(is))).toEqual(new Set([newcomer]));
    // A fifth of 10,000, give or take four standard deviations.
    expect(Math.abs(moved.length - 2_000)).toBeLessThan(160);
    expect(unevenness(shares(before, moved))).toBeLessThan(16.3);
  });

  it('who leaves gives its share to everybody alike', () => {
    const [gone, ...rest] = ADDRESSES.slice(0, 5) as [string, ...string[]];
    const orphans = SUBJECTS.filter((subject) => among([gone, ...rest])(subject) === gone);
    expect(unevenness(shares(rest, orphans))).toBeLessThan(16.3);
  });
});

it('one gets everything, none gets nothing', () => {
  expect(shares(['the only one'])).toEqual([SUBJECTS.length]);
  expect(chooseByRendezvous([], String, 'a subject')).toBeUndefined();
});

it('every release chooses the same', () => {
  expect(SUBJECTS.slice(0, 8).map((subject) => ADDRESSES.indexOf(among(ADDRESSES)(subject)))).toEqual([
    15, 11, 7, 6, 2, 0, 13, 2,
  ]);
});
