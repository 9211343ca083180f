import { expect, it } from 'vitest';
import type { DeployedParts } from '../../../../ops/deploy/deployed-parts.ts';
import { changesBetween, releaseFaults } from '../../../../tools/release/release-faults.ts';

const BEFORE: DeployedParts = {
  migrations: { '0001_baseline.sql': 'aa' },
  classes: { v1: ['PassObject'] },
  bindings: ['DB (D1)', 'PASSES (PassObject)'],
  variables: ['BASE_PATH'],
  secrets: ['RPC_ENDPOINTS'],
};
const faults = (changes: Partial<DeployedParts>, operatorSteps: string[] = [], isNewDeployment?: true) =>
  releaseFaults(BEFORE, { ...BEFORE, ...changes }, { operatorSteps, isNewDeployment });

it('a release without new parts needs no list of steps', () => {
  expect(faults({})).toEqual([]);
});

it.each<[string, Partial<DeployedParts>, string]>([
  ['migration', { migrations: { ...BEFORE.migrations, '0002_more.sql': 'bb' } }, '0002_more.sql'],
  ['binding', { bindings: [...BEFORE.bindings, 'DB_1 (D1)'] }, 'DB_1'],
  ['variable', { variables: ['BASE_PATH', 'FEED_DAYS'] }, 'FEED_DAYS'],
  ['secret', { secrets: ['RPC_ENDPOINTS', 'KMS_CREDENTIALS'] }, 'KMS_CREDENTIALS'],
])('a release with a new %s needs a step that names it', (kind, changes, name) => {
  const unnamed = `the ${kind} ${name} is added: operatorSteps must say what the operator does about it`;
  expect(faults(changes)).toEqual([unnamed]);
  expect(faults(changes, ['Do something else.'])).toEqual([unnamed]);
  expect(faults(changes, [`Read about ${name}.`])).toEqual([]);
});

it('a part that goes needs a step too', () => {
  expect(faults({ variables: [] })).toEqual([
    'the variable BASE_PATH is removed: operatorSteps must say what the operator does about it',
  ]);
  expect(faults({ variables: [] }, ['Remove BASE_PATH.'])).toEqual([]);
});

it.each<[string, Partial<DeployedParts>, string]>([
  ['changed', { migrations: { '0001_baseline.sql': 'bb' } }, 'the migration 0001_baseline.sql'],
  ['removed', { migrations: {} }, 'the migration 0001_baseline.sql'],
  ['changed', { classes: { v1: ['PassObject', 'SignerObject'] } }, 'the class v1'],
])('no step allows that an applied migration is %s', (change, changes, name) => {
  expect(faults(changes, ['0001_baseline.sql v1'])).toContain(
    `${name} of the release before is ${change}: add a new one instead`,
  );
});

it('a release that adds a class adds its binding, and nothing else', () => {
  const classes = { ...BEFORE.classes, v2: ['SignerObject'] };
  const bindings = [...BEFORE.bindings, 'SIGNERS (SignerObject)'];
  const steps = ['v2 with SIGNERS', 'FEED_DAYS'];
  expect(faults({ classes, bindings }, steps)).toEqual([]);
  expect(faults({ classes, bindings, variables: ['BASE_PATH', 'FEED_DAYS'] }, steps)).toEqual([
    'a release that adds a class contains nothing else, but the variable FEED_DAYS is added',
  ]);
  // Nobody rolls back a release that no deployment becomes.
  expect(faults({ classes, bindings, variables: ['BASE_PATH', 'FEED_DAYS'] }, steps, true)).toEqual([]);
});

it('lists each difference once', () => {
  expect(changesBetween(BEFORE, BEFORE)).toEqual([]);
  expect(changesBetween(BEFORE, { ...BEFORE, migrations: { '0001_baseline.sql': 'bb', '0002.sql': 'c' } })).toEqual([
    { kind: 'migration', change: 'added', name: '0002.sql' },
    { kind: 'migration', change: 'changed', name: '0001_baseline.sql' },
  ]);
});
