import { describe, expect, it } from 'vitest';
import { chooseByRendezvous } from '../../../src/config/signers.ts';

/** Returns names that differ only in a number. */
const numberedNames = (prefix: string, many: number) =>
  Array.from({ length: many }, (_, index) => `${prefix}0x${index.toString(16).padStart(40, '0')}`);
const ADDRESSES = numberedNames('', 16);
const SUBJECTS = numberedNames('network/ethereum/sepolia/', 10_000);

const chooserAmong = (names: readonly string[]) => (subject: string) =>
  chooseByRendezvous(names, (name) => name, subject) as string;

/** Returns the number of subjects for each name. */
function countPerName(names: readonly string[], subjects: readonly string[] = SUBJECTS): number[] {
  const owners = subjects.map(chooserAmong(names));
  return names.map((name) => owners.filter((owner) => owner === name).length);
}

/** Returns the chi-square of shares that should be equal. */
function chiSquareOf(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe('chooseByRendezvous', () => {
  it.each`
    many  | atMost
    ${2}  | ${10.8}
    ${3}  | ${13.8}
    ${4}  | ${16.3}
    ${16} | ${37.7}
  `(
    'gives each of $many members an equal share, within a deviation that chance exceeds once in a thousand draws',
    ({ many, atMost }) => {
      expect(chiSquareOf(countPerName(ADDRESSES.slice(0, many)))).toBeLessThan(atMost);
    },
  );

  it('chooses the same member in any order of the list', () => {
    const [forth, back] = [chooserAmong(ADDRESSES), chooserAmong(ADDRESSES.toReversed())];
    for (const subject of SUBJECTS) expect(back(subject)).toBe(forth(subject));
  });

  it('moves an equal share of each member to a new member and moves nothing else', () => {
    const before = ADDRESSES.slice(0, 4);
    const newcomer = ADDRESSES[4] as string;
    const [was, is] = [chooserAmong(before), chooserAmong([newcomer, ...before])];
    const moved = SUBJECTS.filter((subject) => is(subject) !== was(subject));
    expect(new Set(moved.map(is))).toEqual(new Set([newcomer]));
    // A fifth of 10,000, with a tolerance of four standard deviations.
    expect(Math.abs(moved.length - 2_000)).toBeLessThan(160);
    expect(chiSquareOf(countPerName(before, moved))).toBeLessThan(16.3);
  });

  it('spreads the share of a removed member equally over the others', () => {
    const [gone, ...rest] = ADDRESSES.slice(0, 5) as [string, ...string[]];
    const orphans = SUBJECTS.filter((subject) => chooserAmong([gone, ...rest])(subject) === gone);
    expect(chiSquareOf(countPerName(rest, orphans))).toBeLessThan(16.3);
  });
});

it('chooses the only member of a list, and returns undefined for an empty list', () => {
  expect(countPerName(['the only one'])).toEqual([SUBJECTS.length]);
  expect(chooseByRendezvous([], String, 'a subject')).toBeUndefined();
});

it('chooses the same member in every release', () => {
  expect(SUBJECTS.slice(0, 8).map((subject) => ADDRESSES.indexOf(chooserAmong(ADDRESSES)(subject)))).toEqual([
    15, 11, 7, 6, 2, 0, 13, 2,
  ]);
});
