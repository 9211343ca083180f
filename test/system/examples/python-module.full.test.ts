import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { chainOf } from '../../../tools/localnet/partner/chain-of.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { startFaultProxy } from '../fault-proxy.ts';
import { runProgram } from '../run-program.ts';

/** The module `examples/gatepass.py` against the service, and against servers that mean harm. */

const facts = inject('gatepass');
const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

const settings = (changes: Readonly<Record<string, string>> = {}) => ({
  GATEPASS_URL: facts.baseUrl,
  GATEPASS_TOKEN_URL: facts.tokenUrl,
  GATEPASS_CLIENT_ID: 'acme',
  GATEPASS_CLIENT_SECRET: 'acme-secret',
  ...changes,
});
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const runExample = (changes: Readonly<Record<string, string>>) =>
  runProgram(['python3', 'examples/gatepass.py', 'ethereum', 'sepolia', WALLET], settings(changes));

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly onChainState: string;
  readonly expiryTimestamp?: number;
  readonly events: readonly object[];
}

it('takes a pass through its life, and reads all pages of the search and of the feed', async () => {
  const wallet = freshWallet('sepolia');
  const program = ['python3', 'test/system/examples/partner-life.py'];
  const ran = await runProgram([...program, chainOf('sepolia'), 'sepolia', wallet, 'baseSepolia'], settings());
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
  const life = JSON.parse(ran.stdout) as Record<string, Shown> & { found: Shown[]; some: Shown[] };
  expect([life.newest, life.before]).toEqual([null, null]);
  expect(life.issued).toMatchObject({ walletAddress: wallet, state: 'ACTIVE', onChainState: 'ACTIVE' });
  expect(life.issued).toMatchObject({ reference: 'order 4711' });
  expect(life.repeated).toEqual(life.issued);
  expect(life.named).toContain(life.issued?.id);
  expect(life.renamed).not.toHaveProperty('reference');
  expect(life.frozen).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
  expect(life.active).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
  expect(life.dated).toMatchObject({ expiryTimestamp: 2208988800, id: life.issued?.id });
  expect(life.elsewhere).toMatchObject({
    state: 'ACTIVE',
    chain: { network: 'baseSepolia' },
    expiryTimestamp: 2208988800,
  });
  expect(life.revoked).toMatchObject({ state: 'REVOKED', onChainState: 'REVOKED' });
  expect(life.found).toEqual([life.elsewhere, life.revoked]);
  expect(life.some).toEqual([life.revoked]);
  expect(life.refusals).toEqual([
    [400, 'unknown_network', 36, expect.any(Number)],
    [409, 'pass_revoked', 36, 0],
    [400, 'invalid_request', 36, 1],
  ]);
  expect(life.events).toEqual([
    ['pass.issued', 'sepolia', 'ACTIVE'],
    ['pass.frozen', 'sepolia', 'FROZEN'],
    ['pass.unfrozen', 'sepolia', 'ACTIVE'],
    ['pass.expiry_changed', 'sepolia', 'ACTIVE'],
    ['pass.issued', 'baseSepolia', 'ACTIVE'],
    ['pass.revoked', 'sepolia', 'REVOKED'],
  ]);
  expect(life.shows).not.toContain('acme-secret');
});

describe('in a sandbox', () => {
  const provoke = async (client: string) => {
    const program = ['python3', 'test/system/examples/partner-sandbox.py', 'solana', 'devnet'];
    const credentials = { GATEPASS_CLIENT_ID: client, GATEPASS_CLIENT_SECRET: `${client}-secret` };
    const { code, stdout, stderr } = await runProgram(program, settings(credentials));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };

  it('moves the clock, and causes events', async () => {
    const { advancedBy, ...rest } = await provoke('sandbox');
    // Between the two questions, real time passes too.
    expect(advancedBy).toBeGreaterThanOrEqual(691_200);
    expect(rest).toEqual({
      refusals: [
        [400, 'invalid_request', ['/advanceSeconds']],
        [400, 'invalid_request', ['/type']],
      ],
      default: { type: 'ethereum', network: 'sepolia' },
      triggered: {
        type: 'pass.rejected',
        pass: { chain: { type: 'solana', network: 'devnet' }, walletAddress: expect.any(String) },
      },
      event: ['pass.rejected', 'REJECTED'],
      notice: { type: 'feed.events_deleted' },
    });
  });

  it('finds no clock and no events for a client of real passes', async () => {
    expect(await provoke('acme')).toEqual({ refusals: Array.from({ length: 3 }, () => [404, 'not_found', []]) });
  });
});

