import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { GATEKEEPER_KEYS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { GATEKEEPER_NETWORKS } from '../../../tools/localnet/oauth/partners.ts';
import { valuesText } from '../../deployments-folder.ts';
import { type FaultProxy, type ProxiedRequest, startFaultProxy } from '../fault-proxy.ts';
import { runProgram } from '../run-program.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';

/** The dry run of each kind of command, against a running service and a node whose requests a proxy records. */

const facts = inject('gatepass');
const folder = mkdtempSync(join(tmpdir(), 'gatepass-dry-run-'));
const file = (name: string) => join(folder, name);
const KEY = GATEKEEPER_NETWORKS[0] ?? '';
const LIMITS = ['--networks', 'sepolia', '--daily-issuances', '5', '--daily-changes', 'unlimited'];

const sent: ProxiedRequest[] = [];
let service: FaultProxy;
let node: RecordingProxy;
beforeAll(async () => {
  const { origin, pathname } = new URL(facts.baseUrl ?? '');
  service = await startFaultProxy(origin, (request, { forward }) => {
    sent.push(request);
    return forward(request);
  });
  node = await startRecordingProxy(facts.rpc.sepolia ?? '');
  const baseUrl = service.url + pathname.replace(/\/$/, '');
  writeFileSync(file('localnet.json'), JSON.stringify({ ...facts, baseUrl }));
  writeFileSync(file('key'), GATEKEEPER_KEYS[0] ?? '', { mode: 0o600 });
});
beforeEach(() => {
  sent.length = 0;
});
afterAll(() => {
  service?.stop();
  node?.stop();
  rmSync(folder, { recursive: true });
});

async function dryRun(command: string, ...args: readonly string[]): Promise<string> {
  const options = ['--local', '--localnet', file('localnet.json'), '--dry-run'];
  const program = [process.execPath, `ops/${command}.ts`, ...args, ...options];
  const { code, stdout, stderr } = await runProgram(program, {});
  expect([code, stderr], stdout).toEqual([0, '']);
  expect(stdout.endsWith('Nothing was changed.\n'), stdout).toBe(true);
  expect(sent.filter(({ method }) => method !== 'GET')).toEqual([]);
  return stdout;
}

it.each([
  {
    args: ['add', '--client-id', 'dry', '--name', 'Dry', '--gatekeeper-network', KEY, ...LIMITS],
    step:
      'send POST /admin/partners {"clientId":"dry","name":"Dry",' +
      `"gatekeeperNetwork":"${KEY}","networks":["sepolia"],"dailyIssuances":5,"dailyChanges":null}`,
  },
  {
    args: ['set', 'acme', '--lifetime', '60', '--reason', 'why'],
    step: 'send PATCH /admin/partners/acme {"passLifetime":60,"reason":"why"}',
  },
  {
    args: ['suspend', 'acme', '--reason', 'why'],
    step: 'send PATCH /admin/partners/acme {"status":"suspended","reason":"why"}',
  },
  { args: ['resume', 'acme'], step: 'send PATCH /admin/partners/acme {"status":"active"}' },
  {
    args: ['network', KEY, '--public-verify', 'on'],
    step: `send PATCH /admin/gatekeeper-networks/${KEY} {"publicVerify":true}`,
  },
  {
    args: ['rules', KEY, '--subject-max-passes', 'none', '--subject-required', 'on', '--reason', 'why'],
    step:
      `send PATCH /admin/gatekeeper-networks/${KEY}/rules ` +
      '{"subjectMaxPasses":null,"subjectRequired":true,"reason":"why"}',
  },
])('`partner $args.0 --dry-run` shows its request and sends none', async ({ args, step }) => {
  const printed = await dryRun('partner', ...args);
  const { steps, wanted } = { steps: requestIn(printed), wanted: requestIn(`  ${step}\n`) };
  expect(steps).toEqual(wanted);
});

/** The order of the fields in a body does not matter. */
function requestIn(printed: string) {
  const [, request, body = ''] = /^ {2}(send [A-Z]+ \S+) (.*)$/m.exec(printed) ?? [];
  return { request, body: JSON.parse(body) };
}

it('`partner import --dry-run` shows each request, and refuses a wrong file', async () => {
  const row = { client_id: 'dry', name: 'Dry', gatekeeper_network: KEY };
  writeFileSync(file('wrong.json'), JSON.stringify({ gatekeeper_networks: [], partners: [row] }));
  const wrong = [process.execPath, 'ops/partner.ts', 'import', file('wrong.json'), '--local', '--dry-run'];
  expect(await runProgram(wrong, {})).toMatchObject({ code: 2, stdout: '' });
  const rows = { gatekeeper_networks: [{ key: KEY, shard: 'DB', public_verify: 0, contracts: '{}' }], partners: [] };
  writeFileSync(file('rows.json'), JSON.stringify(rows));
  expect(await dryRun('partner', 'import', file('rows.json'))).toContain('  send POST /admin/partners/import {"gat');
});

it('`shard move --dry-run` shows whether a move has begun, and begins none', async () => {
  const printed = await dryRun('shard', 'move', KEY, '--to', 'DB_1');
  expect(printed).toContain(`${KEY} is in DB, and does not move now\n`);
  expect(printed).toContain(
    `  send POST /admin/moves {"gatekeeperNetwork":"${KEY}","to":"DB_1"}, and repeat it until the move has ended\n`,
  );
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /admin/moves',
    'GET /admin/partners?limit=100',
  ]);
});

