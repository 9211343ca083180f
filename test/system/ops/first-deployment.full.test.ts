import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberToHex, parseEther } from 'viem';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { type Runtime, startRuntime } from '../../../tools/localnet/cloudflare/runtime.ts';
import { type Cloudflare, startCloudflare } from '../../../tools/localnet/cloudflare/server.ts';
import { KEY_NAMES } from '../../../tools/localnet/kms/key-names.ts';
import { type KmsServer, startKms } from '../../../tools/localnet/kms/server.ts';
import { networkSettings } from '../../../tools/localnet/nodes.ts';
import { GATEKEEPER_NETWORKS, OPERATOR, PARTNERS } from '../../../tools/localnet/oauth/partners.ts';
import { type OAuthServer, startOAuthServer } from '../../../tools/localnet/oauth/server.ts';
import { callNode } from '../../call-node.ts';
import { hostAt, type PublicHosts, startPublicHosts } from './public-hosts.ts';

/**
 * The rehearsal of docs/operators/deployment.md: the actions of the page take an empty account to a service that the doctor finds in order.
 * Everything runs: wrangler, the uploaded Worker with its databases, queues and objects, a chain, an authorization server. Cloudflare's API,
 * the KMS, the names of hosts and https are imitated, so the deployment is as strict as a real one. Nobody logs in and installs anything here.
 */

const KEY = GATEKEEPER_NETWORKS[0] ?? '';
const [PARTNER] = PARTNERS;
const NAMES = {
  issuer: 'https://login.acme.com',
  audience: 'https://api.acme.com',
  adminAudience: 'https://staff.acme.com',
};
/** The first account of the node, which is the authority of the localnet's gatekeeper networks. */
const AUTHORITY_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

