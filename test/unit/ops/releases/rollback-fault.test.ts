import { expect, it } from 'vitest';
import { rollbackFault } from '../../../../ops/deploy/rollback-fault.ts';
import type { RecentVersion, RunningVersion } from '../../../../ops/deploy/worker-versions.ts';
import { aVersion } from './a-version.ts';

const NOW = aVersion();
const OLD = aVersion({
  id: 'a',
  createdOn: '2026-11-01T00:00:00Z',
  tag: '1.0.0',
  release: '1.0.0',
  previous: undefined,
});
const recentOf = ({ id, createdOn, tag, isSecretChange }: RecentVersion): RecentVersion => ({
  id,
  createdOn,
  tag,
  isSecretChange,
});
const faultOf = (target: RunningVersion, running: readonly RunningVersion[], later: readonly RunningVersion[] = []) =>
  rollbackFault(target, running, [...later, ...running, target].map(recentOf));

it('allows the release before, the end of a gradual deployment, and the return to the newer release', () => {
  expect(faultOf(OLD, [NOW])).toBeUndefined();
  expect(
    faultOf(OLD, [
      { ...NOW, percentage: 10 },
      { ...OLD, percentage: 90 },
    ]),
  ).toBeUndefined();
  expect(faultOf(NOW, [OLD])).toBeUndefined();
});

it('allows a secret change before the target, and one that the target has', () => {
  expect(faultOf({ ...OLD, isSecretChange: true }, [NOW])).toBeUndefined();
});

it.each<[string, Partial<RunningVersion>, Partial<RunningVersion>, string]>([
  [
    'two releases back',
    { release: '1.0.2', previous: '1.0.1' },
    {},
    'release 1.0.2 runs, and 1.0.0 is not the release before it',
  ],
  ['from an unknown release', { release: undefined, previous: undefined }, {}, 'release (unknown) runs'],
  ['past a class', { classes: 'v2' }, {}, 'the running version has the classes up to v2, and 1.0.0 has those up to v1'],
  ['past a secret', { isSecretChange: true }, {}, 'a secret has changed since (version b)'],
  ['to fewer secrets', {}, { secrets: [] }, 'the older version lacks the secret RPC_ENDPOINTS'],
  [
    'past a retired key',
    { variables: { RETIRED_GATEKEEPERS: '0xaa 0xbb' } },
    { variables: { RETIRED_GATEKEEPERS: '0xaa' } },
    'the older version lacks 0xbb in RETIRED_GATEKEEPERS',
  ],
])('refuses a rollback %s', (_, running, target, fault) => {
  expect(faultOf({ ...OLD, ...target }, [{ ...NOW, ...running }])).toContain(fault);
});

it('refuses a rollback past a change of a secret that no longer runs', () => {
  const change = aVersion({ id: 'c', createdOn: '2026-11-01T12:00:00Z', isSecretChange: true });
  expect(faultOf(OLD, [NOW], [change])).toContain('a secret has changed since (version c)');
});
