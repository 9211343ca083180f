import { evictDurableObject, listDurableObjectIds, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { countIssuance } from '../../../src/pass-object/daily-quota.ts';
import { aLimitedPartner, itIs, left, NOON, SEPOLIA } from './a-limited-partner.ts';
import { aPassOfWhich, holding } from './a-pass-of-which.ts';
import { newGatekeeperNetwork } from './issuer.ts';
import { aWallet } from './wallets.ts';

/** How many passes a partner may issue in a day. */

const { PASSES, QUOTAS } = env as Env;
const HOUR = 3_600_000;

vi.spyOn(console, 'error').mockReturnValue();
beforeEach(() => itIs(NOON));
afterAll(() => void vi.useRealTimers());

const outcome = ({ status, headers }: { status: number; headers: Headers }) => [status, headers.get('retry-after')];
const GRANTED = [202, null];

it('issues exactly as many as the quota, of requests at once; what is refused leaves no trace', async () => {
  const gatekeeperNetwork = newGatekeeperNetwork();
  const partners = await Promise.all(
    [7, 4].map((daily) => aLimitedPartner({ gatekeeperNetwork, dailyIssuances: daily })),
  );
  const refused: string[] = [];
  const issued = partners.map(async ({ api }) => {
    const wallets = Array.from({ length: 21 }, aWallet);
    const answers = await Promise.all(wallets.map((wallet) => api.issue(SEPOLIA, wallet)));
    refused.push(...wallets.filter((_, index) => answers[index]?.status === 429));
    return answers.filter(({ status }) => status === 202).length;
  });
  // They share a gatekeeper network, and no quota.
  expect(await Promise.all(issued)).toEqual([7, 4]);
  expect(refused).toHaveLength(14 + 17);
  const { api, nameOf } = partners[0] as (typeof partners)[0];
  for (const wallet of refused.slice(0, 3)) {
    expect((await api.fetch(SEPOLIA, wallet)).problem.code).toBe('pass_not_found');
    const stored = await runInDurableObject(PASSES.getByName(nameOf(wallet)), async (_, { storage }) => [
      ...storage.kv.list(),
      await storage.getAlarm(),
    ]);
    expect(stored).toEqual([null]);
  }
});

it('does not count repeats, nor what is refused for another reason', async () => {
  const { api, gatekeeperNetwork } = await aLimitedPartner({ dailyIssuances: 3 });
  const wallet = aWallet();
  const frozen = await aPassOfWhich({ gatekeeperNetwork }, holding({ state: 'FROZEN' }));
  const expired = await aPassOfWhich({ gatekeeperNetwork }, holding({ state: 'ACTIVE', expiry: NOON / 1000 - 10 }));
  const statuses = async (...wallets: string[]) =>
    (await Promise.all(wallets.map((each) => api.issue(SEPOLIA, each)))).map(({ status }) => status);
  expect(await statuses(wallet, wallet, wallet.toLowerCase())).toEqual([202, 202, 202]);
  expect(await statuses(frozen, expired, '0x', frozen)).toEqual([409, 409, 400, 409]);
  expect((await api.issue('solana/sepolia', wallet)).status).toBe(400);
  expect(await left(api)).toBe(2);
  expect(await statuses(wallet)).toEqual([202]);
});

describe('a pass that is there and issued again', () => {
  it.each([
    ['REJECTED', { type: 'failed', reason: 'refused' }],
    ['ACTIVE', holding({ state: 'ACTIVE', expiry: NOON / 1000 - 10 })],
  ] as const)('counts where it was %s: tried again or renewed', async (state, status) => {
    const { api, gatekeeperNetwork, has } = await aLimitedPartner({ dailyIssuances: 0, passLifetime: 3600 });
    const wallet = await aPassOfWhich({ gatekeeperNetwork }, status);
    const { record } = await api.fetch(SEPOLIA, wallet);
    expect(record.state).toBe(state);
    expect((await api.issue(SEPOLIA, wallet)).problem.code).toBe('quota_reached');
    expect((await api.fetch(SEPOLIA, wallet)).record).toEqual(record);
    await has(2);
    expect((await api.issue(SEPOLIA, wallet)).status).toBe(202);
    expect(await left(api)).toBe(1);
  });

  it('counts once a day', async () => {
    const { api, at, nameOf } = await aLimitedPartner({ dailyIssuances: 1 });
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
    expect(await left(api)).toBe(0);
    const tomorrow = await at(NOON + 24 * HOUR);
    expect((await tomorrow.issue(SEPOLIA, wallet)).status).toBe(202);
    expect(await left(tomorrow)).toBe(0);
  });
});

describe('requests for the same wallet at once', () => {
  it('count as one', async () => {
    const { api } = await aLimitedPartner({ dailyIssuances: 2 });
    const wallet = aWallet();
    const answers = await Promise.all(Array.from({ length: 9 }, () => api.issue(SEPOLIA, wallet)));
    expect(new Set(answers.map(({ record }) => record.id)).size).toBe(1);
    expect(await left(api)).toBe(1);
  });

  it('count for the client whose request made the pass', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const one = await aLimitedPartner({ gatekeeperNetwork, dailyIssuances: 5 });
    const other = await aLimitedPartner({ gatekeeperNetwork, dailyIssuances: 5 });
    const wallets = Array.from({ length: 5 }, aWallet);
    const both = wallets.flatMap((wallet) => [one, other].map(({ api }) => api.issue(SEPOLIA, wallet)));
    for (const { status } of await Promise.all(both)) expect(status).toBe(202);
    expect((await left(one.api)) + (await left(other.api))).toBe(5);
  });

  it('and a change of it meanwhile: neither takes back the other, and what was refused is not counted', async () => {
    const { api, gatekeeperNetwork } = await aLimitedPartner({ dailyIssuances: 9, passLifetime: 3600 });
    const expired = holding({ state: 'ACTIVE', expiry: NOON / 1000 - 10 });
    const wallets = await Promise.all(Array.from({ length: 8 }, () => aPassOfWhich({ gatekeeperNetwork }, expired)));
    const renewals = await Promise.all(
      wallets.flatMap((wallet, index) => {
        const renewed = () => api.issue(SEPOLIA, wallet).then(({ status }) => status);
        const frozen = () => api.update(SEPOLIA, wallet, { state: 'FROZEN' }).then(({ updated }) => updated.state);
        return index % 2 ? [renewed(), frozen()] : [frozen(), renewed()];
      }),
    );
    for (const wallet of wallets) expect((await api.fetch(SEPOLIA, wallet)).record.state).toBe('FROZEN');
    expect(await left(api)).toBe(9 - renewals.filter((status) => status === 202).length);
  });
});

