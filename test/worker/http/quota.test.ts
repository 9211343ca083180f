import { evictDurableObject, listDurableObjectIds, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import type { Pass } from '../../../src/pass/pass.ts';
import { countIssuance } from '../../../src/pass-object/daily-quota.ts';
import { expectProblem } from '../../problem.ts';
import { withOwnTimers } from '../own-timers.ts';
import { aPartnerWithQuota, NOON, SEPOLIA, setClock, useUpQuota } from './a-partner-with-quota.ts';
import { aPass, aPassKey, UNSENT } from './a-pass.ts';
import type { Api } from './api.ts';
import { newGatekeeperNetwork } from './issuer.ts';
import { aWallet } from './wallets.ts';

/** Daily quotas of issuances and changes. */

const { PASSES, QUOTAS } = env as Env;
const HOUR = 3_600_000;

vi.spyOn(console, 'error').mockReturnValue();
beforeEach(() => setClock(NOON));
afterAll(() => void vi.useRealTimers());

const outcome = ({ status, headers }: { status: number; headers: Headers }) => [status, headers.get('retry-after')];
const GRANTED = [202, null];

it('accepts exactly the daily quota from simultaneous issuances, and stores nothing for a refused one', async () => {
  const gatekeeperNetwork = newGatekeeperNetwork();
  const partners = await Promise.all(
    [7, 4].map((daily) => aPartnerWithQuota({ gatekeeperNetwork, dailyIssuances: daily })),
  );
  const refused: Wallet[] = [];
  const issued = partners.map(async ({ api }) => {
    const wallets = Array.from({ length: 21 }, aWallet);
    const answers = await Promise.all(wallets.map((wallet) => api.issue(SEPOLIA, wallet)));
    refused.push(...wallets.filter((_, index) => answers[index]?.status === 429));
    return answers.filter(({ status }) => status === 202).length;
  });
  // They share a gatekeeper network but not a quota.
  expect(await Promise.all(issued)).toEqual([7, 4]);
  expect(refused).toHaveLength(14 + 17);
  const { api, nameOf } = partners[0] as (typeof partners)[0];
  for (const wallet of refused.slice(0, 3)) {
    expectProblem(await api.fetch(SEPOLIA, wallet), 'pass_not_found');
    const stored = await runInDurableObject(PASSES.getByName(nameOf(wallet)), async (_, { storage }) => [
      ...storage.kv.list(),
      await storage.getAlarm(),
    ]);
    expect(stored).toEqual([null]);
  }
});

it('counts neither repeats nor requests that are refused for another reason', async () => {
  const { api, gatekeeperNetwork } = await aPartnerWithQuota({ dailyIssuances: 3 });
  const wallet = aWallet();
  const { wallet: frozen } = await aPass({ gatekeeperNetwork, state: 'FROZEN', ...UNSENT });
  const { wallet: expired } = await aPass({ gatekeeperNetwork, expiry: NOON / 1000 - 10, ...UNSENT });
  const statuses = async (...wallets: string[]) =>
    (await Promise.all(wallets.map((each) => api.issue(SEPOLIA, each)))).map(({ status }) => status);
  expect(await statuses(wallet, wallet, wallet.toLowerCase())).toEqual([202, 202, 202]);
  expect(await statuses(frozen, expired, '0x', frozen)).toEqual([409, 409, 400, 409]);
  expect((await api.issue('solana/sepolia', wallet)).status).toBe(400);
  expect(await useUpQuota(api)).toBe(2);
  expect(await statuses(wallet)).toEqual([202]);
});

describe('issuing a pass again under a quota', () => {
  it.each([
    ['REJECTED', {}],
    ['ACTIVE', { expiry: NOON / 1000 - 10 }],
  ] as const)('counts the retry or the renewal of a %s pass', async (state, overrides) => {
    const { api, gatekeeperNetwork, changeQuota } = await aPartnerWithQuota({ dailyIssuances: 0, passLifetime: 3600 });
    const { wallet } = await aPass({ gatekeeperNetwork, state, ...overrides, ...UNSENT });
    const { record } = await api.fetch(SEPOLIA, wallet);
    expect(record.state).toBe(state);
    expectProblem(await api.issue(SEPOLIA, wallet), 'quota_reached');
    expect((await api.fetch(SEPOLIA, wallet)).record).toEqual(record);
    await changeQuota(2);
    expect((await api.issue(SEPOLIA, wallet)).status).toBe(202);
    expect(await useUpQuota(api)).toBe(1);
  });

  it('counts one pass only once a day', async () => {
    const { api, clientAt, nameOf } = await aPartnerWithQuota({ dailyIssuances: 1 });
    const wallet = aWallet();
    const pass = PASSES.getByName(nameOf(wallet));
    const isRejected = async () => {
      const step = (await pass.pinStep())?.step?.id ?? '';
      await pass.recordAnswers([{ step, revision: 1, status: { type: 'failed', reason: 'refused' } }]);
    };
    for (let tries = 0; tries < 3; tries++) {
      expect((await api.issue(SEPOLIA, wallet)).record.state).toBe('REQUESTED');
      await isRejected();
    }
    expect(await useUpQuota(api)).toBe(0);
    const tomorrow = await clientAt(NOON + 24 * HOUR);
    expect((await tomorrow.issue(SEPOLIA, wallet)).status).toBe(202);
    expect(await useUpQuota(tomorrow)).toBe(0);
  });
});

describe('issuing with an expiry under a quota', () => {
  const expiry = { expiryTimestamp: NOON / 1000 + 3600 };
  const later = { expiryTimestamp: NOON / 1000 + 7200 };

  it('counts neither a repetition with the same expiry nor a refused one with another expiry', async () => {
    const { api } = await aPartnerWithQuota({ dailyIssuances: 2, dailyChanges: 0 });
    const wallet = aWallet();
    const { text } = await api.issue(SEPOLIA, wallet, expiry);
    for (const again of [expiry, {}, expiry]) {
      const answer = await api.issue(SEPOLIA, wallet, again);
      expect([answer.status, answer.text]).toEqual([202, text]);
    }
    expectProblem(await api.issue(SEPOLIA, wallet, later), 'expiry_differs');
    expect(await useUpQuota(api)).toBe(1);
  });

  it('counts the renewal of an expired pass as an issuance and as a change', async () => {
    const { api, gatekeeperNetwork } = await aPartnerWithQuota({ dailyIssuances: 2, dailyChanges: 1 });
    const expired = { gatekeeperNetwork, expiry: NOON / 1000 - 10, ...UNSENT };
    const [{ wallet }, { wallet: other }] = await Promise.all([aPass(expired), aPass(expired)]);
    expect((await api.issue(SEPOLIA, wallet, expiry)).record).toMatchObject(expiry);
    const before = (await api.fetch(SEPOLIA, other)).text;
    expectProblem(await api.issue(SEPOLIA, other, expiry), 'change_quota_reached');
    expect((await api.fetch(SEPOLIA, other)).text).toBe(before);
    expect(await useUpQuota(api)).toBe(1);
  });

  it('does not count a PATCH that requests the expiry that the pass already has', async () => {
    const { api, gatekeeperNetwork } = await aPartnerWithQuota({ dailyChanges: 0 });
    const { wallet } = await aPass({ gatekeeperNetwork, expiry: expiry.expiryTimestamp, ...UNSENT });
    expectProblem(await api.issue(SEPOLIA, wallet, expiry), 'expiry_differs');
    expect((await api.update(SEPOLIA, wallet, expiry)).status).toBe(200);
    expect((await api.issue(SEPOLIA, wallet, expiry)).status).toBe(202);
    expectProblem(await api.update(SEPOLIA, wallet, later), 'change_quota_reached');
    // The refused PATCH requested nothing.
    expect((await api.issue(SEPOLIA, wallet, expiry)).status).toBe(202);
  });
});

it('counts every further issuance of a pass as a change', async () => {
  const { api, clientAt, gatekeeperNetwork, nameOf } = await aPartnerWithQuota({ dailyIssuances: 5, dailyChanges: 2 });
  const wallet = aWallet();
  const pass = PASSES.getByName(nameOf(wallet));
  for (let tries = 0; tries < 3; tries++) {
    expect((await api.issue(SEPOLIA, wallet)).status).toBe(202);
    const step = (await pass.pinStep())?.step?.id ?? '';
    await pass.recordAnswers([{ step, revision: 1, status: { type: 'failed', reason: 'refused' } }]);
  }
  expectProblem(await api.issue(SEPOLIA, wallet), 'change_quota_reached');
  expect(await useUpQuota(api)).toBe(4);
  // The next day, the service refuses this issuance as a change and does not count it as an issuance.
  const tomorrow = await clientAt(NOON + 24 * HOUR);
  const { wallet: active } = await aPass({ gatekeeperNetwork, ...UNSENT });
  for (const state of ['FROZEN', 'ACTIVE'])
    expect((await tomorrow.update(SEPOLIA, active, { state })).status).toBe(200);
  expectProblem(await tomorrow.issue(SEPOLIA, wallet), 'change_quota_reached');
  expect(await useUpQuota(tomorrow)).toBe(5);
});

describe('simultaneous requests for one wallet under a quota', () => {
  it('counts simultaneous requests for one wallet once', async () => {
    const { api } = await aPartnerWithQuota({ dailyIssuances: 2 });
    const wallet = aWallet();
    const answers = await Promise.all(Array.from({ length: 9 }, () => api.issue(SEPOLIA, wallet)));
    expect(new Set(answers.map(({ record }) => record.id)).size).toBe(1);
    expect(await useUpQuota(api)).toBe(1);
  });

  it('counts a pass for the client whose request created it', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const one = await aPartnerWithQuota({ gatekeeperNetwork, dailyIssuances: 5 });
    const other = await aPartnerWithQuota({ gatekeeperNetwork, dailyIssuances: 5 });
    const wallets = Array.from({ length: 5 }, aWallet);
    const both = wallets.flatMap((wallet) => [one, other].map(({ api }) => api.issue(SEPOLIA, wallet)));
    for (const { status } of await Promise.all(both)) expect(status).toBe(202);
    expect((await useUpQuota(one.api)) + (await useUpQuota(other.api))).toBe(5);
  });

  it('applies both an issuance and a simultaneous change, and counts only accepted issuances', async () => {
    const { api, gatekeeperNetwork } = await aPartnerWithQuota({ dailyIssuances: 9, passLifetime: 3600 });
    const expired = { gatekeeperNetwork, expiry: NOON / 1000 - 10, ...UNSENT };
    const keys = await Promise.all(Array.from({ length: 8 }, () => aPass(expired)));
    const wallets = keys.map(({ wallet }) => wallet);
    const renewals = await Promise.all(
      wallets.flatMap((wallet, index) => {
        const renewed = () => api.issue(SEPOLIA, wallet).then(({ status }) => status);
        const frozen = () => api.update(SEPOLIA, wallet, { state: 'FROZEN' }).then(({ updated }) => updated.state);
        return index % 2 ? [renewed(), frozen()] : [frozen(), renewed()];
      }),
    );
    for (const wallet of wallets) expect((await api.fetch(SEPOLIA, wallet)).record.state).toBe('FROZEN');
    expect(await useUpQuota(api)).toBe(9 - renewals.filter((status) => status === 202).length);
  });
});

