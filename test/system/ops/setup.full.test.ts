import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { ApiRefusal } from '../../../tools/localnet/cloudflare/refusal.ts';
import { type Cloudflare, startCloudflare } from '../../../tools/localnet/cloudflare/server.ts';
import { GOOD_VARIABLES } from '../../deployments-folder.ts';
import { LONG } from '../../form.ts';

/**
 * `npm run setup` with the real wrangler, at the imitation of Cloudflare's API. No service runs there, so the command ends at the step
 * of the first partner, which needs the operator's credentials.
 */

const KEY = 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf';
let cloudflare: Cloudflare;
let folder: string;
let child: ChildProcess | undefined;
/** The output of all runs of a test. */
let printedSoFar: string;

beforeEach(async () => {
  printedSoFar = '';
  cloudflare = await startCloudflare();
  folder = mkdtempSync(join(tmpdir(), 'gatepass-setup-'));
});
afterEach(async () => {
  expect(cloudflare.unknown).toEqual([]);
  await cloudflare.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const OPTIONS = [
  ...Object.entries({
    ...GOOD_VARIABLES,
    TOKEN_ISSUER: 'https://acme.auth0.com/',
    JWKS_URL: 'https://acme.auth0.com/keys',
  }).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  ...['--ethereum-key', 'new', '--solana-key', 'new', '--route', 'passes.acme.io'],
  ...['--rpc', 'sepolia=https://node.acme.io'],
  ...['--rpc', 'devnet=https://solana.acme.io', '--client-id', 'c1', '--name', 'Acme', '--gatekeeper-network', KEY],
  ...['--networks', 'sepolia', '--daily-issuances', '5', '--daily-changes', '5'],
];

const secrets = () => join(folder, 'own.secrets');
const values = () => join(folder, 'own.toml');

async function setup(...options: string[]) {
  const args = [join(PROJECT, 'ops/setup.ts'), '--env', 'own', '--secrets', secrets(), ...options];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: folder, CI: 'true', GATEPASS_DEPLOYMENTS: folder, ...cloudflare.env };
  child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (printed += text));
  const [code] = await once(child, 'close');
  printedSoFar += printed;
  return { code, printed };
}

/** The requests that check the credentials. */
const CHECK = ['GET /d1/database'];

/** The account and the files of a deployment that is set up, up to the first partner. */
function expectComplete(): void {
  const { databases, queues, scripts } = cloudflare.account;
  expect(databases.map(({ name }) => name)).toEqual(['gatepass-own']);
  expect(queues.map(({ queue_name: name }) => name).sort()).toEqual([
    'gatepass-own-bulk-passes',
    'gatepass-own-passes',
    'gatepass-own-passes-dead',
  ]);
  expect([...scripts.keys()]).toEqual(['gatepass-own']);
  const script = scripts.get('gatepass-own');
  // No version was ever without its secrets.
  for (const version of script?.versions ?? [])
    expect(Object.keys(version.secrets).sort()).toEqual([
      'ETHEREUM_GATEKEEPER_KEY',
      'RPC_ENDPOINTS',
      'SOLANA_GATEKEEPER_KEY',
    ]);
  expect(script?.schedules).toHaveLength(2);
  expect(queues.map(({ consumers }) => consumers.length)).toEqual([1, 1, 1]);
  expect(readFileSync(values(), 'utf8').split(databases[0]?.uuid ?? '')).toHaveLength(2);
}

/** Runs the setup, which is killed at a request to Cloudflare. */
async function killedAt(request: string, times: number): Promise<void> {
  let left = times;
  cloudflare.beforeRequest = (each) => {
    if (each !== request || --left > 0) return;
    child?.kill('SIGKILL');
    throw new ApiRefusal(400, 10000, 'The command was killed');
  };
  const { code } = await setup(...OPTIONS);
  expect([request, left, code]).toEqual([request, 0, null]);
  cloudflare.beforeRequest = () => undefined;
}

/** Runs the setup, which fails with this text. */
async function failsWith(text: string): Promise<void> {
  const { code, printed } = await setup(...OPTIONS);
  expect([code, printed]).toEqual([1, expect.stringContaining(text)]);
}

