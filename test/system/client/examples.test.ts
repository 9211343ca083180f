import { afterAll, expect, inject, it } from 'vitest';
import { chainOf, freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import { PartnerClient } from '../../../localnet/partner/partner-client.ts';
import { freePort } from '../../../localnet/state/ports.ts';
import { ChainWitness } from '../../../localnet/witness/chain-witness.ts';
import { runProgram } from '../run-program.ts';
import { MoodyFront } from './moody-front.ts';
import { runNewman } from './run-newman.ts';

/** What partners copy is run as it is, against the service and both chains. */

const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  'curl.sh': ['bash', 'examples/curl.sh'],
  'node.mjs': [process.execPath, 'examples/node.mjs'],
  'python.py': ['python3', 'examples/python.py'],
};
const names = Object.keys(PROGRAMS);

const facts = inject('gatepass');
const witness = new ChainWitness(
  () => facts,
  () => facts.partners[0]?.gatekeeperNetwork ?? '',
);
const fronts: MoodyFront[] = [];

afterAll(() => {
  for (const front of fronts) front.stop();
});

/** Somebody in front of that server, and where. */
async function inFrontOf(target: string, retryAfter: number) {
  const front = new MoodyFront(target, retryAfter);
  fronts.push(front);
  return { front, url: await front.start() };
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

it.concurrent.each(onBothChains)('%s issues on %s, waits until it is on chain, and finds it', async (name, network) => {
  const wallet = freshWallet(network);
  const { code, stdout, stderr } = await run(name, [chainOf(network), network, wallet]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [record, search, ...more] = lines(stdout);
  expect(record).toMatchObject({ walletAddress: wallet, state: 'ACTIVE', onChainState: 'ACTIVE' });
  expect(search).toEqual({ records: [record] });
  expect(more).toEqual([]);
  expect(await witness.accepts(network, wallet)).toBe(true);
});

interface Wrong {
  readonly what: string;
  readonly changes?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly code: number;
  readonly told: RegExp;
}

const ID = '[0-9a-f]{8}-[0-9a-f-]{27}';
const WRONG: readonly Wrong[] = [
  {
    what: 'a wrong secret',
    changes: { GATEPASS_CLIENT_SECRET: 'wrong"&%\\7f3a' },
    code: 1,
    told: /^token: 401 invalid_client \nclient authentication failed\n$/,
  },
  {
    what: 'a wallet that is none',
    args: ['ethereum', 'sepolia', '0x12'],
    code: 1,
    told: RegExp(`^issue: 400 invalid_wallet ${ID}\\n(.*\\n)?.*must be 0x and 40 hex digits.*\\n$`),
  },
  {
    what: 'a scope that does not do',
    changes: { GATEPASS_SCOPE: 'search:pass' },
    code: 1,
    told: RegExp(`^issue: 403 insufficient_scope ${ID}\\n`),
  },
  { what: 'a variable missing', changes: { GATEPASS_URL: '' }, code: 2, told: /^GATEPASS_URL is not set\n$/ },
  { what: 'no wallet', args: ['ethereum', 'sepolia'], code: 2, told: /^usage: .* CHAIN NETWORK WALLET, for example/ },
];

const wrong = names.flatMap((name) => WRONG.map((each) => ({ name, ...each })));

it.concurrent.each(wrong)('$name says what is wrong with $what', async ({ name, changes, args, code, told }) => {
  const ran = await run(name, args ?? ['ethereum', 'sepolia', freshWallet('sepolia')], changes);
  expect(ran).toEqual({ code, stdout: '', stderr: expect.stringMatching(told) });
  expect(ran.stderr).not.toContain('7f3a');
});

it.concurrent.each(names)('%s says that nobody answers', async (name) => {
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const ran = await run(name, ['ethereum', 'sepolia', freshWallet('sepolia')], { GATEPASS_URL: nowhere });
  expect(ran).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^issue: no answer/m) });
});