describe('changes', () => {
  const passesOf = (gatekeeperNetwork: GatekeeperNetwork, length: number) =>
    Promise.all(Array.from({ length }, async () => (await aPass({ gatekeeperNetwork, ...UNSENT })).wallet));

  it('accepts exactly the daily quota from simultaneous changes, and accepts every revocation', async () => {
    const { api, gatekeeperNetwork } = await aPartnerWithQuota({ dailyChanges: 5 });
    const wallets = await passesOf(gatekeeperNetwork, 12);
    const answers = await Promise.all(wallets.map((wallet) => api.update(SEPOLIA, wallet, { state: 'FROZEN' })));
    const refused = wallets.filter((_, index) => answers[index]?.status !== 200);
    expect(refused).toHaveLength(7);
    const [first = ''] = refused;
    const again = await api.update(SEPOLIA, first, { state: 'FROZEN' });
    expectProblem(again, 'change_quota_reached', { retryAfter: '43200' });
    expect((await api.fetch(SEPOLIA, first)).record.state).toBe('ACTIVE');
    const revoked = await Promise.all(refused.map((wallet) => api.revoke(SEPOLIA, wallet)));
    expect(revoked.map(({ record }) => record.state)).toEqual(refused.map(() => 'REVOKED'));
    // Issuances have a separate quota.
    expect((await api.issue(SEPOLIA, aWallet())).status).toBe(202);
  });

  it('counts neither repeats nor changes that are refused for another reason', async () => {
    const { api, gatekeeperNetwork, quota } = await aPartnerWithQuota({ dailyChanges: 2 });
    const [wallet = '', other = ''] = await passesOf(gatekeeperNetwork, 2);
    for (let tries = 0; tries < 3; tries += 1) {
      expect((await api.update(SEPOLIA, wallet, { state: 'FROZEN' })).status).toBe(200);
      expectProblem(await api.update(SEPOLIA, wallet, { expiryTimestamp: 1 }), 'invalid_request');
      expectProblem(await api.update(SEPOLIA, aWallet(), { state: 'FROZEN' }), 'pass_not_found');
    }
    // A request that is counted but not stored counts only once.
    expect(await quota.countChange('a change', 2)).toBe(0);
    expect(await quota.countChange('a change', 2)).toBe(0);
    expectProblem(await api.update(SEPOLIA, other, { state: 'FROZEN' }), 'change_quota_reached');
  });

  it('returns 503 for a change while the quota object fails, and still accepts revocations', async () => {
    const { api, gatekeeperNetwork, quota } = await aPartnerWithQuota({ dailyChanges: 2 });
    const [wallet = ''] = await passesOf(gatekeeperNetwork, 1);
    await quota.countChange('a change', 2);
    await runInDurableObject(quota, (_, { storage }) => void storage.sql.exec('ALTER TABLE counted RENAME TO away'));
    expectProblem(await api.update(SEPOLIA, wallet, { state: 'FROZEN' }), 'temporarily_unavailable');
    expect((await api.revoke(SEPOLIA, wallet)).record.state).toBe('REVOKED');
  });

  it('limits the changes of one pass to 24 a day, even for a client without a quota, and always accepts a revocation', async () => {
    const { api, gatekeeperNetwork, clientAt } = await aPartnerWithQuota({});
    const [wallet = '', other = ''] = await passesOf(gatekeeperNetwork, 2);
    const toggle = (by: Api, of: string, change: number) =>
      by.update(SEPOLIA, of, { state: change % 2 ? 'ACTIVE' : 'FROZEN' });
    for (const of of [wallet, other]) {
      for (let change = 0; change < 24; change += 1) expect((await toggle(api, of, change)).status).toBe(200);
      expectProblem(await toggle(api, of, 24), 'pass_change_limit_reached', { retryAfter: '43200' });
    }
    expect((await api.revoke(SEPOLIA, wallet)).record.state).toBe('REVOKED');
    const tomorrow = await clientAt(NOON + 24 * HOUR);
    expect((await toggle(tomorrow, other, 24)).status).toBe(200);
  });
});

