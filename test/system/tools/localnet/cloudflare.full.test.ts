import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { configFileOf } from '../../../../ops/deploy/deployment-config.ts';
import { startWrangler } from '../../../../terminal/wrangler.ts';
import { type Cloudflare, startCloudflare } from '../../../../tools/localnet/cloudflare/server.ts';
import { useDeploymentsFolder } from '../../../deployments-folder.ts';

/** The real wrangler sets up, releases and changes a Worker at the imitation of Cloudflare's API, which knows each of its requests. */

const { write } = useDeploymentsFolder();
const folder = mkdtempSync(join(tmpdir(), 'gatepass-cloudflare-'));
let cloudflare: Cloudflare;
beforeAll(async () => {
  cloudflare = await startCloudflare();
});
afterAll(async () => {
  await cloudflare.stop();
  rmSync(folder, { recursive: true });
});

async function wrangler(...args: string[]) {
  const lines: string[] = [];
  cloudflare.requests.length = 0;
  const env = { ...cloudflare.env, HOME: folder, CI: 'true' };
  const child = await startWrangler(args, { env, onLine: (line) => lines.push(line) });
  return { code: await child.ended, printed: lines.join('\n'), requests: [...cloudflare.requests] };
}

const secretsFile = () => {
  const file = join(folder, 'secrets.json');
  writeFileSync(file, JSON.stringify({ RPC_ENDPOINTS: '{"sepolia": ["https://node.acme.io/$HOME"]}' }));
  return file;
};

it('answers each request that wrangler makes in the life of a deployment, and no other', {
  timeout: 600_000,
}, async () => {
  expect(await wrangler('d1', 'create', 'gatepass-imitated')).toMatchObject({
    code: 0,
    requests: ['POST /d1/database'],
  });
  expect(await wrangler('d1', 'create', 'gatepass-imitated')).toMatchObject({
    code: 1,
    printed: expect.stringContaining('A database with that name already exists'),
  });
  const [database] = cloudflare.account.databases;
  write('imitated', {
    databases: [{ binding: 'DB', database_name: 'gatepass-imitated', database_id: database?.uuid ?? '' }],
  });
  const config = ['--config', configFileOf('imitated')];

  // A release needs its queues.
  expect((await wrangler('deploy', ...config)).printed).toContain('gatepass-imitated-passes');
  expect(cloudflare.account.scripts.size).toBe(0);
  for (const queue of ['passes', 'bulk-passes', 'passes-dead'])
    expect((await wrangler('queues', 'create', `gatepass-imitated-${queue}`)).code).toBe(0);
  expect(await wrangler('queues', 'create', 'gatepass-imitated-passes')).toMatchObject({
    code: 1,
    printed: expect.stringContaining('11009'),
  });

  expect((await wrangler('d1', 'migrations', 'apply', 'DB', '--remote', ...config)).code).toBe(0);
  const tables = await wrangler(
    'd1',
    'execute',
    'DB',
    '--remote',
    '--json',
    '--command',
    'SELECT name FROM d1_migrations',
    ...config,
  );
  expect(tables.printed).toContain('0001');

  // The first version has the secrets already, letter by letter.
  const first = await wrangler(
    'deploy',
    '--secrets-file',
    secretsFile(),
    '--tag',
    'v1',
    '--message',
    'first',
    ...config,
  );
  expect([first.code, first.printed]).toEqual([0, expect.stringContaining('gatepass-imitated')]);
  const script = cloudflare.account.scripts.get('gatepass-imitated');
  expect(script?.versions).toMatchObject([
    {
      tag: 'v1',
      message: 'first',
      migration_tag: expect.any(String),
      secrets: { RPC_ENDPOINTS: '{"sepolia": ["https://node.acme.io/$HOME"]}' },
    },
  ]);
  expect(script?.schedules).toEqual([{ cron: '17 3 * * *' }, { cron: '47 * * * *' }]);
  expect(script?.subdomain.enabled).toBe(true);
  expect(cloudflare.account.queues.map(({ consumers }) => consumers.map((each) => each.script))).toEqual(
    Array(3).fill(['gatepass-imitated']),
  );

  // A later release and a change of secrets keep the other secrets, and are versions of their own.
  expect((await wrangler('deploy', ...config)).code).toBe(0);
  writeFileSync(join(folder, 'more.json'), JSON.stringify({ CLOSED_SHARDS: 'DB' }));
  expect((await wrangler('secret', 'bulk', join(folder, 'more.json'), ...config)).code).toBe(0);
  expect(script?.versions.map(({ secrets }) => Object.keys(secrets))).toEqual([
    ['RPC_ENDPOINTS'],
    ['RPC_ENDPOINTS'],
    ['RPC_ENDPOINTS', 'CLOSED_SHARDS'],
  ]);
  expect((await wrangler('secret', 'list', ...config)).printed).toContain('CLOSED_SHARDS');
  const versions = JSON.parse((await wrangler('versions', 'list', '--json', ...config)).printed);
  expect(versions).toHaveLength(3);
  const status = JSON.parse((await wrangler('deployments', 'status', '--json', ...config)).printed);
  expect(status.versions).toEqual([{ version_id: script?.versions[2]?.id, percentage: 100 }]);
  expect(cloudflare.unknown).toEqual([]);
});

it('refuses a request that it does not know, a body of another shape, a wrong token and a missing permission', async () => {
  const base = `${cloudflare.env.CLOUDFLARE_API_BASE_URL}/accounts/${cloudflare.account.id}`;
  const headers = { authorization: `Bearer ${cloudflare.env.CLOUDFLARE_API_TOKEN}` };
  const statusOf = async (path: string, init: RequestInit = {}) =>
    (await fetch(base + path, { headers, ...init })).status;
  expect(await statusOf('/d1/databases')).toBe(404);
  expect(await statusOf('/queues?sort=name')).toBe(404);
  expect(await statusOf('/queues', { method: 'POST', body: '{"name": "x"}' })).toBe(400);
  expect(cloudflare.unknown.splice(0)).toHaveLength(3);
  expect(await statusOf('/queues', { headers: {} })).toBe(401);
  cloudflare.denied.add('Queues');
  expect(await statusOf('/queues')).toBe(403);
  cloudflare.denied.clear();
  expect(await statusOf('/queues')).toBe(200);
});
