import { describe, expect, it } from 'vitest';
import { oldestKeptTime } from '../../../src/config/bindings.ts';

const NOW_SECONDS = 1_790_000_000;
const keptDays = (feedDays: number, fullShare: number) =>
  (NOW_SECONDS - oldestKeptTime(feedDays, fullShare, NOW_SECONDS * 1000)) / 86_400;

describe('oldestKeptTime', () => {
  it.each`
    feedDays | fullShare | days
    ${30}    | ${0}      | ${30}
    ${30}    | ${0.699}  | ${30}
    ${30}    | ${0.7}    | ${30}
    ${30}    | ${0.75}   | ${24.2}
    ${30}    | ${0.825}  | ${15.5}
    ${30}    | ${0.949}  | ${1.116}
    ${30}    | ${0.95}   | ${1}
    ${30}    | ${1.2}    | ${1}
    ${1}     | ${0.5}    | ${1}
    ${1}     | ${0.9}    | ${1}
    ${999}   | ${0.825}  | ${500}
  `(
    'keeps events for $days of $feedDays days in a database that is $fullShare full',
    ({ feedDays, fullShare, days }) => {
      expect(keptDays(feedDays, fullShare)).toBeCloseTo(days, 3);
    },
  );

  it('never keeps events longer in a fuller database', () => {
    const days = Array.from({ length: 1_201 }, (_, thousandth) => keptDays(30, thousandth / 1000));
    expect(days).toEqual(days.toSorted((a, b) => b - a));
  });
});