describe('the day of a quota', () => {
  const MIDNIGHT = NOON + 12 * HOUR;

  it('counts by UTC days, and sends the seconds until midnight in Retry-After', async () => {
    const { clientAt } = await aPartnerWithQuota({ dailyIssuances: 1 });
    const issue = async (time: number) => outcome(await (await clientAt(time)).issue(SEPOLIA, aWallet()));
    expect(await issue(NOON)).toEqual(GRANTED);
    expect(await issue(NOON + 1)).toEqual([429, '43200']);
    expect(await issue(MIDNIGHT - 1)).toEqual([429, '1']);
    expect(await issue(MIDNIGHT)).toEqual(GRANTED);
    expect(await issue(MIDNIGHT)).toEqual([429, '86400']);
  });

  it('stays on the current day when a clock is behind', async () => {
    const { quota } = await aPartnerWithQuota({});
    setClock(MIDNIGHT);
    expect(await quota.countPass('a', 1)).toBe(0);
    setClock(MIDNIGHT - 2_000);
    expect(await quota.countPass('b', 1)).toBe(86_402);
    setClock(MIDNIGHT + 2_000);
    expect(await quota.countPass('b', 1)).toBe(86_398);
  });

  it('deletes the counts of the previous day', async () => {
    const { quota } = await aPartnerWithQuota({});
    const counted = () =>
      runInDurableObject(quota, (_, { storage: { sql } }) => [...sql.exec('SELECT * FROM counted')]);
    for (const pass of ['a', 'b', 'c']) await quota.countPass(pass, 3);
    expect(await counted()).toHaveLength(3);
    setClock(MIDNIGHT);
    await quota.countPass('d', 3);
    expect(await counted()).toEqual([{ pass: 'd' }]);
  });
});

