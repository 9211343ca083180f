import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, inject, it, vi } from 'vitest';
import type { SignerName } from '../../../src/network/network.ts';
import { openSigner } from '../../../src/signer-object/signer.ts';
import { GATEKEEPER_KEYS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { ROUTES } from '../../../tools/openapi/routes.ts';
import { expectProblem } from '../../problem.ts';
import { linesOf } from '../lines-of.ts';
import { Api, workerWith } from './api.ts';

/**
 * A deployed Worker as its partners and its operator see it. `test/unit/config` tests the rules for refused
 * configurations.
 */

const PLANTED = 'planted7f3a';

const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
const logged = () => errors.mock.calls.map((line) => line.join(' ')).join('\n');

const [ETHEREUM_GATEKEEPER_KEY] = GATEKEEPER_KEYS;
const [SOLANA_GATEKEEPER_KEY] = SOLANA_GATEKEEPER_KEYS;
const drawn = crypto.getRandomValues(new Uint8Array(32));

/** A valid configuration. Tests never call its hosts. */
const DEPLOYED = {
  DEPLOYMENT: 'production',
  PUBLIC_ORIGIN: 'https://passes.acme.io',
  TOKEN_ISSUER: 'https://login.acme.io',
  TOKEN_AUDIENCE: 'https://passes.acme.io',
  JWKS_URL: 'https://login.acme.io/jwks',
  TOKEN_URL: 'https://login.acme.io/oauth/token',
  ADMIN_AUDIENCE: 'https://staff.acme.io',
  RPC_ENDPOINTS: '{"sepolia": ["https://rpc.acme.io"]}',
  ETHEREUM_GATEKEEPER_KEY: Array.from(drawn, (byte) => byte.toString(16).padStart(2, '0')).join(''),
  SOLANA_GATEKEEPER_KEY: undefined,
};

const deployedWith = (changes: object) => new Api(undefined, workerWith({ ...DEPLOYED, ...changes }));

it('serves requests with a valid configuration', async () => {
  const api = deployedWith({});
  expect((await api.call('GET', '/health')).status).toBe(200);
  expectProblem(await api.search({}), 'token_missing');
  expect(linesOf(errors, 'request.failed')).toEqual([]);
});

it.each([
  ['an issuer over plain http', 'TOKEN_ISSUER', `http://login.acme.io/${PLANTED}`],
  ['an issuer on localhost', 'TOKEN_ISSUER', `https://localhost/${PLANTED}`],
  ['the issuer of the template', 'TOKEN_ISSUER', `https://issuer.example.com/${PLANTED}`],
  ['no origin', 'PUBLIC_ORIGIN', ''],
  ['the origin of the template', 'PUBLIC_ORIGIN', 'https://api.example.com'],
  ['no audience', 'TOKEN_AUDIENCE', ''],
  ['the audience of the template', 'TOKEN_AUDIENCE', `https://api.example.com/${PLANTED}`],
  ['issuer keys over plain http', 'JWKS_URL', `http://login.acme.io/${PLANTED}`],
  ['issuer keys on a private network', 'JWKS_URL', `https://192.168.1.1/${PLANTED}`],
  ['a symmetric algorithm', 'TOKEN_ALGORITHMS', 'RS256 HS256'],
  ['the algorithm none', 'TOKEN_ALGORITHMS', 'none'],
  ['a token endpoint over plain http', 'TOKEN_URL', `http://login.acme.io/${PLANTED}`],
  ['an operator’s issuer on localhost', 'ADMIN_ISSUER', `https://127.0.0.1/${PLANTED}`],
  ['a node over plain http', 'RPC_ENDPOINTS', `{"sepolia": ["http://rpc.acme.io/${PLANTED}"]}`],
  ['a node on localhost', 'RPC_ENDPOINTS', `{"sepolia": ["https://[::1]/${PLANTED}"]}`],
  ['a development key of Ethereum', 'ETHEREUM_GATEKEEPER_KEY', ETHEREUM_GATEKEEPER_KEY],
  ['a development key of Solana', 'SOLANA_GATEKEEPER_KEY', SOLANA_GATEKEEPER_KEY],
  ['pages over plain http', 'CORS_ORIGINS', `http://${PLANTED}.acme.io`],
  ['a testnet for a mainnet', 'MAINNETS', 'sepolia'],
  ['an unknown kind of deployment', 'DEPLOYMENT', PLANTED],
])('refuses every request with %s, and logs the name %s without its value', async (_, variable, value) => {
  errors.mockClear();
  const api = deployedWith({ ADMIN_JWKS_URL: DEPLOYED.JWKS_URL, [variable]: value });
  for (const { method, path } of [...ROUTES, { method: 'GET', path: '/nowhere' }]) {
    const answer = await api.call(method, path);
    expectProblem(answer, 'not_configured', { retryAfter: '60' });
    const { text } = answer;
    if (!path.startsWith('/health')) expect(text).not.toContain(variable);
    if (value) expect(text + logged()).not.toContain(value);
  }
  expect(logged()).toContain(`${variable} `);
  expect(logged()).not.toContain(PLANTED);
});

it('refuses every request when an endpoint of a mainnet is configured that MAINNETS does not name, on every kind of deployment', async () => {
  const RPC_ENDPOINTS = `{"mainnet": ["https://rpc.acme.io/${PLANTED}"]}`;
  for (const DEPLOYMENT of ['production', 'local']) {
    errors.mockClear();
    expect((await deployedWith({ DEPLOYMENT, RPC_ENDPOINTS }).call('GET', '/health')).status).toBe(503);
    expect(logged()).toContain('MAINNETS must name mainnet');
    expect(logged()).not.toContain(PLANTED);
    const named = deployedWith({ DEPLOYMENT, RPC_ENDPOINTS, MAINNETS: 'mainnet' });
    expect((await named.call('GET', '/health')).status).toBe(200);
  }
});

it('creates no signer for a development key', async () => {
  const name = `ethereum/sepolia/${inject('localnet').gatekeeper.ethereum}` as SignerName;
  const signerIn = (changes: object) =>
    runInDurableObject(env.SIGNERS.getByName('of no network'), (_, { storage }) =>
      openSigner(name, storage, { ...env, ...DEPLOYED, ETHEREUM_GATEKEEPER_KEY, ...changes } as Env),
    );
  errors.mockClear();
  expect(await signerIn({})).toBeUndefined();
  expect(logged()).toContain('ETHEREUM_GATEKEEPER_KEY must not be a publicly known key');
  expect((await signerIn({ DEPLOYMENT: 'local' }))?.name).toBe(name);
});

describe('without any configuration', () => {
  const EMPTY = {
    DEPLOYMENT: '',
    TOKEN_ISSUER: '',
    TOKEN_AUDIENCE: '',
    JWKS_URL: '',
    PUBLIC_ORIGIN: '',
    ADMIN_AUDIENCE: '',
  };
  const ask = async (origin: string, changes: object = {}) => {
    errors.mockClear();
    const headers = { accept: 'text/html' };
    const response = await workerWith({ ...EMPTY, ...changes })(new Request(`${origin}/docs`, { headers }));
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };

  it.each(['https://passes.acme.io', 'https://gatepass.acme.workers.dev'])(
    'a deployed Worker at %s answers as with any invalid configuration, and logs every fault',
    async (origin) => {
      const { status, type, text } = await ask(origin);
      expect([status, type, JSON.parse(text).code]).toEqual([503, 'application/problem+json', 'not_configured']);
      expect(text).not.toMatch(/npm run dev|TOKEN_ISSUER/);
      expect(logged()).not.toContain('npm run dev');
      for (const name of ['TOKEN_ISSUER', 'TOKEN_AUDIENCE', 'JWKS_URL', 'PUBLIC_ORIGIN', 'ADMIN_AUDIENCE'])
        expect(logged()).toContain(`${name} must be set`);
    },
  );
});
