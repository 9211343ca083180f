import { expect, it } from 'vitest';
import { compareVersions, isVersion } from '../../../../ops/deploy/version.ts';

it('orders releases by their numbers, and a candidate before its release', () => {
  const sorted = [
    '0.9.0',
    '1.0.0-rc.1',
    '1.0.0-rc.2',
    '1.0.0-rc.10',
    '1.0.0',
    '1.0.1-rc.1',
    '1.0.1',
    '1.2.0',
    '1.10.0',
  ];
  expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
  expect(compareVersions('1.0.0-rc.1', '1.0.0-rc.1')).toBe(0);
});

it.each(['1.0', 'v1.0.0', '1.0.0-beta.1', '1.0.0-rc', '1.0.0+abc', '../1.0.0', '', 'next'])(
  'does not take "%s" for the name of a release',
  (text) => {
    expect(isVersion(text)).toBe(false);
  },
);
