import { expect, it } from 'vitest';
import { lineOf } from '../../../ops/doctor/check.ts';
import { secretsVerdict, templateVerdict } from '../../../ops/doctor/deployed-version.ts';

/** The doctor's warnings about the versions of a deployment. */

const line = (verdict: ReturnType<typeof secretsVerdict>) => lineOf({ name: 'x', verdict });

it.each([
  [['1.1.0'], '1.1.0', /^ok {4}x: 1\.1\.0 runs, and the template of this checkout is of 1\.1\.0$/],
  [['1.0.0'], '1.1.0', /^ok /],
  [['1.0.0', '1.0.0'], '1.0.0', /^ok {4}x: 1\.0\.0 runs/],
  [
    ['1.0.0', '1.1.0-rc.1'],
    '1.0.0',
    /^-- {4}x: release 1\.1\.0-rc\.1 runs, .* is of 1\.0\.0 -> git checkout v1\.1\.0-rc\.1 /,
  ],
  [['1.10.0'], '1.9.0', /-> git checkout v1\.10\.0 /],
  [[undefined], '1.0.0', /^-- {4}x: the version id-0 has no release -> deploy with `npm run deploy`/],
])('compares the running releases %j with a checkout of %s', (releases, release, expected) => {
  const running = releases.map((each, at) => ({ id: `id-${at}`, release: each }));
  expect(line(templateVerdict(running, { release }))).toMatch(expected);
});

/** A version that was made on this day of a month. */
const aVersion = (day: number, changes: object = {}) => ({
  id: `id-${day}`,
  createdOn: `2026-11-${String(day).padStart(2, '0')}T00:00:00Z`,
  tag: '1.0.0',
  isSecretChange: false,
  ...changes,
});
const aRunning = (day: number, changes: object = {}) => ({
  ...aVersion(day),
  ...{ release: '1.0.0', previous: undefined, classes: undefined, variables: {}, secrets: ['B', 'A'], percentage: 100 },
  ...changes,
});

it.each([
  ['of now, and an older change', [aRunning(5)], [aVersion(5), aVersion(4, { isSecretChange: true })], /^ok /],
  [
    'of now, and a newer version that does not run, as after a rollback',
    [aRunning(5)],
    [aVersion(6), aVersion(5)],
    /^-- {4}x: the newest version id-6 does not answer all requests: .* -> deploy the code that shall run/,
  ],
  [
    'changed after the release',
    [aRunning(5, { isSecretChange: true })],
    [aVersion(5, { isSecretChange: true }), aVersion(4)],
    /^-- {4}x: a secret was changed at 2026-11-05T00:00:00Z, after the last release: .* -> deploy again/,
  ],
  [
    'that a newer version changed',
    [aRunning(4)],
    [aVersion(5, { isSecretChange: true }), aVersion(4)],
    /^-- {4}x: a secret was changed at 2026-11-05T00:00:00Z, and the running version is older -> deploy again/,
  ],
  [
    'of two versions that differ',
    [aRunning(4, { percentage: 90 }), aRunning(5, { percentage: 10, secrets: ['A'] })],
    [aVersion(5), aVersion(4)],
    /^-- {4}x: the versions id-4 and id-5 answer with different secrets -> end the gradual deployment/,
  ],
  [
    'of two versions with the same ones',
    [aRunning(4, { percentage: 90 }), aRunning(5, { percentage: 10, secrets: ['A', 'B'] })],
    [aVersion(5), aVersion(4)],
    /^-- {4}x: the newest version id-5 does not answer all requests/,
  ],
])('judges secrets %s', (_, running, recent, expected) => {
  expect(line(secretsVerdict({ running, recent }))).toMatch(expected);
});