describe('the day', () => {
  const MIDNIGHT = NOON + 12 * HOUR;

  it('is that of UTC: Retry-After leads to its end, and the next one counts anew', async () => {
    const { at } = await aLimitedPartner({ dailyIssuances: 1 });
    const issue = async (time: number) => outcome(await (await at(time)).issue(SEPOLIA, aWallet()));
    expect(await issue(NOON)).toEqual(GRANTED);
    expect(await issue(NOON + 1)).toEqual([429, '43200']);
    expect(await issue(MIDNIGHT - 1)).toEqual([429, '1']);
    expect(await issue(MIDNIGHT)).toEqual(GRANTED);
    expect(await issue(MIDNIGHT)).toEqual([429, '86400']);
  });

  it('that has begun goes on where a clock is behind', async () => {
    const { quota } = await aLimitedPartner({});
    itIs(MIDNIGHT);
    expect(await quota.countPass('a', 1)).toBe(0);
    itIs(MIDNIGHT - 2_000);
    expect(await quota.countPass('b', 1)).toBe(86_402);
    itIs(MIDNIGHT + 2_000);
    expect(await quota.countPass('b', 1)).toBe(86_398);
  });

  it('leaves nothing behind of what it counted', async () => {
    const { quota } = await aLimitedPartner({});
    const counted = () =>
      runInDurableObject(quota, (_, { storage: { sql } }) => [...sql.exec('SELECT * FROM counted')]);
    for (const pass of ['a', 'b', 'c']) await quota.countPass(pass, 3);
    expect(await counted()).toHaveLength(3);
    itIs(MIDNIGHT);
    await quota.countPass('d', 3);
    expect(await counted()).toEqual([{ pass: 'd' }]);
  });
});