// `first-deployment.full.test.ts` has the run that nothing stops.
it('takes an empty account to a release with its secrets, through kills and failures, and creates nothing twice', {
  timeout: 1_200_000,
}, async () => {
  const planned = await setup('--dry-run', ...OPTIONS);
  expect([planned.code, cloudflare.requests, readdirSync(folder).filter((name) => name.startsWith('own'))]).toEqual([
    0,
    [],
    [],
  ]);
  expect(planned.printed.match(/^\d of 8: /gm)).toHaveLength(8);
  for (const line of [
    ...['routes = [{ pattern = "passes.acme.io", custom_domain = true }]', 'PUBLIC_ORIGIN = "https://passes.acme.io"'],
    // The setup knows the settings of this issuer, and a given value replaces one of them.
    ...['CLIENT_CLAIM = "azp"', 'SCOPE_CLAIM = "scope"', 'TOKEN_URL = "https://acme.auth0.com/oauth/token"'],
    ...['JWKS_URL = "https://acme.auth0.com/keys"', 'ETHEREUM_GATEKEEPER_KEY: a new key', '--daily-changes 5'],
    ...['RPC_ENDPOINTS: for sepolia, devnet', `--gatekeeper-network ${KEY}`],
  ])
    expect(planned.printed).toContain(`\n  ${line}\n`);
  // The URL of an endpoint may have a key.
  expect(planned.printed).not.toContain('node.acme.io');

  await killedAt('POST /queues', 2);
  // Another program uses the name.
  await cloudflare.account.addDatabase('gatepass-own').run(['CREATE TABLE invoices (id INTEGER)'], []);
  await failsWith('another database with the name gatepass-own (with the table invoices)');
  cloudflare.account.databases.length = 0;
  const text = readFileSync(secrets(), 'utf8');
  expect(statSync(secrets()).mode & 0o777).toBe(0o600);

  if (LONG) await killedAt('POST /d1/database', 1);
  // The database exists, and its id is in no file.
  await killedAt('GET /d1/database', 3);
  if (LONG) await killedAt('POST /d1/database/:id/query', 2);
  cloudflare.denied.add('D1');
  await failsWith('Authentication error');
  cloudflare.denied.clear();
  cloudflare.beforeRequest = (request) => {
    if (request === 'PUT /workers/scripts/:name') throw new ApiRefusal(400, 10013, 'An unknown error has occurred');
  };
  await failsWith('the release failed: correct it');
  expect(cloudflare.account.scripts.size).toBe(0);
  cloudflare.beforeRequest = () => undefined;
  if (LONG) await killedAt('PUT /workers/scripts/:name', 1);
  // The version runs, without its schedules.
  await killedAt('PUT /workers/scripts/:name/schedules', 1);

  // The operator has deleted the file. New keys would replace those in service.
  rmSync(secrets());
  const last = await setup(...OPTIONS);
  expect([last.code, last.printed]).toEqual([1, expect.stringMatching(/7 of 8: First partner\nset GATEPASS_TOKEN/)]);
  expect(existsSync(secrets())).toBe(false);
  expect(last.printed).toContain('the queue gatepass-own-passes exists');
  expectComplete();
  for (const [, key = ''] of text.matchAll(/^\w+_KEY='(.*)'$/gm)) expect(printedSoFar).not.toContain(key);
  // The values of each version are those of the file, letter by letter.
  for (const version of cloudflare.account.scripts.get('gatepass-own')?.versions ?? [])
    for (const [name, value] of Object.entries(version.secrets)) expect(text).toContain(`${name}='${value}'\n`);
  // The checklist has the values of the deployment and what the provider needs.
  expect(last.printed).toContain('an API (resource) for partners with the identifier https://passes.acme.io');
  expect(last.printed).toMatch(/- Auth0: CLIENT_CLAIM=azp/);
  expect(last.printed).not.toMatch(/- Okta/);
});

it('names the missing options where nobody can answer, and writes nothing', async () => {
  const { code, printed } = await setup('--set', 'PUBLIC_ORIGIN=https://passes.acme.io');
  expect([code, printed]).toEqual([2, expect.stringContaining('so give --set TOKEN_ISSUER=…, --set JWKS_URL=…')]);
  const known = await setup('--set', 'TOKEN_ISSUER=https://acme.okta.com/oauth2/a');
  expect(known.printed).toContain('so give --set PUBLIC_ORIGIN=…, --set TOKEN_AUDIENCE=…, --set ADMIN_AUDIENCE=…\n');
  expect([existsSync(values()), existsSync(secrets())]).toEqual([false, false]);
  const refused = await setup(...OPTIONS, '--set', 'TOKEN_ISUER=x');
  expect(refused.printed).toContain('TOKEN_ISUER is not a variable of wrangler.toml');
  expect(new Set(cloudflare.requests)).toEqual(new Set(CHECK));
});

it('takes a file of secrets that exists, never overwrites it, and stops if the values do not fit', async () => {
  const text = `RPC_ENDPOINTS='{"mainnet": ["https://node.acme.io"]}'\n`;
  writeFileSync(secrets(), text, { mode: 0o600 });
  await failsWith('own.toml does not fit the secrets: MAINNETS must name mainnet');
  expect(readFileSync(secrets(), 'utf8')).toBe(text);
  expect(new Set(cloudflare.requests)).toEqual(new Set(CHECK));
});

it('checks the credentials before it asks for anything, and writes nothing if Cloudflare refuses them', async () => {
  cloudflare.denied.add('D1');
  const { code, printed } = await setup();
  expect([code, printed]).toEqual([1, expect.stringMatching(/^Cloudflare does not accept the credentials: run `npx/)]);
  expect([existsSync(values()), existsSync(secrets())]).toEqual([false, false]);
});
