import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { collectionOf } from '../../../tools/collection/collection.ts';
import { chainOf } from '../../../tools/localnet/partner/chain-of.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { ChainWitness } from '../chain-witness.ts';
import { runProgram } from '../run-program.ts';
import { type BusyProxy, startBusyProxy } from './busy-proxy.ts';
import { runCollection } from './run-collection.ts';

/** Runs the examples that partners copy against the service and both chains. */

const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  'curl.sh': ['bash', 'examples/curl.sh'],
  'node.mjs': [process.execPath, 'examples/node.mjs'],
  'gatepass.py': ['python3', 'examples/gatepass.py'],
};
const names = Object.keys(PROGRAMS);

const facts = inject('gatepass');
const witness = new ChainWitness(
  () => facts,
  () => facts.partners[0]?.gatekeeperNetwork ?? '',
);
const proxies: BusyProxy[] = [];

afterAll(() => {
  for (const proxy of proxies) proxy.stop();
});

async function putProxyInFrontOf(target: string, retryAfterSeconds: number): Promise<BusyProxy> {
  const proxy = await startBusyProxy(target, retryAfterSeconds);
  proxies.push(proxy);
  return proxy;
}

const settings = () => ({
  GATEPASS_URL: facts.baseUrl,
  GATEPASS_TOKEN_URL: facts.tokenUrl,
  GATEPASS_CLIENT_ID: 'acme',
  GATEPASS_CLIENT_SECRET: 'acme-secret',
});

const run = (name: string, args: readonly string[], changes: Readonly<Record<string, string>> = {}) =>
  runProgram([...(PROGRAMS[name] ?? []), ...args], { ...settings(), ...changes });

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const onBothChains = names.flatMap((name) => ['sepolia', 'devnet'].map((network) => [name, network] as const));

it.concurrent.each(onBothChains)(
  '%s issues a pass on %s, waits until it is on chain, and finds it by a search',
  async (name, network) => {
    const wallet = freshWallet(network);
    const { code, stdout, stderr } = await run(name, [chainOf(network), network, wallet]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [record, search, ...more] = lines(stdout);
    expect(record).toMatchObject({ walletAddress: wallet, state: 'ACTIVE', onChainState: 'ACTIVE' });
    expect(search).toEqual({ records: [record] });
    expect(more).toEqual([]);
    expect(await witness.accepts(network, wallet)).toBe(true);
  },
);

interface Mistake {
  readonly mistake: string;
  readonly changes?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly code: number;
  readonly message: RegExp;
}

const ID = '[0-9a-f]{8}-[0-9a-f-]{27}';
const MISTAKES: readonly Mistake[] = [
  {
    mistake: 'a wrong secret',
    changes: { GATEPASS_CLIENT_SECRET: 'wrong"&%\\7f3a' },
    code: 1,
    message: /^token: 401 invalid_client \nclient authentication failed\n$/,
  },
  {
    mistake: 'an invalid wallet',
    args: ['ethereum', 'sepolia', '0x12'],
    code: 1,
    message: RegExp(`^issue: 400 invalid_wallet ${ID}\\n(.*\\n)?.*must be 0x and 40 hex digits.*\\n$`),
  },
  {
    mistake: 'an insufficient scope',
    changes: { GATEPASS_SCOPE: 'search:pass' },
    code: 1,
    message: RegExp(`^issue: 403 insufficient_scope ${ID}\\n`),
  },
  { mistake: 'a missing variable', changes: { GATEPASS_URL: '' }, code: 2, message: /^GATEPASS_URL is not set\n$/ },
  {
    mistake: 'no wallet',
    args: ['ethereum', 'sepolia'],
    code: 2,
    message: /^usage: .* CHAIN NETWORK WALLET, for example/,
  },
];

const mistakes = names.flatMap((name) => MISTAKES.map((each) => ({ name, ...each })));

it.concurrent.each(mistakes)('$name names the mistake: $mistake', async ({ name, changes, args, code, message }) => {
  const ran = await run(name, args ?? ['ethereum', 'sepolia', freshWallet('sepolia')], changes);
  expect(ran).toEqual({ code, stdout: '', stderr: expect.stringMatching(message) });
  expect(ran.stderr).not.toContain('7f3a');
});

it.concurrent.each(names)('%s reports that the service does not answer', async (name) => {
  const nowhere = `http://127.0.0.1:${await findFreePort()}`;
  const ran = await run(name, ['ethereum', 'sepolia', freshWallet('sepolia')], { GATEPASS_URL: nowhere });
  expect(ran).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^issue: no answer/m) });
});

