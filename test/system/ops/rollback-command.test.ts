import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { configFileOf } from '../../../ops/deploy/deployment-config.ts';
import { readRunningVersions, readVersion } from '../../../ops/deploy/worker-versions.ts';
import { runDeployCommand } from '../../../ops/deploy.ts';
import { runRollbackCommand } from '../../../ops/rollback.ts';
import { RELEASE } from '../../../src/config/release.ts';
import { useDeploymentsFolder } from '../../deployments-folder.ts';
import { rehearse } from '../runbook/rehearse.ts';
import { runCommand } from './run-command.ts';
import { ACCOUNT, type ApiVersion, VersionRoutes } from './version-routes.ts';

/** `npm run rollback`, and the check of the running release before a deployment, with the real wrangler. */

const deployments = useDeploymentsFolder();
const account = new VersionRoutes();
const before = { ...process.env };

beforeAll(async () => {
  deployments.write('production');
  Object.assign(process.env, await account.start());
});
afterAll(async () => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  await account.stop();
  expect(account.unknown).toEqual([]);
});

const ID = {
  old: '00000000-0000-4000-8000-000000000001',
  secret: '00000000-0000-4000-8000-000000000002',
  now: '00000000-0000-4000-8000-000000000003',
};

/** A version as Cloudflare shows it, in the order of its number. */
const version = (
  number: number,
  release: string | undefined,
  previous = '',
  changes: Partial<ApiVersion> = {},
): ApiVersion => ({
  id: `00000000-0000-4000-8000-00000000000${number}`,
  number,
  metadata: { created_on: `2026-11-0${number}T00:00:00.000000Z`, source: 'wrangler', author_email: 'ops@acme.io' },
  annotations: { 'workers/triggered_by': 'upload', ...(release && { 'workers/tag': release }) },
  resources: {
    script: { etag: 'e', handlers: ['fetch', 'queue', 'scheduled'] },
    script_runtime: { usage_model: 'standard', migration_tag: 'v1' },
    bindings: [
      { type: 'secret_text', name: 'RPC_ENDPOINTS' },
      ...(release === undefined
        ? []
        : [
            { type: 'plain_text', name: 'RELEASE', text: release },
            { type: 'plain_text', name: 'RELEASE_BEFORE', text: previous },
          ]),
    ],
  },
  ...changes,
});
/** A version that `wrangler secret put` makes has the variables of the version before, and no tag. */
const secretChange = { annotations: { 'workers/triggered_by': 'secret' } };

const production = (command: (args: readonly string[]) => Promise<number>, ...args: string[]) =>
  runCommand(command, ['--env', 'production', ...args]);
const rollback = (...args: string[]) => production(runRollbackCommand, ...args);
const shares = () => account.deployments[0]?.versions;

beforeEach(() => {
  account.exists = true;
  account.refusesForSecrets = false;
  account.deployments = [];
  account.versions = [version(1, '1.0.0'), version(2, '1.0.0', '', secretChange), version(3, '1.0.1', '1.0.0')];
  account.deploy({ version_id: ID.now, percentage: 100 });
});

rehearse(
  'Roll back a release',
  'the command returns to the release before, and after a change of keys it says how to deploy the older code',
  async (section) => {
    const release = '1.0.0-rc.1';
    account.versions = [version(2, release), version(3, '1.0.0', release)];
    const args = section.next('npm run rollback -- --env ENV').split(' ').slice(6);
    expect(args).toEqual([release]);
    expect(await rollback(...args, '--yes')).toMatchObject({ code: 0 });
    expect(shares()).toEqual([{ version_id: ID.secret, percentage: 100 }]);
    account.versions.push(version(4, '1.0.0', release, secretChange));
    account.deploy({ version_id: '00000000-0000-4000-8000-000000000004', percentage: 100 });
    const refused = await rollback(...args, '--yes');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.printed).toContain(`git checkout v${release} && npm ci && npm run deploy -- --env production`);
    expect(account.deployments).toHaveLength(3);
  },
);

it('returns to the newest version of the release, which a change of a secret made', async () => {
  const { code, printed } = await rollback('1.0.0', '--yes');
  expect(code, printed).toBe(0);
  expect(printed).toContain(`production runs 1.0.1 (100 %). The newest version of 1.0.0 is ${ID.secret}`);
  expect(shares()).toEqual([{ version_id: ID.secret, percentage: 100 }]);
  expect((await rollback('1.0.0')).printed).toContain('production runs 1.0.0 already');
});

it('ends a gradual deployment in either direction', async () => {
  account.deploy({ version_id: ID.now, percentage: 10 }, { version_id: ID.secret, percentage: 90 });
  expect((await rollback('1.0.0', '--yes')).code).toBe(0);
  expect(shares()).toEqual([{ version_id: ID.secret, percentage: 100 }]);
  expect((await rollback('1.0.1', '--yes')).code).toBe(0);
  expect(shares()).toEqual([{ version_id: ID.now, percentage: 100 }]);
});

