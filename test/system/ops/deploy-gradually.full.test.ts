import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCodeRelease } from '../../../ops/deploy/code-release.ts';
import { setSecrets } from '../../../ops/deploy/set-secrets.ts';
import { runDeployCommand } from '../../../ops/deploy.ts';
import { lineOf } from '../../../ops/doctor/check.ts';
import { checkDeployedVersion } from '../../../ops/doctor/deployed-version.ts';
import { runRollbackCommand } from '../../../ops/rollback.ts';
import { RELEASE } from '../../../src/config/release.ts';
import { runWrangler } from '../../../terminal/wrangler.ts';
import { type Cloudflare, startCloudflare } from '../../../tools/localnet/cloudflare/server.ts';
import { useDeploymentsFolder } from '../../deployments-folder.ts';
import { runCommand } from './run-command.ts';

/** `npm run deploy` uploads with the real wrangler to the imitation of Cloudflare's API. */

const { folder, write } = useDeploymentsFolder();
const before = { ...process.env };
let cloudflare: Cloudflare;

beforeAll(async () => {
  cloudflare = await startCloudflare();
  Object.assign(process.env, cloudflare.env);
  await runWrangler(['d1', 'create', 'gatepass-production']);
  for (const queue of ['passes', 'bulk-passes', 'passes-dead'])
    await runWrangler(['queues', 'create', `gatepass-production-${queue}`]);
  const database_id = cloudflare.account.databases[0]?.uuid ?? '';
  write('production', { databases: [{ binding: 'DB', database_name: 'gatepass-production', database_id }] });
});
afterAll(async () => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  await cloudflare.stop();
});

const run = async (command: typeof runDeployCommand, ...args: string[]) => {
  const { code, printed } = await runCommand(command, ['--env', 'production', ...args]);
  expect(code, printed).toBe(0);
  return printed;
};

/** Returns the steps that a dry run shows. It sends only requests that read, and the account stays as it is. */
async function planOf(...args: string[]): Promise<string[]> {
  const account = () => JSON.stringify([script(), cloudflare.account.queues, cloudflare.account.databases]);
  const unchanged = account();
  cloudflare.requests.length = 0;
  const printed = await run(runDeployCommand, '--dry-run', ...args);
  expect(cloudflare.requests.filter((each) => !each.startsWith('GET '))).toEqual([]);
  expect(account()).toBe(unchanged);
  expect(printed.endsWith('\nNothing was changed.\n')).toBe(true);
  return [...printed.matchAll(/^ {2}(.*)$/gm)].map(([, step = '']) => step);
}

/** Runs a deployment, and returns its requests that change something, in order. */
async function changesOf(...args: string[]): Promise<string[]> {
  cloudflare.requests.length = 0;
  await run(runDeployCommand, ...args);
  return cloudflare.requests.filter((each) => !each.startsWith('GET '));
}

/** Returns the doctor's lines about the deployed version. */
const doctorSays = async () => (await checkDeployedVersion('production')).map(lineOf);

const script = () => cloudflare.account.script('gatepass-production');
const shares = () => script().deployments[0]?.versions.map(({ percentage }) => percentage);

it('does what its dry run shows, divides the requests between two versions and ends that, and the doctor reads each state', async () => {
  const secrets = join(folder, 'secrets.json');
  writeFileSync(secrets, JSON.stringify({ RPC_ENDPOINTS: '{"mainnet": ["https://node.acme.io"]}' }));
  const refused = await runCommand(runDeployCommand, ['--env', 'production', '--secrets', secrets]);
  expect(refused).toMatchObject({ code: 1, printed: expect.stringContaining('MAINNETS must name mainnet') });
  expect(cloudflare.account.scripts.size).toBe(0);
  writeFileSync(secrets, JSON.stringify({ RPC_ENDPOINTS: '{}' }));
  const { tag } = readCodeRelease();
  const migrate = 'apply the migrations that the database DB lacks';
  expect(await doctorSays()).toEqual([
    '--    version, template: not checked: nothing is deployed yet',
    '--    version, secrets: not checked: nothing is deployed yet',
  ]);
  expect(await runCommand(runDeployCommand, ['--env', 'production', '--dry-run'])).toMatchObject({
    code: 2,
    printed: expect.stringContaining('the first release needs --secrets FILE'),
  });
  expect(await planOf('--secrets', secrets)).toEqual([
    migrate,
    `upload ${tag} to production with the secrets RPC_ENDPOINTS, and let it answer all requests`,
  ]);
  const released = await changesOf('--secrets', secrets);
  expect(released.indexOf('PUT /workers/scripts/:name')).toBeGreaterThan(
    released.indexOf('POST /d1/database/:id/query'),
  );
  expect(released).toContain('POST /d1/database/:id/query');
  const [first] = script().versions;
  expect(first?.tag).toBe(tag);
  expect(first?.message).toContain(`Gatepass ${RELEASE}, commit `);
  expect(first?.bindings).toContainEqual({ name: 'RELEASE', type: 'plain_text', text: RELEASE });
  const ofTemplate = `ok    version, template: ${RELEASE} runs, and the template of this checkout is of ${RELEASE}`;
  const ofSecrets = 'ok    version, secrets: no secret was changed after the release';
  expect(await doctorSays()).toEqual([ofTemplate, ofSecrets]);

  expect(await planOf('--percent', '10')).toEqual([
    migrate,
    `upload ${tag} to production, and let it answer 10 % of the requests`,
  ]);
  expect(await run(runDeployCommand, '--percent', '10')).toContain(`Now runs: ${RELEASE} (100 %).`);
  expect(script().versions).toHaveLength(2);
  expect(shares()?.toSorted()).toEqual([10, 90]);
  expect(script().deployments[0]?.versions).toContainEqual({ version_id: first?.id, percentage: 90 });
  expect(await doctorSays()).toEqual([
    ofTemplate,
    expect.stringMatching(/^-- {4}version, secrets: the newest version \S+ does not answer all requests: /),
  ]);

  expect(await run(runDeployCommand)).toContain(`${RELEASE} (10 %)`);
  expect(script().deployments[0]?.versions).toEqual([{ version_id: script().versions[2]?.id, percentage: 100 }]);
  expect(await run(runRollbackCommand, RELEASE)).toContain(`production runs ${RELEASE} already`);

  await setSecrets('production', { SUSPENDED_CLIENTS: 'acme' });
  expect(await doctorSays()).toEqual([
    ofTemplate,
    expect.stringMatching(
      /^-- {4}version, secrets: a secret was changed at 20\S+Z, after the last release: .* -> deploy again/,
    ),
  ]);
  cloudflare.denied.add('Workers Scripts');
  expect(await doctorSays()).toEqual(
    ['template', 'secrets'].map((part) =>
      expect.stringMatching(
        `^--    version, ${part}: not checked: Cloudflare does not show the versions .*Authentication error`,
      ),
    ),
  );
  expect(cloudflare.unknown).toEqual([]);
});