it('applies each change that the operator makes to the quota', async () => {
  const { api, changeQuota } = await aPartnerWithQuota({ dailyIssuances: 4 });
  const issue = async () => (await api.issue(SEPOLIA, aWallet())).status;
  expect([await issue(), await issue()]).toEqual([202, 202]);
  await changeQuota(1);
  expect(await issue()).toBe(429);
  await changeQuota(3);
  expect(await useUpQuota(api)).toBe(1);
  await changeQuota();
  // The service does not count issuances while there is no quota.
  for (let more = 0; more < 3; more++) expect(await issue()).toBe(202);
  await changeQuota(4);
  expect(await useUpQuota(api)).toBe(1);
  await changeQuota(0);
  expect(await issue()).toBe(429);
});

it('creates no quota object for a partner without a quota', async () => {
  const { api, quota } = await aPartnerWithQuota({});
  expect((await api.issue(SEPOLIA, aWallet())).status).toBe(202);
  expect((await listDurableObjectIds(QUOTAS)).filter((id) => id.equals(quota.id))).toEqual([]);
});

describe('faults of the quota object', () => {
  it('keeps the count when the quota object is evicted', async () => {
    const { api, quota } = await aPartnerWithQuota({ dailyIssuances: 3 });
    await api.issue(SEPOLIA, aWallet());
    await evictDurableObject(quota);
    expect(await useUpQuota(api)).toBe(2);
  });

  it('counts one pass once when the pass object crashes before it stores the pass', async () => {
    const { api, nameOf } = await aPartnerWithQuota({ dailyIssuances: 2 });
    const wallet = aWallet();
    await runInDurableObject(PASSES.getByName(nameOf(wallet)), (_, { storage }) => {
      vi.spyOn(storage, 'setAlarm').mockRejectedValueOnce(new Error('the object crashed'));
    });
    expectProblem(await api.issue(SEPOLIA, wallet), 'internal_error');
    expectProblem(await api.fetch(SEPOLIA, wallet), 'pass_not_found');
    expect((await api.issue(SEPOLIA, wallet)).status).toBe(202);
    expect(await useUpQuota(api)).toBe(1);
  });

  it('returns 503 and stores nothing while the quota object fails', async () => {
    const { api, quota } = await aPartnerWithQuota({ dailyIssuances: 2 });
    const sql = (statement: string) => runInDurableObject(quota, (_, { storage }) => void storage.sql.exec(statement));
    await api.issue(SEPOLIA, aWallet());
    await sql('ALTER TABLE counted RENAME TO away');
    const wallet = aWallet();
    const answer = await api.issue(SEPOLIA, wallet);
    expectProblem(answer, 'temporarily_unavailable', { retryAfter: '5' });
    expectProblem(await api.fetch(SEPOLIA, wallet), 'pass_not_found');
    await sql('ALTER TABLE away RENAME TO counted');
    expect(await useUpQuota(api)).toBe(1);
  });

  it('returns 503 after five seconds while the quota object hangs', async () => {
    const silent = { getByName: () => ({ countPass: () => new Promise(() => {}) }) } as unknown as Env['QUOTAS'];
    const pass = { key: aPassKey({ gatekeeperNetwork: newGatekeeperNetwork() }) } as Pass;
    await withOwnTimers(async () => {
      const counted = countIssuance(silent, { clientId: 'acme', daily: 1 }, pass, true);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await counted).toEqual({ type: 'refused', reason: 'temporarily_unavailable', retryAfter: 5 });
    });
  });
});