it('changes nothing with --dry-run, and without a confirmation', async () => {
  expect(await rollback('1.0.0', '--dry-run')).toMatchObject({ code: 0 });
  expect(await rollback('1.0.0')).toMatchObject({ code: 2, printed: expect.stringContaining('confirm with --yes') });
  expect(shares()).toEqual([{ version_id: ID.now, percentage: 100 }]);
});

it('refuses a rollback that would undo a change of a secret, and says how to deploy the code instead', async () => {
  account.versions.push(version(4, '1.0.1', '1.0.0', secretChange));
  account.deploy({ version_id: '00000000-0000-4000-8000-000000000004', percentage: 100 });
  const { code, printed } = await rollback('1.0.0', '--yes');
  expect(code).toBe(1);
  expect(printed).toContain('a secret has changed since');
  expect(printed).toContain('git checkout v1.0.0 && npm ci && npm run deploy -- --env production');
  expect(account.deployments).toHaveLength(2);
});

it("does not override Cloudflare's own refusal because of a secret", async () => {
  account.refusesForSecrets = true;
  const { code, printed } = await rollback('1.0.0', '--yes');
  expect([code, printed]).toEqual([1, expect.stringContaining('secrets have changed')]);
  expect(shares()).toEqual([{ version_id: ID.now, percentage: 100 }]);
});

it('refuses a release that no version has, and a name that is none', async () => {
  expect(await rollback('0.9.0', '--yes')).toMatchObject({
    code: 1,
    printed: expect.stringContaining(`none of the ten newest versions is of 0.9.0: ${ID.now} (1.0.1)`),
  });
  expect(await rollback('latest')).toMatchObject({ code: 2 });
});

it('reads the running versions, and none before the first deployment', async () => {
  const config = configFileOf('production');
  expect(await readRunningVersions(config)).toMatchObject([
    { id: ID.now, release: '1.0.1', previous: '1.0.0', classes: 'v1', percentage: 100, secrets: ['RPC_ENDPOINTS'] },
  ]);
  account.versions.push(version(5, undefined));
  expect(await readVersion(config, '00000000-0000-4000-8000-000000000005')).toMatchObject({ release: undefined });
  account.deployments = [];
  expect(await readRunningVersions(config)).toEqual([]);
  account.exists = false;
  expect(await readRunningVersions(config)).toEqual([]);
});

it('does not take an account that refuses the request for an empty one', async () => {
  process.env.CLOUDFLARE_ACCOUNT_ID = 'b'.repeat(32);
  try {
    await expect(readRunningVersions(configFileOf('production'))).rejects.toThrow('no such route');
  } finally {
    process.env.CLOUDFLARE_ACCOUNT_ID = ACCOUNT;
    expect(account.unknown.splice(0)).toHaveLength(1);
  }
});

it('deploys no release beside one that it does not know, or that is not its neighbor', async () => {
  account.versions = [version(1, '99.0.1', '99.0.0'), version(2, undefined)];
  const deploy = () => production(runDeployCommand);
  account.deploy({ version_id: account.versions[0]?.id ?? '', percentage: 100 });
  expect(await deploy()).toMatchObject({
    code: 1,
    printed: expect.stringContaining(`release 99.0.1 runs, which follows 99.0.0: to return to ${RELEASE}`),
  });
  account.deploy({ version_id: account.versions[1]?.id ?? '', percentage: 100 });
  const { code, printed } = await deploy();
  expect([code, printed]).toEqual([1, expect.stringContaining('does not say its release')]);
  expect(printed).toContain('--any-release');
});

it('deploys gradually only beside one version with the same classes', async () => {
  const running = version(1, RELEASE);
  const runtime = { ...running.resources, script_runtime: { usage_model: 'standard', migration_tag: 'v0' } };
  account.versions = [running, { ...version(2, RELEASE), resources: runtime }];
  const [first = '', second = ''] = account.versions.map(({ id }) => id);
  const deploy = (percent: string) => production(runDeployCommand, '--percent', percent);
  account.deployments = [];
  expect((await deploy('10')).printed).toContain('--percent needs a running release');
  account.deploy({ version_id: first, percentage: 40 }, { version_id: second, percentage: 60 });
  expect((await deploy('10')).printed).toContain('a gradual deployment runs already');
  account.deploy({ version_id: second, percentage: 100 });
  expect((await deploy('10')).printed).toContain('the release migrates the classes of Durable Objects');
  expect(await deploy('100')).toMatchObject({ code: 2, printed: expect.stringContaining('It must be from 1 to 99') });
});
