import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { newSandbox } from '../../../src/network/sandbox.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { expectProblem } from '../../problem.ts';
import { configurePassObject } from '../configure-object.ts';
import { Api, partner, workerWith, workerWithoutQueue } from './api.ts';
import { aPartner, TRUSTING } from './issuer.ts';
import { aWallet } from './wallets.ts';

/** Faults around the Worker as partners and the operator see them. */

const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');

const errors = vi.spyOn(console, 'error');
beforeEach(() => void errors.mockReset());
const logged = () => errors.mock.calls.map((line) => line.join(' ')).join('\n');
/** Replaces request ids, which may contain any digits. */
const unnumbered = (text: string) => text.replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'ID');

it('accepts an issuance and its changes while the queue fails', async () => {
  const quietly = acme.through(workerWithoutQueue);
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

it('returns 503 while the keys of the issuer were never fetched', async () => {
  const send = workerWith({ JWKS_URL: `${env.TOKEN_ISSUER}/nowhere` });
  expectProblem(await acme.through(send).search({}), 'temporarily_unavailable');
});

describe('an unexpected fault', () => {
  const SECRET = 'https://rpc.example/v2/api-key';
  const withPasses = (getByName: () => unknown) => acme.through(workerWith({ PASSES: { getByName } }));
  const atOnce = (fault: unknown) =>
    withPasses(() => {
      throw fault;
    });
  const later = (fault: unknown) => withPasses(() => ({ issue: () => Promise.reject(fault) }));

  it.each([
    ['an error', new TypeError(SECRET)],
    ['an error with properties', Object.assign(new Error('fault'), { status: 418, url: SECRET, headers: {} })],
    ['an error with a cause', new Error('fault', { cause: SECRET })],
    ['a text', SECRET],
    ['nothing', undefined],
  ])('returns a problem that reveals nothing of a thrown fault: %s', async (_, fault) => {
    for (const api of [atOnce(fault), later(fault)]) {
      const answer = await api.issue(SEPOLIA, aWallet());
      const problem = expectProblem(answer, 'internal_error');
      const shown = unnumbered(answer.text + JSON.stringify([...answer.headers]));
      for (const trace of ['rpc.example', 'api-key', 'TypeError', 'fault', '418', ' at ']) {
        expect(shown).not.toContain(trace);
      }
      expect(logged()).toContain(problem.requestId);
    }
  });

  it('returns 503 if an object does not answer another one in time', async () => {
    // The pass object asks the object of the sandbox whether there is room, and a request asks that one for the time.
    const hangs = () => new Promise<never>(() => {});
    const SANDBOXES = { getByName: () => ({ admit: hangs, secondsAhead: hangs }) };
    const sandbox = await aPartner({ gatekeeperNetwork: newSandbox() });
    const wallet = aWallet();
    const key = {
      gatekeeperNetwork: sandbox.gatekeeperNetwork,
      chain: 'ethereum',
      network: 'sepolia',
      wallet,
    } as const;
    await configurePassObject(key as PassKey, { SANDBOXES });
    expectProblem(await sandbox.issue(SEPOLIA, wallet), 'temporarily_unavailable');
    const issued = aWallet();
    expect((await sandbox.issue(SEPOLIA, issued)).status).toBe(202);
    const asking = sandbox.through(workerWith({ ...TRUSTING, SANDBOXES }));
    expectProblem(await asking.fetch(SEPOLIA, issued), 'temporarily_unavailable');
  });

  it.each(['retryable', 'overloaded'])('returns 503 for a transient fault of an object: %s', async (property) => {
    const fault = Object.assign(new Error('the object was reset'), { [property]: true });
    expectProblem(await later(fault).issue(SEPOLIA, aWallet()), 'temporarily_unavailable');
  });
});

describe('an invalid configuration', () => {
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
  ])('logs the name of the invalid variable and never its value: %s=%s', async (variable, value) => {
    const answer = await new Api(undefined, workerWith({ [variable]: value })).call('GET', '/health');
    expectProblem(answer, 'not_configured', { pointers: [`/${variable}`] });
    expect(logged()).toContain(variable);
    if (value) expect(logged() + answer.text).not.toContain(value);
    expect(unnumbered(logged() + answer.text)).not.toContain('4711');
  });
});
