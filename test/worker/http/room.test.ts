import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { newSandbox } from '../../../src/network/sandbox.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { type Pass, passName } from '../../../src/pass/pass.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import {
  countRoomOfChange,
  DAILY_ROOM,
  DAILY_ROOM_OF_PASSES,
  DAILY_ROOM_OF_WEBHOOKS,
  DAILY_SYNCS,
} from '../../../src/pass-object/daily-quota.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { NOON, SEPOLIA, setClock } from './a-partner-with-quota.ts';
import { aPass, UNSENT } from './a-pass.ts';
import { type Api, QUEUE_THAT_FAILS, workerWith } from './api.ts';
import { itemOf } from './bulk.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { forget, recordedWorker } from './recorded-bindings.ts';
import { aWallet } from './wallets.ts';
import { create, jsonOf } from './webhook-calls.ts';

/** The daily room of a gatekeeper network for changes that cost no transaction. */

const { QUOTAS, PASSES, AUDITS } = env as Env;
const DAY = 86_400_000;
const DEVNET = 'solana/devnet';

vi.spyOn(console, 'error').mockReturnValue();
beforeEach(() => setClock(NOON));
afterAll(() => void vi.useRealTimers());

/** No pass progresses by itself. */
const send = workerWith({ ...TRUSTING, PASS_QUEUE: QUEUE_THAT_FAILS, BULK_PASS_QUEUE: QUEUE_THAT_FAILS });
const aClient = (gatekeeperNetwork = newGatekeeperNetwork()) => aPartner({ gatekeeperNetwork, send });

interface Used {
  readonly changes?: number;
  readonly count?: number;
}

/** Uses up a part of the day of a gatekeeper network. */
async function use({ gatekeeperNetwork }: { gatekeeperNetwork: string }, used: Used): Promise<void> {
  const quota = QUOTAS.getByName(gatekeeperNetwork);
  await quota.countChange('the first of the day', 1);
  await runInDurableObject(quota, (_, { storage }) => {
    storage.kv.put('day', { ...(storage.kv.get('day') as object), ...used });
  });
}
const usedBy = ({ gatekeeperNetwork }: { gatekeeperNetwork: string }) =>
  QUOTAS.getByName(gatekeeperNetwork).usedToday();

const name = (api: Api, wallet: string, reference: string | null) => api.update(SEPOLIA, wallet, { reference });
const anActive = async ({ gatekeeperNetwork }: { gatekeeperNetwork: string }) =>
  (await aPass({ gatekeeperNetwork: gatekeeperNetwork as never, ...UNSENT })).wallet;
const UNTIL_MIDNIGHT = { retryAfter: '43200' };

