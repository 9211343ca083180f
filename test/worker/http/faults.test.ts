import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Api, partner, unheard, workerWith } from './api.ts';
import { aWallet } from './wallets.ts';

/** What partners and the operator see when something around the Worker fails. */

const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');

const errors = vi.spyOn(console, 'error');
beforeEach(() => void errors.mockReset());
const logged = () => errors.mock.calls.map((line) => line.join(' ')).join('\n');
/** Without request ids, which may have any digits. */
const unnumbered = (text: string) => text.replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'ID');

it('sends to the queue that fail: an issuance and its changes are accepted all the same', async () => {
  const quietly = acme.through(unheard);
  const wallet = aWallet();
  const { status, record } = await quietly.issue(SEPOLIA, wallet);
  expect([status, record.state]).toEqual([202, 'REQUESTED']);
  expect((await acme.fetch(SEPOLIA, wallet)).record.id).toBe(record.id);
  const { status: changed, updated } = await quietly.update(SEPOLIA, wallet, { state: 'FROZEN' });
  expect([changed, updated.state]).toEqual([200, 'FROZEN']);
  expect((await acme.fetch(SEPOLIA, wallet)).record).toEqual(updated);
  const revoked = await quietly.revoke(SEPOLIA, wallet);
  expect([revoked.status, revoked.record.onChainState]).toEqual([200, 'NONE']);
});

it('tokens cannot be checked while the issuer has never been reached', async () => {
  const send = workerWith({ JWKS_URL: `${env.TOKEN_ISSUER}/nowhere` });
  const { problem } = await acme.through(send).search({});
  expect([problem.status, problem.code]).toEqual([503, 'temporarily_unavailable']);
});

describe('a fault nobody foresaw', () => {
  const SECRET = 'https://rpc.example/v2/api-key';
  const withPasses = (getByName: () => unknown) => acme.through(workerWith({ PASSES: { getByName } }));
  const atOnce = (fault: unknown) =>
    withPasses(() => {
      throw fault;
    });
  const later = (fault: unknown) => withPasses(() => ({ request: () => Promise.reject(fault) }));

  it.each([
    ['an error', new TypeError(SECRET)],
    ['an error with properties', Object.assign(new Error('fault'), { status: 418, url: SECRET, headers: {} })],
    ['an error with a cause', new Error('fault', { cause: SECRET })],
    ['a text', SECRET],
    ['nothing', undefined],
  ])('%s: a problem that tells nothing of it', async (_, fault) => {
    for (const api of [atOnce(fault), later(fault)]) {
      const answer = await api.issue(SEPOLIA, aWallet());
      expect([answer.status, answer.problem.code]).toEqual([500, 'internal_error']);
      const shown = unnumbered(answer.text + JSON.stringify([...answer.headers]));
      for (const trace of ['rpc.example', 'api-key', 'TypeError', 'fault', '418', ' at ']) {
        expect(shown).not.toContain(trace);
      }
      expect(logged()).toContain(answer.problem.requestId);
    }
  });

  it.each(['retryable', 'overloaded'])('one that passes by itself is said to (%s)', async (property) => {
    const fault = Object.assign(new Error('the object was reset'), { [property]: true });
    const { problem } = await later(fault).issue(SEPOLIA, aWallet());
    expect([problem.status, problem.code]).toEqual([503, 'temporarily_unavailable']);
  });
});

describe('a wrong configuration', () => {
  it.each([
    ['TOKEN_ISSUER', undefined],
    ['TOKEN_ISSUER', 'not-a-url-4711'],
    ['TOKEN_AUDIENCE', ''],
    ['JWKS_URL', 'not-a-url-4711'],
    ['TOKEN_ALGORITHMS', 'RS256 HS4711'],
    ['TOKEN_ALGORITHMS', 'none'],
    ['CLIENT_CLAIM', ''],
    ['SCOPE_ISSUE', ''],
    ['BASE_PATH', 'partner-4711/'],
    ['NETWORKS', '{"sepolia": 4711'],
    ['RPC_ENDPOINTS', 'https://rpc.example/4711'],
    ['RPC_ENDPOINTS', '{"sepolia": "https://rpc.example/4711"}'],
    ['RPC_ENDPOINTS', '{"https://rpc.example/4711": ["sepolia"]}'],
    ['RPC_ENDPOINTS', '{"sepolia": ["rpc.example/4711"]}'],
    ['ETHEREUM_GATEKEEPER_KEY', `0x4711${'f'.repeat(61)}`],
    ['ETHEREUM_GATEKEEPER_KEY', 'f'.repeat(64)],
  ])('%s=%s is named in the log, its value nowhere', async (variable, value) => {
    const answer = await new Api(undefined, workerWith({ [variable]: value })).call('GET', '/health');
    expect([answer.status, answer.problem.code]).toEqual([500, 'internal_error']);
    expect(logged()).toContain(variable);
    expect(answer.text).not.toContain(variable);
    if (value) expect(logged() + answer.text).not.toContain(value);
    expect(unnumbered(logged() + answer.text)).not.toContain('4711');
  });
});