let folder: string;
let cloudflare: Cloudflare;
let runtime: Runtime;
let oauth: OAuthServer;
let hosts: PublicHosts;
const nodeUrl = () => inject('gatepass').rpc.sepolia ?? '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatepass-rehearsal-'));
  cloudflare = await startCloudflare();
  oauth = await startOAuthServer({ names: NAMES });
  kms = await startKms();
  runtime = startRuntime(cloudflare.account, (request) => hosts.fetch(request));
  hosts = await startPublicHosts({
    'login.acme.com': hostAt(oauth.ownOrigin),
    'node.acme.com': hostAt(nodeUrl()),
    'kms.acme.com': hostAt(kms.url),
    'api.acme.com': (request) => runtime.fetch(request),
  });
});
afterAll(async () => {
  hosts.stop();
  await runtime.stop();
  kms.stop();
  await oauth.stop();
  await cloudflare.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The environment of the operator's shell. */
const shell: Record<string, string> = {};

/** Runs a command of the page as `npm run` does. */
async function run(command: string, ...more: string[]) {
  const [script = '', ...args] = command.split(' ');
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const own = { PATH, NODE_COMPILE_CACHE, HOME: folder, CI: 'true', GATEPASS_DEPLOYMENTS: folder };
  const child = spawn(
    process.execPath,
    [
      '--import',
      join(PROJECT, 'test/system/ops/use-public-hosts.ts'),
      join(PROJECT, `ops/${script}.ts`),
      ...args,
      ...more,
    ],
    { env: { ...own, ...cloudflare.env, ...hosts.env, ...shell }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  const [code] = await once(child, 'close');
  return { code, printed };
}

const secrets = () => join(folder, 'production.secrets');
const IN_FOLDER = () => ['--secrets', secrets()];

/** The key that the operator has created in the KMS, by its name. */
const KMS_KEY = `gcp-kms:${KEY_NAMES.gcp.secp256k1}`;
let kms: KmsServer;
let reference = '';
const credentialsFile = () => join(folder, 'kms.json');

/** The values that the operator types on the terminal. */
const ANSWERS = [
  ...['--rpc', 'sepolia=https://node.acme.com'],
  ...Object.entries({
    TOKEN_ISSUER: NAMES.issuer,
    JWKS_URL: `${NAMES.issuer}/.well-known/jwks.json`,
    TOKEN_URL: `${NAMES.issuer}/oauth/token`,
    TOKEN_AUDIENCE: NAMES.audience,
    ADMIN_AUDIENCE: NAMES.adminAudience,
    // The nodes of the localnet have blocks of one second.
    NETWORKS: networkSettings(),
  }).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
];

const filledIn = (command: string) => {
  const own = { ID: PARTNER?.clientId ?? '', NAME: 'Acme', KEY, REFERENCE: reference, 'aws-kms:ARN': KMS_KEY };
  const values: Readonly<Record<string, string>> = { ...own, 'kms.json': credentialsFile() };
  return command.replaceAll(/\b(?:ID|NAME|KEY|REFERENCE|aws-kms:ARN|kms\.json)\b/g, (name) => values[name] ?? name);
};

let gatekeeper = '';

/** The actions of the page by the beginning of their text, and what the operator does. */
const ACTIONS: readonly (readonly [text: string, act: (command: string) => unknown])[] = [
  [
    'In a clone of the repository, run `npm ci --omit=dev`',
    () => expect(existsSync(join(PROJECT, 'node_modules'))).toBe(true),
  ],
  // The variables of the imitation have a token.
  ['Log in with `npx wrangler login`', () => expect(cloudflare.account.scripts.size).toBe(0)],
  [
    'Write the credentials of the KMS into `kms.json`',
    async (command) => {
      const credentials = JSON.stringify({ gcp: { ...kms.credentials.gcp, endpoint: 'https://kms.acme.com' } });
      writeFileSync(credentialsFile(), credentials, { mode: 0o600 });
      shell.KMS_CREDENTIALS = credentials;
      const { code, printed } = await run(command);
      delete shell.KMS_CREDENTIALS;
      expect([code, printed]).toEqual([0, expect.stringMatching(/^gcp-kms:\S+#0x\w{40}\n$/)]);
      reference = printed.trim();
    },
  ],
  [
    'Run the setup',
    async (command) => {
      const { code, printed } = await run(command, ...IN_FOLDER(), ...ANSWERS);
      expect([code, printed]).toEqual([1, expect.stringMatching(/7 of 8: First partner\nset GATEPASS_TOKEN/)]);
      // No key was made, and none is printed.
      expect(printed).toContain(`Ethereum-type networks: ${reference}\n`);
      gatekeeper = reference.split('#')[1] ?? '';
    },
  ],
  ['Set up the authorization server', () => expect(oauth.issuer).toBe(NAMES.issuer)],
  [
    // The chain has both. The key is not a gatekeeper of this network.
    'Create [the contract](gatekeeper-networks.md#the-contract) and [the gatekeeper network]',
    async () => {
      const file = join(folder, 'authority.hex');
      writeFileSync(file, AUTHORITY_KEY, { mode: 0o600 });
      const options = ['--env', 'production', '--authority-key-file', file, '--state', join(folder, 'sent.json')];
      const { code, printed } = await run(
        `network add-gatekeeper ${KEY} ${gatekeeper} --network sepolia --yes`,
        ...options,
        ...IN_FOLDER(),
      );
      expect(code, printed).toBe(0);
    },
  ],
  ['Send [funds]', () => callNode(nodeUrl(), 'anvil_setBalance', [gatekeeper, numberToHex(parseEther('10'))])],
  [
    'Set [the operator’s credentials]',
    async (command) => {
      Object.assign(shell, { GATEPASS_CLIENT_ID: OPERATOR.clientId, GATEPASS_CLIENT_SECRET: OPERATOR.clientSecret });
      const { code, printed } = await run(command, ...IN_FOLDER());
      expect(code, printed).toBe(0);
      expect(printed).toMatch(/\n\d+ ok, 0 failed, /);
      expect(printed).toContain('ok    service: https://api.acme.com is up and configured, and its parts answer');
    },
  ],
  [
    'Store `production.secrets`',
    () => {
      expect(statSync(secrets()).mode & 0o777).toBe(0o600);
      expect(readFileSync(secrets(), 'utf8')).toContain(`ETHEREUM_GATEKEEPER_KEY='${reference}'\n`);
      rmSync(secrets());
      rmSync(credentialsFile());
    },
  ],
  [
    '[Call the service]',
    async () => {
      const body = new URLSearchParams({ grant_type: 'client_credentials' });
      const credentials = Buffer.from(`${PARTNER?.clientId}:${PARTNER?.clientSecret}`).toString('base64');
      const answer = await hosts.fetch(
        new Request(`${NAMES.issuer}/oauth/token`, {
          method: 'POST',
          body,
          headers: { authorization: `Basic ${credentials}` },
        }),
      );
      const { access_token: token } = (await answer.json()) as { access_token: string };
      const called = await hosts.fetch(
        new Request('https://api.acme.com/pass', {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: '{}',
        }),
      );
      expect([called.status, await called.json()]).toEqual([200, { records: [] }]);
    },
  ],
];

/** The actions of the page: their text, and the command that the page shows for it. */
function actionsOfPage(): { text: string; command: string }[] {
  const page = readFileSync(join(PROJECT, 'docs/operators/deployment.md'), 'utf8');
  const [, section = ''] = /## From nothing to a service\n([\s\S]*?)\n## /.exec(page) ?? [];
  return section
    .split(/^\d+\. /m)
    .slice(1)
    .map((text) => ({
      text: text.replaceAll("'", '’'),
      command: /npm run (setup|key) -- (.*)/.exec(text)?.slice(1).join(' ') ?? '',
    }));
}

it('at most ten actions, those of the page, take an empty account to a service that the doctor finds in order', {
  timeout: 300_000,
}, async () => {
  const actions = actionsOfPage();
  expect(actions.length).toBeLessThanOrEqual(10);
  expect(actions.map(({ text }, at) => text.slice(0, ACTIONS[at]?.[0].length))).toEqual(ACTIONS.map(([text]) => text));
  for (const [at, [, act]] of ACTIONS.entries()) await act(filledIn(actions[at]?.command ?? ''));
  expect(cloudflare.account.scripts.get('gatepass-production')?.domains).toEqual(['api.acme.com']);
  expect(cloudflare.unknown).toEqual([]);
});