describe('a gatekeeper network of real passes', () => {
  it('counts each change of a reference once, and nothing that needs a transaction', async () => {
    const api = await aClient();
    const wallet = await anActive(api);
    expect((await name(api, wallet, 'a')).status).toBe(200);
    expect((await name(api, wallet, 'a')).status).toBe(200);
    expect(await usedBy(api)).toMatchObject({ changes: 1 });
    expect((await api.update(SEPOLIA, wallet, { state: 'FROZEN' })).status).toBe(200);
    expect((await api.issue(SEPOLIA, aWallet(), { reference: 'b' })).status).toBe(202);
    expectProblem(await name(api, aWallet(), 'b'), 'pass_not_found');
    expect(await usedBy(api)).toMatchObject({ changes: 1 });
    expect((await name(api, wallet, null)).status).toBe(200);
    expect(await usedBy(api)).toMatchObject({ changes: 2 });
  });

  it('with a full day gets no other reference from any of its clients, and still issues, freezes, unfreezes and revokes', async () => {
    const api = await aClient();
    const colleague = await aClient(api.gatekeeperNetwork);
    const neighbor = await aClient();
    const [wallet, other] = [await anActive(api), await anActive(api)];
    await use(api, { changes: DAILY_ROOM });
    const before = (await api.fetch(SEPOLIA, wallet)).text;
    for (const client of [api, colleague])
      expectProblem(await name(client, wallet, 'a'), 'room_quota_reached', UNTIL_MIDNIGHT);
    expect((await api.fetch(SEPOLIA, wallet)).text).toBe(before);
    const key = { gatekeeperNetwork: api.gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet } as const;
    const { results } = jsonOf(
      await api.call('PATCH', '/passes', {
        body: JSON.stringify({ items: [itemOf(key, { reference: 'b' })] }),
        headers: { 'content-type': 'application/json' },
      }),
    );
    expect(results[0]).toMatchObject({ status: 429, problem: { code: 'room_quota_reached' }, retryAfter: 43_200 });
    expect((await name(neighbor, await anActive(neighbor), 'a')).status).toBe(200);
    expect((await api.issue(SEPOLIA, aWallet())).status).toBe(202);
    for (const state of ['FROZEN', 'ACTIVE']) expect((await api.update(SEPOLIA, wallet, { state })).status).toBe(200);
    expect((await api.update(SEPOLIA, other, { state: 'FROZEN', reference: 'case 7' })).status).toBe(200);
    // No reference passes with a state that the pass has already.
    expectProblem(await api.update(SEPOLIA, other, { state: 'FROZEN', reference: 'c' }), 'room_quota_reached');
    expect((await api.revoke(SEPOLIA, wallet)).record.state).toBe('REVOKED');
    setClock(NOON + DAY / 2);
    expect((await name(api, other, 'tomorrow')).status, 'on the next day').not.toBe(429);
  });

  it('gets no new pass after very many have ended without a transaction, and still changes the others', async () => {
    const api = await aClient();
    const { gatekeeperNetwork } = api;
    /** Lets the next step of the pass end. */
    const end = async (wallet: Wallet, status: StepStatus) => {
      const pass = PASSES.getByName(passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet }));
      const { id = '', revision = 0 } = (await pass.pinStep())?.step ?? {};
      await pass.recordAnswers([{ step: id, revision: revision + 1, status }]);
    };
    const [revoked, rejected] = [aWallet(), aWallet()];
    expect((await api.issue(SEPOLIA, revoked)).status).toBe(202);
    expect((await api.revoke(SEPOLIA, revoked)).record.state).toBe('REVOKED');
    await end(revoked, { type: 'found', onChain: { state: 'NONE' } });
    await eventually(async () => expect(await usedBy(api)).toMatchObject({ changes: 1 }));
    await api.issue(SEPOLIA, rejected);
    await end(rejected, { type: 'failed', reason: 'refused' });
    await eventually(async () => expect(await usedBy(api)).toMatchObject({ changes: 2 }));
    const other = await anActive(api);
    await use(api, { changes: DAILY_ROOM_OF_PASSES });
    // The isolate remembers for a minute.
    setClock(NOON + 61_000);
    expectProblem(await api.issue(SEPOLIA, aWallet()), 'room_quota_reached', { retryAfter: '43139' });
    expect((await api.update(SEPOLIA, other, { state: 'FROZEN' })).status).toBe(200);
    expect((await (await aClient()).issue(SEPOLIA, aWallet())).status).toBe(202);
  });

  it('returns 503 for a reference while the count does not answer, and still freezes and revokes', async () => {
    const api = await aClient();
    const wallet = await anActive(api);
    await use(api, {});
    await runInDurableObject(QUOTAS.getByName(api.gatekeeperNetwork), (_, { storage }) => {
      storage.sql.exec('ALTER TABLE counted RENAME TO away');
    });
    expectProblem(await name(api, wallet, 'a'), 'temporarily_unavailable');
    const frozen = await api.update(SEPOLIA, wallet, { state: 'FROZEN', reference: 'a' });
    expect(frozen.status).toBe(200);
    expect((await api.revoke(SEPOLIA, wallet)).record.state).toBe('REVOKED');
  });
});

