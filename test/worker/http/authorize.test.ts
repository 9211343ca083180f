import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import { expectProblem } from '../../problem.ts';
import type { Answer } from './answer.ts';
import { Api, partner, type Registration, register, tokenOf, workerWith } from './api.ts';
import {
  ALL_SCOPES,
  aPartner,
  aToken,
  type Claims,
  newClientId,
  newGatekeeperNetwork,
  TRUSTING,
  trustingWorker,
} from './issuer.ts';
import { aWallet } from './wallets.ts';

/** Partners and their tokens, beyond the cases of the access matrix. */

const wallet = aWallet();
const challenge = ({ headers }: Answer) => headers.get('www-authenticate') ?? '';

/** Registers a partner in a database without the triggers that refuse small slots, as an earlier release could. */
async function registerAsEarlierRelease(row: Registration): Promise<void> {
  const { DB } = env as Env;
  const refusals = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name GLOB '*_large_slots'";
  const { results } = await DB.prepare(refusals).all<{ name: string; sql: string }>();
  await DB.batch(results.map(({ name }) => DB.prepare(`DROP TRIGGER ${name}`)));
  await register(row);
  await DB.batch(results.map(({ sql }) => DB.prepare(sql)));
}

describe('the Authorization header', () => {
  it.each(['Bearer', 'Bearer a.b.c', 'Bearer "quoted\\"', 'Bearer e30.e30.', `Bearer ${'a'.repeat(9000)}.b.c`])(
    'refuses the header %s and does not repeat it in the challenge',
    async (authorization) => {
      const answer = await new Api().call('POST', '/pass', { headers: { authorization } });
      expectProblem(answer, 'token_invalid');
      // RFC 6750 §3: values are quoted strings that contain no quote and no backslash.
      expect(challenge(answer)).toMatch(/^Bearer( \w+="[^"\\]*"(,|$))+$/);
    },
  );
});

describe('tokens of the authorization server', () => {
  it('lets a partner with the search scope search, and neither issue nor change', async () => {
    const viewer = await partner('viewer');
    expect((await viewer.search({})).status).toBe(200);
    expect((await viewer.fetch('ethereum/sepolia', wallet)).status).toBe(404);
    expectProblem(await viewer.issue('ethereum/sepolia', wallet), 'insufficient_scope', { detail: 'issue:pass' });
    const changes = [
      await viewer.update('ethereum/sepolia', wallet, { state: 'FROZEN' }),
      await viewer.revoke('ethereum/sepolia', wallet),
      await viewer.sync('ethereum/sepolia', wallet),
    ];
    for (const change of changes) expectProblem(change, 'insufficient_scope', { detail: 'update:pass' });
  });

  it('accepts a token from the moment its client is registered', async () => {
    const clientId = newClientId();
    const newcomer = new Api(await aToken({ client_id: clientId }), trustingWorker);
    expectProblem(await newcomer.search({}), 'client_unknown');
    await register({ clientId, gatekeeperNetwork: newGatekeeperNetwork() });
    expect((await newcomer.search({})).status).toBe(200);
  });

  it('refuses a partner whose gatekeeper network has a slot that another gatekeeper network could also have', async () => {
    const client = { clientId: newClientId(), gatekeeperNetwork: `${'1'.repeat(31)}2` as GatekeeperNetwork };
    await registerAsEarlierRelease(client);
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    const caller = new Api(await aToken({ client_id: client.clientId }), trustingWorker);
    expectProblem(await caller.search({}), 'client_unknown');
    expect(logged.mock.calls.join()).toContain('"event":"partner.unusable"');
    expect(logged.mock.calls.join()).toContain(client.clientId);
    logged.mockRestore();
  });

  it('accepts the scheme in any case, and refuses a tampered token', async () => {
    const token = await tokenOf('acme');
    await partner('acme');
    const headers = { authorization: `bearer ${token}` };
    expect((await new Api().call('POST', '/pass', { headers })).status).toBe(200);
    const [head, payload = '', signature] = token.split('.');
    const claims = { ...(JSON.parse(atob(payload)) as Claims), client_id: 'globex' };
    const forged = [head, btoa(JSON.stringify(claims)).replaceAll('=', ''), signature].join('.');
    const answer = await new Api(forged).search({});
    expectProblem(answer, 'token_invalid');
    expect(answer.text + challenge(answer)).not.toContain(forged);
  });
});

it('reads the client and the scopes from the configured claims', async () => {
  const renamed = workerWith({ ...TRUSTING, CLIENT_CLAIM: 'azp', SCOPE_CLAIM: 'permissions', SCOPE_SEARCH: 'read' });
  const azp = newClientId();
  await register({ clientId: azp, gatekeeperNetwork: newGatekeeperNetwork() });
  const reader = new Api(await aToken({ azp, permissions: ['read'], scope: '' }), renamed);
  expect((await reader.search({})).status).toBe(200);
  const other = new Api(await aToken({ azp, client_id: azp, scope: ALL_SCOPES }), renamed);
  expectProblem(await other.search({}), 'insufficient_scope');
});

describe('suspension', () => {
  afterEach(() => void vi.useRealTimers());

  it('applies a suspension, and the end of a suspension, within 60 s', async () => {
    const clientId = newClientId();
    const gatekeeperNetwork = newGatekeeperNetwork();
    const api = await aPartner({ clientId, gatekeeperNetwork });
    expect((await api.search({})).status).toBe(200);
    await register({ clientId, gatekeeperNetwork, status: 'suspended' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    expectProblem(await api.search({}), 'partner_suspended');
    await register({ clientId, gatekeeperNetwork });
    vi.setSystemTime(Date.now() + 60_000);
    expect((await api.search({})).status).toBe(200);
  });

  it('applies the suspension of a client by the configuration, also while the database does not answer', async () => {
    const clientId = newClientId();
    const gatekeeperNetwork = newGatekeeperNetwork();
    const api = await aPartner({ clientId, gatekeeperNetwork });
    const DB = { prepare: () => Promise.reject(new Error('away')) };
    const SUSPENDED_CLIENTS = `another ${clientId}`;
    for (const changes of [{ SUSPENDED_CLIENTS }, { SUSPENDED_CLIENTS, DB }])
      expectProblem(await api.through(workerWith({ ...TRUSTING, ...changes })).search({}), 'partner_suspended');
    const other = workerWith({ ...TRUSTING, SUSPENDED_CLIENTS: `${clientId}x` });
    expect((await api.through(other).search({})).status).toBe(200);
  });
});