it('is followed when the operator changes it: lower, higher, gone, back, none at all', async () => {
  const { api, has } = await aLimitedPartner({ dailyIssuances: 4 });
  const issue = async () => (await api.issue(SEPOLIA, aWallet())).status;
  expect([await issue(), await issue()]).toEqual([202, 202]);
  await has(1);
  expect(await issue()).toBe(429);
  await has(3);
  expect(await left(api)).toBe(1);
  await has();
  // What is issued without a quota is not counted.
  for (let more = 0; more < 3; more++) expect(await issue()).toBe(202);
  await has(4);
  expect(await left(api)).toBe(1);
  await has(0);
  expect(await issue()).toBe(429);
});

it('costs nothing where there is none', async () => {
  const { api, quota } = await aLimitedPartner({});
  expect((await api.issue(SEPOLIA, aWallet())).status).toBe(202);
  expect((await listDurableObjectIds(QUOTAS)).filter((id) => id.equals(quota.id))).toEqual([]);
});

describe('when something fails', () => {
  it('the count outlives the object that keeps it', async () => {
    const { api, quota } = await aLimitedPartner({ dailyIssuances: 3 });
    await api.issue(SEPOLIA, aWallet());
    await evictDurableObject(quota);
    expect(await left(api)).toBe(2);
  });

  it('a crash after the count and before the pass is stored: asking again counts nothing more', async () => {
    const { api, nameOf } = await aLimitedPartner({ dailyIssuances: 2 });
    const wallet = aWallet();
    await runInDurableObject(PASSES.getByName(nameOf(wallet)), (_, { storage }) => {
      vi.spyOn(storage, 'setAlarm').mockRejectedValueOnce(new Error('the object crashed'));
    });
    expect((await api.issue(SEPOLIA, wallet)).problem.code).toBe('internal_error');
    expect((await api.fetch(SEPOLIA, wallet)).problem.code).toBe('pass_not_found');
    expect((await api.issue(SEPOLIA, wallet)).status).toBe(202);
    expect(await left(api)).toBe(1);
  });

  it('a count that cannot be asked: 503, and nothing is stored', async () => {
    const { api, quota } = await aLimitedPartner({ dailyIssuances: 2 });
    const sql = (statement: string) => runInDurableObject(quota, (_, { storage }) => void storage.sql.exec(statement));
    await api.issue(SEPOLIA, aWallet());
    await sql('ALTER TABLE counted RENAME TO away');
    const wallet = aWallet();
    const answer = await api.issue(SEPOLIA, wallet);
    expect([answer.problem.code, ...outcome(answer)]).toEqual(['temporarily_unavailable', 503, '5']);
    expect((await api.fetch(SEPOLIA, wallet)).problem.code).toBe('pass_not_found');
    await sql('ALTER TABLE away RENAME TO counted');
    expect(await left(api)).toBe(1);
  });

  it('a count that does not answer: 503 after five seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const silent = { getByName: () => ({ take: () => new Promise(() => {}) }) } as unknown as Env['QUOTAS'];
    const counted = countIssuance(silent, { clientId: 'acme', daily: 1 }, 'a');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await counted).toEqual({ refused: 'temporarily_unavailable', retryAfter: 5 });
  });
});