it.concurrent.each(names)(
  '%s comes again when Retry-After says, and looks again where it may not wait',
  async (name) => {
    const [service, issuer] = await Promise.all([inFrontOf(facts.baseUrl, 1), inFrontOf(facts.issuer, 1)]);
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
      issuer.front.to('POST', '/oauth/token'),
      service.front.to('POST', '/pass/ethereum/sepolia'),
      service.front.to('GET', `/pass/ethereum/sepolia/${wallet}`),
      service.front.to('POST', '/pass'),
    ];
    for (const [first, second] of [token, issue, look, search]) {
      expect((second?.at ?? 0) - (first?.at ?? 0), first?.path).toBeGreaterThanOrEqual(950);
      expect(second?.body).toBe(first?.body);
    }
    expect(issue[0]?.headers.prefer).toBe('wait=20');
    expect(look[0]?.headers.prefer).toBe('wait=20');
    expect(search[0]?.headers['gatepass-bookmark']).toMatch(/^\S{20,}$/);
    expect(new URLSearchParams(issuer.front.seen[0]?.body).get('audience')).toBe('https://api.example.com/?a=b&c');
  },
);

it.concurrent.each(names)('%s gives up where it would have to wait for long', async (name) => {
  const service = await inFrontOf(facts.baseUrl, 3_600);
  const args = ['ethereum', 'sepolia', freshWallet('sepolia')];
  const { code, stderr } = await run(name, args, { GATEPASS_URL: service.url });
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'issue: 503 temporarily_unavailable r-1\nNot now.\n' });
  expect(service.front.seen).toHaveLength(1);
});

const variables = (more: Readonly<Record<string, string>>) => ({
  baseUrl: facts.baseUrl,
  tokenUrl: facts.tokenUrl,
  clientId: 'acme',
  clientSecret: 'acme-secret',
  ...more,
});

it.concurrent.each(['sepolia', 'devnet'])('the collection leads a pass on %s through its life', async (network) => {
  const pass = { chain: chainOf(network), chainNetwork: network, wallet: freshWallet(network) };
  const { code, answers, failures } = await runNewman(['Passes', 'Service'], variables(pass));
  expect({ code, failures }).toEqual({ code: 0, failures: [] });
  expect(answers.map(({ status }) => status)).toEqual([202, 200, 200, 200, 200, 200, 200]);
  const [issued, fetched, frozen, revoked, synced, found] = answers.map(({ body }) => body);
  expect(issued).toMatchObject({ walletAddress: pass.wallet, state: 'ACTIVE', onChainState: 'ACTIVE' });
  expect(fetched).toEqual(issued);
  expect(frozen).toMatchObject({ status: 'ok', state: 'FROZEN', onChainState: 'FROZEN' });
  expect(revoked).toMatchObject({ state: 'REVOKED', onChainState: 'REVOKED' });
  expect(await witness.token(network, pass.wallet)).toMatchObject({ state: 'REVOKED' });
  expect(found).toEqual({ records: [synced] });
});

it.concurrent('the collection says what is wrong with a wrong secret', async () => {
  const { code, failures } = await runNewman(['Fetch the pass of a wallet'], variables({ clientSecret: 'wrong' }));
  expect(code).toBe(1);
  expect(failures[0]).toContain('{"error":"invalid_client"');
});

it.concurrent('the collection has what the operator asks, with a token of its own', async () => {
  const { clientId, clientSecret } = facts.operator;
  const credentials = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const answer = await fetch(facts.tokenUrl, { method: 'POST', body: new URLSearchParams(credentials) });
  const { access_token } = (await answer.json()) as { access_token: string };
  const wallet = freshWallet('sepolia');
  await new PartnerClient(facts, 'acme').issue('sepolia', wallet);
  const asOperator = variables({ wallet, clientId: '', operatorToken: access_token });
  const { code, answers } = await runNewman(['Operator'], asOperator);
  expect(code).toBe(0);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 202, 200, 200]);
});