describe('a sandbox, whose changes never cost a transaction', () => {
  it('counts every request that changes a pass, and every notice, whatever its clock shows', async () => {
    const api = await aPartner({ gatekeeperNetwork: newSandbox(), send });
    const wallet = aWallet();
    expect((await api.issue(SEPOLIA, wallet)).status).toBe(202);
    expect((await api.update(SEPOLIA, wallet, { state: 'FROZEN' })).status).toBe(200);
    expect((await api.post('/sandbox/trigger', { type: 'feed.restored' })).status).toBe(202);
    expect(await usedBy(api)).toMatchObject({ changes: 3 });
    await use(api, { changes: DAILY_ROOM });
    expect((await api.post('/sandbox/clock', { advanceSeconds: 3 * 86_400 })).status).toBe(200);
    expectProblem(await api.issue(SEPOLIA, aWallet()), 'room_quota_reached');
    expectProblem(await api.update(SEPOLIA, wallet, { state: 'ACTIVE' }), 'room_quota_reached');
    for (const type of ['pass.issued', 'feed.restored', 'feed.events_deleted'])
      expectProblem(await api.post('/sandbox/trigger', { type }), 'room_quota_reached');
    expect((await api.revoke(SEPOLIA, wallet)).record.state).toBe('REVOKED');
  });

  it('gets no room in a database that is filling, while a real pass does', async () => {
    const { meta } = await env.DB.prepare('SELECT 1').all();
    // Four fifths of the database are full.
    const filling = workerWith({ ...TRUSTING, DATABASE_MAX_BYTES: String(Math.ceil(meta.size_after * 1.25)) });
    const sandbox = await aPartner({ gatekeeperNetwork: newSandbox(), send: filling });
    const real = await aPartner({ gatekeeperNetwork: newGatekeeperNetwork(), send: filling });
    expectProblem(await sandbox.issue(SEPOLIA, aWallet()), 'temporarily_unavailable', { retryAfter: '600' });
    expectProblem(await sandbox.post('/sandbox/trigger', { type: 'feed.restored' }), 'temporarily_unavailable');
    expect((await real.issue(SEPOLIA, aWallet())).status).toBe(202);
  });

  it('only freezes and revokes in a full database', async () => {
    const gatekeeperNetwork = newSandbox();
    const key = { gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet: aWallet() } as const;
    const passWith = (state: string, version: number) => ({ key, version, wanted: { state } }) as Pass;
    const change = (from: string, to: string) =>
      countRoomOfChange(QUOTAS, passWith(from, 1), passWith(to, 2), async () => false);
    expect(await change('FROZEN', 'ACTIVE')).toEqual({
      type: 'refused',
      reason: 'temporarily_unavailable',
      retryAfter: 600,
    });
    expect([await change('ACTIVE', 'FROZEN'), await change('FROZEN', 'REVOKED')]).toEqual([undefined, undefined]);
  });
});

it('changes of webhooks count, may go beyond, and write no entry when they are refused', async () => {
  const api = await aClient();
  const { id } = jsonOf(await create(api));
  expect(await usedBy(api)).toMatchObject({ changes: 1 });
  await use(api, { changes: DAILY_ROOM });
  expect((await api.post(`/webhooks/${id}/rotate-secret`, {})).status).toBe(200);
  await use(api, { changes: DAILY_ROOM_OF_WEBHOOKS });
  const entries = () =>
    runInDurableObject(
      AUDITS.getByName(api.gatekeeperNetwork),
      (_, { storage }) => storage.sql.exec('SELECT * FROM audit_entry').toArray().length,
    );
  const before = await entries();
  expectProblem(await api.post(`/webhooks/${id}/rotate-secret`, {}), 'room_quota_reached', UNTIL_MIDNIGHT);
  expectProblem(await api.call('DELETE', `/webhooks/${crypto.randomUUID()}`), 'room_quota_reached');
  expect(await entries()).toBe(before);
});

it('a sync counts for its gatekeeper network, and beyond the quota it asks no node', async () => {
  vi.useRealTimers();
  const { send: recorded, uses } = recordedWorker();
  const api = await aPartner({ gatekeeperNetwork: newGatekeeperNetwork(), send: recorded });
  const { wallet } = await aPass({ gatekeeperNetwork: api.gatekeeperNetwork, chain: 'solana' });
  expect((await api.sync(DEVNET, wallet)).status).toBe(200);
  expect(await usedBy(api)).toEqual({ count: 1, changes: 0 });
  await use(api, { count: DAILY_SYNCS });
  forget(uses);
  expectProblem(await api.sync(DEVNET, wallet), 'sync_quota_reached');
  expect(uses.calls.map(({ namespace }) => namespace)).toEqual(['QUOTAS']);
  const neighbor = await aPartner({ gatekeeperNetwork: newGatekeeperNetwork(), send: recorded });
  const { wallet: other } = await aPass({ gatekeeperNetwork: neighbor.gatekeeperNetwork, chain: 'solana' });
  expect((await neighbor.sync(DEVNET, other)).status).toBe(200);
});
