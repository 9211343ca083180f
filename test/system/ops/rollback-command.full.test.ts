import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { configFileOf } from '../../../ops/deploy/deployment-config.ts';
import { setSecrets } from '../../../ops/deploy/set-secrets.ts';
import { readRunningVersions, readVersion } from '../../../ops/deploy/worker-versions.ts';
import { runDeployCommand } from '../../../ops/deploy.ts';
import { runRollbackCommand } from '../../../ops/rollback.ts';
import { RELEASE } from '../../../src/config/release.ts';
import type { Deployment, Script, Version } from '../../../tools/localnet/cloudflare/account.ts';
import { type Cloudflare, startCloudflare } from '../../../tools/localnet/cloudflare/server.ts';
import { useDeploymentsFolder } from '../../deployments-folder.ts';
import { rehearse } from '../runbook/rehearse.ts';
import { runCommand } from './run-command.ts';

/**
 * `npm run rollback`, and the check of the running release before a deployment, with the real wrangler at the imitation of Cloudflare's
 * API. `test/unit/ops/releases/` has the other reasons for a refusal. Each start of wrangler takes a second or two.
 */

const NAME = 'gatepass-production';
const deployments = useDeploymentsFolder();
const before = { ...process.env };
let cloudflare: Cloudflare;
let script: Script;

beforeAll(async () => {
  deployments.write('production');
  cloudflare = await startCloudflare();
  Object.assign(process.env, cloudflare.env);
});
afterAll(async () => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  await cloudflare.stop();
  expect(cloudflare.unknown).toEqual([]);
});

const idOf = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
/** Long ago, so that the deployments of a test are newer. */
const time = (number: number) => `2020-11-0${number}T00:00:00.000000Z`;

/** An uploaded version of a release. Without one, it is of no release. */
const version = (number: number, release?: string, previous = '', changes: Partial<Version> = {}): Version => ({
  id: idOf(number),
  number,
  created_on: time(number),
  triggered_by: 'upload',
  tag: release,
  message: undefined,
  bindings:
    release === undefined
      ? []
      : [
          { type: 'plain_text', name: 'RELEASE', text: release },
          { type: 'plain_text', name: 'RELEASE_BEFORE', text: previous },
        ],
  secrets: { RPC_ENDPOINTS: '{}' },
  compatibility_date: '2026-11-01',
  compatibility_flags: [],
  migration_tag: 'v1',
  modules: [],
  ...changes,
});
/** `wrangler secret put` makes a version with the variables of the version before, and without a tag. */
const SECRET_CHANGE = { triggered_by: 'secret', tag: undefined } as const;

function setVersions(...versions: Version[]): void {
  script.versions.splice(0, script.versions.length, ...versions);
}

function deploy(...versions: Deployment['versions']): void {
  const created_on = time(1 + script.deployments.length);
  script.deployments.unshift({ id: crypto.randomUUID(), created_on, source: 'wrangler', annotations: {}, versions });
}

const production = (command: (args: readonly string[]) => Promise<number>, ...args: string[]) =>
  runCommand(command, ['--env', 'production', ...args]);
const rollback = (...args: string[]) => production(runRollbackCommand, ...args);
const shares = () => script.deployments[0]?.versions;

beforeEach(() => {
  script = { ...cloudflare.account.script('none'), name: NAME };
  cloudflare.account.scripts.set(NAME, script);
  setVersions(version(1, '1.0.0'), version(2, '1.0.0', '', SECRET_CHANGE), version(3, '1.0.1', '1.0.0'));
  deploy({ version_id: idOf(3), percentage: 100 });
});

