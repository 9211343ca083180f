import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cloudflare, startCloudflare } from '../../../localnet/cloudflare/server.ts';
import { runDeployCommand } from '../../../ops/deploy.ts';
import { runRollbackCommand } from '../../../ops/rollback.ts';
import { runWrangler } from '../../../scripts/wrangler.ts';
import { RELEASE } from '../../../src/config/release.ts';
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
const script = () => cloudflare.account.script('gatepass-production');
const shares = () => script().deployments[0]?.versions.map(({ percentage }) => percentage);

it('names the version, divides the requests between two, ends that, and returns to the release', async () => {
  const secrets = join(folder, 'secrets.json');
  writeFileSync(secrets, JSON.stringify({ RPC_ENDPOINTS: '{"mainnet": ["https://node.acme.io"]}' }));
  const refused = await runCommand(runDeployCommand, ['--env', 'production', '--secrets', secrets]);
  expect(refused).toMatchObject({ code: 1, printed: expect.stringContaining('MAINNETS must name mainnet') });
  expect(cloudflare.account.scripts.size).toBe(0);
  writeFileSync(secrets, JSON.stringify({ RPC_ENDPOINTS: '{}' }));
  expect(await run(runDeployCommand, '--secrets', secrets)).toContain('Nothing runs yet.');
  const [first] = script().versions;
  expect(first?.tag?.startsWith(RELEASE)).toBe(true);
  expect(first?.message).toContain(`Gatepass ${RELEASE}, commit `);
  expect(first?.bindings).toContainEqual({ name: 'RELEASE', type: 'plain_text', text: RELEASE });

  expect(await run(runDeployCommand, '--percent', '10')).toContain(`Now runs: ${RELEASE} (100 %).`);
  expect(script().versions).toHaveLength(2);
  expect(shares()?.toSorted()).toEqual([10, 90]);
  expect(script().deployments[0]?.versions).toContainEqual({ version_id: first?.id, percentage: 90 });

  expect(await run(runDeployCommand)).toContain(`${RELEASE} (10 %)`);
  expect(script().deployments[0]?.versions).toEqual([{ version_id: script().versions[2]?.id, percentage: 100 }]);
  expect(await run(runRollbackCommand, RELEASE)).toContain(`production runs ${RELEASE} already`);
  expect(cloudflare.unknown).toEqual([]);
});