it.concurrent.each(names)(
  '%s retries after the time in Retry-After, and polls a service that does not support waiting',
  async (name) => {
    const [service, issuer] = await Promise.all([
      putProxyInFrontOf(facts.baseUrl, 1),
      putProxyInFrontOf(facts.issuer, 1),
    ]);
    const changes = {
      GATEPASS_URL: `${service.url}/`,
      GATEPASS_TOKEN_URL: `${issuer.url}/oauth/token`,
      GATEPASS_AUDIENCE: 'https://api.example.com/?a=b&c',
    };
    const wallet = freshWallet('sepolia');
    const { code, stdout, stderr } = await run(name, ['ethereum', 'sepolia', wallet], changes);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('requested, not on chain yet\n') });
    expect(lines(stdout)[0]).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });

    const [token, issue, look, search] = [
      issuer.requestsTo('POST', '/oauth/token'),
      service.requestsTo('POST', '/pass/ethereum/sepolia'),
      service.requestsTo('GET', `/pass/ethereum/sepolia/${wallet}`),
      service.requestsTo('POST', '/pass'),
    ];
    for (const [first, second] of [token, issue, look, search]) {
      expect((second?.receivedMs ?? 0) - (first?.receivedMs ?? 0), first?.path).toBeGreaterThanOrEqual(950);
      expect(second?.body).toBe(first?.body);
    }
    expect(issue[0]?.headers.prefer).toBe('wait=20');
    expect(look[0]?.headers.prefer).toBe('wait=20');
    expect(search[0]?.headers['gatepass-bookmark']).toMatch(/^\S{20,}$/);
    expect(new URLSearchParams(issuer.requests[0]?.body).get('audience')).toBe('https://api.example.com/?a=b&c');
  },
);

it.concurrent.each(names)('%s does not retry after an hour in Retry-After', async (name) => {
  const service = await putProxyInFrontOf(facts.baseUrl, 3_600);
  const args = ['ethereum', 'sepolia', freshWallet('sepolia')];
  const { code, stderr } = await run(name, args, { GATEPASS_URL: service.url });
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'issue: 503 temporarily_unavailable r-1\nNot now.\n' });
  expect(service.requests).toHaveLength(1);
});

const variables = (more: Readonly<Record<string, string>>) => ({
  baseUrl: facts.baseUrl,
  tokenUrl: facts.tokenUrl,
  clientId: 'acme',
  clientSecret: 'acme-secret',
  ...more,
});

it.concurrent.each(['sepolia', 'devnet'])(
  'the Postman collection issues, freezes and revokes a pass on %s',
  async (network) => {
    const pass = { chain: chainOf(network), chainNetwork: network, wallet: freshWallet(network) };
    const { answers, failures } = await runCollection(['Passes', 'Service'], variables(pass));
    expect(failures).toEqual([]);
    expect(answers.map(({ status }) => status)).toEqual([202, ...Array(12).fill(200)]);
    const [issued, fetched, frozen, revoked, synced, , , , found] = answers.map(({ body = '' }) => JSON.parse(body));
    expect(issued).toMatchObject({ walletAddress: pass.wallet, state: 'ACTIVE', onChainState: 'ACTIVE' });
    expect(fetched).toEqual(issued);
    expect(frozen).toMatchObject({ status: 'ok', state: 'FROZEN', onChainState: 'FROZEN' });
    expect(revoked).toMatchObject({ state: 'REVOKED', onChainState: 'REVOKED' });
    expect(await witness.token(network, pass.wallet)).toMatchObject({ state: 'REVOKED' });
    expect(found).toEqual({ records: [synced] });
  },
);

it.concurrent('the Postman collection shows the error of a wrong client secret', async () => {
  const { failures } = await runCollection(['Fetch the pass of a wallet'], variables({ clientSecret: 'wrong' }));
  expect(failures[0]).toContain('{"error":"invalid_client"');
});

it.concurrent("the examples of the operator's document are valid requests", async () => {
  const { clientId, clientSecret } = facts.operator;
  const credentials = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const answer = await fetch(facts.tokenUrl, { method: 'POST', body: new URLSearchParams(credentials) });
  const { access_token } = (await answer.json()) as { access_token: string };
  const wallet = freshWallet('sepolia');
  await new LocalnetPartner(facts, 'acme').issue('sepolia', wallet);
  const document = JSON.parse(readFileSync(join(PROJECT, 'docs/operators/openapi.json'), 'utf8'));
  const asOperator = variables({ wallet, clientId: '', accessToken: access_token });
  const { answers, failures } = await runCollection(['Operator'], asOperator, collectionOf(document));
  expect(failures).toEqual([]);
  // Seven requests are refused: the clients of the examples are not registered yet, a program decides no approval, the reconciliation
  // holds no findings to accept, the service has no database to move to, and the example's object and webhook belong to another service.
  expect(answers.map(({ status }) => status)).toEqual([
    ...[200, 200, 200, 200, 200, 202, 202, 400, 200, 400, 200, 403, 200, 404, 400, 200, 400, 200, 404, 200],
    ...[200, 201, 200, 201, 200, 200, 200, 200, 200, 200],
  ]);
});