rehearse(
  'Roll back a release',
  'the command returns to the release before, and after a change of keys it says how to deploy the older code',
  async (page) => {
    const release = '1.0.0';
    setVersions(version(2, release), version(3, '1.0.1', release));
    const args = page.next('npm run rollback -- --env ENV').split(' ').slice(6);
    expect(args).toEqual([release]);
    const asked = await rollback(...args);
    expect(asked).toMatchObject({ code: 2, printed: expect.stringContaining('confirm with --yes') });
    expect(asked.printed).toContain(`production runs 1.0.1 (100 %). The newest version of ${release} is ${idOf(2)}`);
    expect(shares()).toEqual([{ version_id: idOf(3), percentage: 100 }]);
    const codeAgain = `git checkout v${release} && npm ci && npm run deploy -- --env production`;
    const returned = await rollback(...args, '--yes');
    expect(returned).toMatchObject({ code: 0, printed: expect.stringContaining(`Deploy it now: ${codeAgain}`) });
    expect(shares()).toEqual([{ version_id: idOf(2), percentage: 100 }]);
    // Cloudflare would make the version of an emergency from the newest code, which the rollback has left.
    const stopping = setSecrets('production', { SUSPENDED_CLIENTS: 'acme' });
    await expect(stopping).rejects.toThrow(`nothing was changed. Cloudflare changes no secret`);
    await expect(stopping).rejects.toThrow(codeAgain);
    script.versions.push(version(4, '1.0.1', release, SECRET_CHANGE));
    deploy({ version_id: idOf(4), percentage: 100 });
    script.deployments.splice(1);
    const refused = await rollback(...args, '--yes');
    expect(refused).toMatchObject({ code: 1, printed: expect.stringContaining('a secret has changed since') });
    expect(refused.printed).toContain(codeAgain);
    expect(script.deployments).toHaveLength(1);
  },
);

it('ends a gradual deployment with the newest version of the release, which a change of a secret made', async () => {
  deploy({ version_id: idOf(3), percentage: 10 }, { version_id: idOf(2), percentage: 90 });
  expect(await rollback('1.0.0', '--dry-run')).toMatchObject({ code: 0 });
  expect(shares()).toHaveLength(2);
  expect(await rollback('1.0.0', '--yes')).toMatchObject({ code: 0 });
  expect(shares()).toEqual([{ version_id: idOf(2), percentage: 100 }]);
});

it("does not override Cloudflare's own refusal because of a secret", async () => {
  // `npm run deploy -- --secrets` changed it together with the code.
  setVersions(version(2, '1.0.0'), version(3, '1.0.1', '1.0.0', { secrets: { RPC_ENDPOINTS: '{"sepolia": []}' } }));
  const { code, printed } = await rollback('1.0.0', '--yes');
  expect([code, printed]).toEqual([1, expect.stringContaining('secrets have changed: RPC_ENDPOINTS')]);
  expect(shares()).toEqual([{ version_id: idOf(3), percentage: 100 }]);
});

it('refuses a release that no version has, and a name that is none', async () => {
  expect(await rollback('0.9.0', '--yes')).toMatchObject({
    code: 1,
    printed: expect.stringContaining(`none of the ten newest versions is of 0.9.0: ${idOf(3)} (1.0.1)`),
  });
  expect(await rollback('latest')).toMatchObject({ code: 2 });
});

it('reads the running versions, and none before the first deployment', async () => {
  const config = configFileOf('production');
  expect(await readRunningVersions(config)).toMatchObject([
    { id: idOf(3), percentage: 100, release: '1.0.1', previous: '1.0.0', classes: 'v1', tag: '1.0.1' },
  ]);
  expect(await readVersion(config, idOf(2))).toMatchObject({
    isSecretChange: true,
    tag: undefined,
    secrets: ['RPC_ENDPOINTS'],
  });
  script.deployments.length = 0;
  expect(await readRunningVersions(config)).toEqual([]);
  cloudflare.account.scripts.delete(NAME);
  expect(await readRunningVersions(config)).toEqual([]);
});

it('does not take an account that refuses the request for an empty one', async () => {
  cloudflare.denied.add('Workers Scripts');
  await expect(readRunningVersions(configFileOf('production'))).rejects.toThrow('Authentication error');
  cloudflare.denied.clear();
});

it('deploys no release beside one that is not its neighbor, and not gradually beside other classes', async () => {
  setVersions(version(1, '99.0.1', '99.0.0'), version(2, RELEASE, '', { migration_tag: 'v0' }));
  deploy({ version_id: idOf(1), percentage: 100 });
  expect(await production(runDeployCommand)).toMatchObject({
    code: 1,
    printed: expect.stringContaining(`release 99.0.1 runs, which follows 99.0.0: to return to ${RELEASE}`),
  });
  deploy({ version_id: idOf(2), percentage: 100 });
  expect(await production(runDeployCommand, '--percent', '10')).toMatchObject({
    code: 1,
    printed: expect.stringContaining('the release migrates the classes of Durable Objects'),
  });
  expect(await production(runDeployCommand, '--percent', '100')).toMatchObject({
    code: 2,
    printed: expect.stringContaining('It must be from 1 to 99'),
  });
});