const NOBODYS_KEY = base58.encode(new Uint8Array(32).fill(7));
it.each([
  [
    'partner',
    'set',
    ['nobody', '--lifetime', '60'],
    'GET /admin/partners/nobody answered 404: No partner has this client id.',
  ],
  ['partner', 'suspend', ['nobody'], 'GET /admin/partners/nobody answered 404: No partner has this client id.'],
  ['partner', 'resume', ['nobody'], 'GET /admin/partners/nobody answered 404: No partner has this client id.'],
  [
    'partner',
    'add',
    ['--client-id', 'acme', '--name', 'Dry', '--gatekeeper-network', KEY, ...LIMITS],
    'acme is a partner already: change it with `npm run partner -- set`',
  ],
  [
    'partner',
    'network',
    [NOBODYS_KEY, '--public-verify', 'on'],
    `no partner has the gatekeeper network ${NOBODYS_KEY}`,
  ],
  [
    'partner',
    'rules',
    [NOBODYS_KEY, '--subject-max-passes', '1'],
    `no partner has the gatekeeper network ${NOBODYS_KEY}`,
  ],
  ['shard', 'move', [NOBODYS_KEY, '--to', 'DB'], `no partner has the gatekeeper network ${NOBODYS_KEY}`],
  ['shard', 'cancel', [KEY, '--to', 'DB'], `${KEY} does not move: it is in DB`],
])('`%s %s --dry-run` fails if the service would refuse the change', async (command, verb, args, why) => {
  const options = ['--local', '--localnet', file('localnet.json'), '--dry-run'];
  const refused = await runProgram([process.execPath, `ops/${command}.ts`, verb, ...args, ...options], {});
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(why) });
  expect(sent.filter(({ method }) => method !== 'GET')).toEqual([]);
  // The service refuses it indeed.
  const real = await runProgram([process.execPath, `ops/${command}.ts`, verb, ...args, ...options.slice(0, -1)], {});
  expect(real.code, real.stdout).not.toBe(0);
});

it('`shard move --dry-run` fails if the deployment has no database of that name', async () => {
  writeFileSync(file('own.toml'), valuesText());
  const args = ['ops/shard.ts', 'move', KEY, '--to', 'DB_7', '--env', 'own', '--url', facts.baseUrl ?? '', '--dry-run'];
  const refused = await runProgram([process.execPath, ...args], {
    GATEPASS_DEPLOYMENTS: folder,
    GATEPASS_TOKEN: 'token',
  });
  expect(refused).toMatchObject({ code: 1, stderr: 'own binds no database DB_7: only DB\n' });
});

it('`emergency --dry-run` shows the secret, and leaves the variables of the Worker as they are', async () => {
  const variables = () => readFileSync(join(facts.state ?? '', 'worker.env'), 'utf8');
  const before = variables();
  expect(await dryRun('emergency', 'suspend', 'acme')).toContain('  set SUSPENDED_CLIENTS: acme\n');
  expect(await dryRun('emergency', 'suspend', 'acme', '--undo')).toContain('  delete the secret SUSPENDED_CLIENTS\n');
  expect(variables()).toBe(before);
});

it('`rebuild --dry-run` counts the objects, and calls none', async () => {
  writeFileSync(file('ids'), `${'ab'.repeat(32)}\n${'cd'.repeat(32)}\n`);
  const printed = await dryRun('rebuild', '--shard', 'DB', '--ids', file('ids'));
  expect(printed).toContain(
    '  begin a rebuild of DB, and send the ids of 2 objects to POST /admin/rebuild, 200 at a time\n',
  );
});

it('`network create --dry-run` shows the transactions with their costs, and sends and stores none', async () => {
  const key = base58.encode(crypto.getRandomValues(new Uint8Array(32)));
  const own = ['--rpc', `sepolia=${node.url}`, '--network', 'sepolia', '--authority-key-file', file('key')];
  const options = ['--name', 'Dry', ...own, '--state', file('state'), '--dry-run'];
  const program = [process.execPath, 'ops/network.ts', 'create', key, ...options];
  const { code, stdout, stderr } = await runProgram(program, {});
  expect([code, stderr], stdout).toEqual([0, '']);
  expect(stdout).toMatch(/, for about [\d.]+ \w+\n/);
  expect(stdout).toMatch(/ {2}send th(is transaction|ese \d+ transactions)\nNothing was changed\.\n$/);
  const methods = node.requests.flat().map(({ method }) => method);
  expect(methods).toContain('eth_estimateGas');
  expect(methods).not.toContain('eth_sendRawTransaction');
  expect(existsSync(file('state'))).toBe(false);
});

it('`network keygen --dry-run` writes no file', async () => {
  const program = [process.execPath, 'ops/network.ts', 'keygen', '--out', file('pair.json'), '--dry-run'];
  expect(await runProgram(program, {})).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Nothing was changed.'),
  });
  expect(existsSync(file('pair.json'))).toBe(false);
});
