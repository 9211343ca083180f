import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { descendantsOf, filterRunning } from '../../../terminal/process-table.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { ApiRefusal } from '../../../tools/localnet/cloudflare/refusal.ts';
import { type Cloudflare, startCloudflare } from '../../../tools/localnet/cloudflare/server.ts';
import { valuesText } from '../../deployments-folder.ts';
import { pollUntil } from '../poll-until.ts';
import { wallet } from '../runbook/rehearsal.ts';

/**
 * A command that hands secrets to the real wrangler is killed while wrangler sends them to the imitation of Cloudflare's API. No file may have
 * them: neither then, nor after wrangler has ended too.
 */

const SECRET = generatePrivateKey();
const LEAKED = wallet();
const folder = mkdtempSync(join(tmpdir(), 'gatepass-killed-'));
const deployments = mkdtempSync(join(tmpdir(), 'gatepass-killed-values-'));
/** The operator's own file. `folder` has the folder of temporary files and the home folder. */
const secrets = join(deployments, 'own.secrets');
let cloudflare: Cloudflare;

beforeAll(async () => {
  cloudflare = await startCloudflare();
  const { uuid } = cloudflare.account.addDatabase('gatepass-own');
  const databases = [{ binding: 'DB', database_name: 'gatepass-own', database_id: uuid }];
  writeFileSync(join(deployments, 'own.toml'), valuesText({ databases }));
  const endpoints = JSON.stringify({ sepolia: ['https://node.acme.io'] });
  writeFileSync(secrets, JSON.stringify({ ETHEREUM_GATEKEEPER_KEY: SECRET, RPC_ENDPOINTS: endpoints }));
  for (const name of ['tmp', 'home']) mkdirSync(join(folder, name));
  for (const queue of ['passes', 'bulk-passes', 'passes-dead'])
    expect((await end(start('wrangler', 'queues', 'create', `gatepass-own-${queue}`))).code).toBe(0);
});
afterAll(async () => {
  await cloudflare.stop();
  for (const each of [folder, deployments]) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
});

function start(command: string, ...args: string[]): ChildProcess {
  const env = {
    ...{ PATH: process.env.PATH, CI: 'true', HOME: join(folder, 'home'), TMPDIR: join(folder, 'tmp') },
    ...{ GATEPASS_DEPLOYMENTS: deployments, GATEPASS_TOKEN: 'token' },
    ...cloudflare.env,
  };
  const program = [join(PROJECT, 'ops', `${command}.ts`), ...args, '--env', 'own'];
  return spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function end(child: ChildProcess) {
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (printed += text));
  const [code] = await once(child, 'close');
  return { code, printed };
}

/** The files other than the operator's own one that have the text. Wrangler puts its bundles beside the values. */
const filesWith = (text: string) =>
  [folder, deployments]
    .flatMap((where) => readdirSync(where, { recursive: true, withFileTypes: true }))
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .filter((file) => file !== secrets && readFileSync(file).includes(text));

/**
 * Kills the command at the request, and returns the files that had the text then, and after wrangler has ended. If the request is refused,
 * wrangler logs why.
 */
async function killAt({ request, isRefused, text, command: [command, ...args] }: Moment) {
  const child = start(command, ...args);
  let atRequest: readonly string[] | undefined;
  let orphans: number[] = [];
  cloudflare.beforeRequest = async (each) => {
    if (each !== request || atRequest) return;
    orphans = (await descendantsOf(child.pid ?? 0)).map(({ pid }) => pid);
    child.kill('SIGKILL');
    atRequest = filesWith(text);
    if (isRefused) throw new ApiRefusal(400, 10013, 'An unknown error has occurred');
  };
  const { code, printed } = await end(child);
  await pollUntil(
    () => filterRunning(orphans),
    ({ length }) => length === 0,
  );
  cloudflare.beforeRequest = () => undefined;
  expect([code, orphans.length > 0], printed).toEqual([null, true]);
  return { atRequest, atEnd: filesWith(text) };
}

interface Moment {
  readonly request: string;
  readonly isRefused: boolean;
  readonly text: string;
  readonly command: readonly [string, ...string[]];
}

const DEPLOY = ['deploy', '--secrets', secrets] as const;
const MOMENTS: readonly Moment[] = [
  { request: 'PUT /workers/scripts/:name', isRefused: true, text: SECRET, command: DEPLOY },
  { request: 'PUT /workers/scripts/:name', isRefused: false, text: SECRET, command: DEPLOY },
  {
    request: 'PATCH /workers/scripts/:name/secrets-bulk',
    isRefused: false,
    text: LEAKED,
    command: ['emergency', 'compromise', LEAKED, '--yes', '--url', 'http://127.0.0.1:1'],
  },
  {
    // Beside the running version. Until the newest one answers all requests, no secret changes.
    request: 'POST /workers/scripts/:name/versions',
    isRefused: false,
    text: SECRET,
    command: [...DEPLOY, '--percent', '10'],
  },
];

it('no file has a secret when the command is killed, and wrangler has it and continues', {
  timeout: 600_000,
}, async () => {
  for (const moment of MOMENTS) {
    expect(await killAt(moment), moment.request).toEqual({ atRequest: [], atEnd: [] });
    const versions = cloudflare.account.scripts.get('gatepass-own')?.versions ?? [];
    expect(JSON.stringify(versions.at(-1)?.secrets ?? {}).includes(moment.text)).toBe(!moment.isRefused);
  }
  expect(cloudflare.unknown).toEqual([]);
});