it('comes from the service alone: an empty folder, the base URL and credentials suffice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-python-'));
  stops.push(() => rmSync(folder, { recursive: true }));
  const list = await (await fetch(`${facts.baseUrl}/downloads/index.json`)).json();
  const { downloads } = list as { downloads: { name: string; newest: string; version: string; sha256: string }[] };
  const offered = downloads.find(({ name }) => name === 'gatepass.py');
  const bytes = Buffer.from(await (await fetch(`${facts.baseUrl}/downloads/${offered?.newest}`)).arrayBuffer());
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(offered?.sha256);
  const file = join(folder, 'gatepass.py');
  writeFileSync(file, bytes);
  const version = [
    'python3',
    '-B',
    '-c',
    'import sys; sys.path.insert(0, sys.argv[1]); import gatepass; print(gatepass.__version__)',
  ];
  expect((await runProgram([...version, folder], {})).stdout.trim()).toBe(offered?.version);
  const wallet = freshWallet('sepolia');
  const { code, stderr } = await runProgram(['python3', file, 'ethereum', 'sepolia', wallet], settings());
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

it('fetches another token when the service does not accept the first one', async () => {
  const authorizations: string[] = [];
  const service = await startFaultProxy(facts.baseUrl, async (request, { forward }) => {
    authorizations.push(String(request.headers.authorization));
    // The example's first request gets its first token. The second request uses the stored token.
    if (authorizations.length === 2) return { status: 401, body: '{}' };
    return forward(request);
  });
  stops.push(service.stop);
  const tokens: string[] = [];
  const issuer = await startFaultProxy(facts.issuer, async (request, { forward }) => {
    tokens.push(request.path);
    return forward(request);
  });
  stops.push(issuer.stop);
  const wallet = freshWallet('sepolia');
  const { code, stderr } = await runProgram(
    ['python3', 'examples/gatepass.py', 'ethereum', 'sepolia', wallet],
    settings({ GATEPASS_URL: service.url, GATEPASS_TOKEN_URL: `${issuer.url}/oauth/token` }),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(tokens).toHaveLength(2);
  expect(authorizations[2]).not.toBe(authorizations[1]);
});

describe('a server that means harm', () => {
  async function startServer(listener: RequestListener) {
    const requests: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      requests.push(request);
      listener(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
  }

  it.each([301, 302, 307, 308])('gets neither token nor secret by a redirect with %i', async (status) => {
    const thief = await startServer((_, response) => response.end('{"access_token":"t","expires_in":60}'));
    const redirects = await startServer((_, response) => response.writeHead(status, { location: thief.url }).end());
    const service = await runExample({ GATEPASS_URL: redirects.url });
    const issuer = await runExample({ GATEPASS_TOKEN_URL: redirects.url });
    expect(service.stderr).toMatch(new RegExp(`^issue: ${status} unexpected_answer`));
    expect(issuer.stderr).toMatch(new RegExp(`^token: ${status}`));
    expect([service.code, issuer.code, thief.requests]).toEqual([1, 1, []]);
  });

  it.each([
    ['JSON of a great depth', '['.repeat(200_000)],
    ['a list', '[]'],
    ['a number', '7'],
    ['a problem with fields of other types', '{"code":7,"detail":[],"errors":{"pointer":1}}'],
    ['errors that are no objects', '{"code":"x","detail":"y","errors":[1,null,[]]}'],
  ])('answers with %s, and the program prints one error', async (_, body) => {
    const service = await startServer((__, response) => response.writeHead(400).end(body));
    const { code, stderr } = await runExample({ GATEPASS_URL: service.url });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^issue: 400 (unexpected_answer|x) /);
    expect(stderr).not.toContain('Traceback');
  });

  it('answers with the secret, and the program does not print it', async () => {
    const secret = 's&cr/t=7f3a';
    const body = JSON.stringify({
      error: 'invalid_client',
      error_description: `${secret} ${encodeURIComponent(secret)}`,
    });
    const issuer = await startServer((_, response) => response.writeHead(401).end(body));
    const { code, stderr } = await runExample({ GATEPASS_TOKEN_URL: issuer.url, GATEPASS_CLIENT_SECRET: secret });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'token: 401 invalid_client \n[hidden] [hidden]\n' });
  });

  it('answers with a token that contains a line break, and the program does not send it', async () => {
    const issuer = await startServer((_, response) => response.end(JSON.stringify({ access_token: 'a\r\nX: y' })));
    const service = await startServer((_, response) => response.end('{}'));
    const { code, stderr } = await runExample({ GATEPASS_TOKEN_URL: issuer.url, GATEPASS_URL: service.url });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^token: .* answers without one\n$/) });
    expect(service.requests).toEqual([]);
  });

  it('answers without an end, and the program stops reading', async () => {
    const service = await startServer((_, response) => {
      response.on('error', () => {});
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    const { code, stderr } = await runExample({ GATEPASS_URL: service.url });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^issue: no answer .*too long/) });
  });
});

it.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'http://acme:pw7f3a@127.0.0.1/'])(
  'refuses the URL %s before any request',
  async (url) => {
    const { code, stdout, stderr } = await runExample({ GATEPASS_URL: url });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe('issue: base_url must be a URL that begins with http, without a user name\n');
  },
);
