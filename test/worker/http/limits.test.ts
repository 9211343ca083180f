import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { clientAddressOf } from '../../../src/http/access/rate-limits.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { UnreliableDatabase } from '../store/unreliable.ts';
import { withoutTimers } from '../without-timers.ts';
import { Api, WITHOUT_LIMITS, workerWith } from './api.ts';
import { aPartner, aToken, newClientId, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { aWallet } from './wallets.ts';

/** Rate limits and the keys that they count by. */

const SEPOLIA = 'ethereum/sepolia';
const ON = { type: 'ethereum', network: 'sepolia' };

/** A limit that allows this number of calls per key; `asked` records the keys. */
function upTo(most: number) {
  const asked: string[] = [];
  return {
    asked,
    async limit({ key }: RateLimitOptions): Promise<RateLimitOutcome> {
      asked.push(key);
      return { success: asked.filter((each) => each === key).length <= most };
    },
  };
}

/** A database that fails on every use. */
const UNASKED = {
  prepare: () => {
    throw new Error('the database was used before the limit');
  },
};

describe('the rate limit of a partner', () => {
  const issueTwice = async (api: Api) => [
    (await api.post(`/pass/${SEPOLIA}`, {})).status,
    (await api.post(`/pass/${SEPOLIA}`, {})).status,
  ];

  it('counts each partner separately, and counts writes separately from reads', async () => {
    const send = workerWith({ ...TRUSTING, WRITE_LIMIT: upTo(1) });
    const [one, other] = [(await aPartner()).through(send), (await aPartner()).through(send)];
    expect(await issueTwice(one)).toEqual([400, 429]);
    expect(await issueTwice(other)).toEqual([400, 429]);
    expect((await one.search({})).status).toBe(200);
    const refused = await one.post(`/pass/${SEPOLIA}`, {});
    expectProblem(refused, 'rate_limited', { retryAfter: '10' });
  });

  it('applies the read limit to searching and fetching', async () => {
    const api = (await aPartner()).through(workerWith({ ...TRUSTING, READ_LIMIT: upTo(2) }));
    const statuses = [await api.search({}), await api.fetch(SEPOLIA, aWallet()), await api.search({})];
    expect(statuses.map(({ status }) => status)).toEqual([200, 404, 429]);
    expectProblem(await api.fetch(SEPOLIA, aWallet()), 'rate_limited');
    expect((await issueTwice(api))[0]).toBe(400);
  });

  it('applies the write limit to every change of a pass', async () => {
    const api = (await aPartner()).through(workerWith({ ...TRUSTING, WRITE_LIMIT: upTo(3) }));
    const wallet = aWallet();
    const change = async () => [
      (await api.update(SEPOLIA, wallet, { state: 'FROZEN' })).status,
      (await api.revoke(SEPOLIA, wallet)).status,
      (await api.sync(SEPOLIA, wallet)).status,
    ];
    expect(await change()).toEqual([404, 404, 404]);
    expect(await change()).toEqual([429, 429, 429]);
  });

  it.each([
    ['a search that skips more than 100 passes', { skip: 101 }, { skip: 100, limit: 100 }],
    ['a search that skips as many as it may', { skip: 10_000, limit: 100 }, { limit: 100 }],
    ['a search that counts', { count: true }, { count: false }],
    [
      'a search by validity and network',
      { filter: { validity: 'valid', chain: ON } },
      { filter: { validity: 'valid' } },
    ],
    [
      'a search by the beginning of a wallet and state',
      { filter: { walletPrefix: '0x123456', state: 'ACTIVE' } },
      { filter: { walletPrefix: '0x123456' } },
    ],
  ])('counts %s as a large read too', async (_, large, small) => {
    const limits = { READ_LIMIT: upTo(5), BULK_LIMIT: upTo(2) };
    const api = (await aPartner()).through(workerWith({ ...TRUSTING, ...limits }));
    const statuses = [];
    for (const body of [large, large, large, small, small]) statuses.push((await api.search(body)).status);
    expect(statuses).toEqual([200, 200, 429, 200, 200]);
    expect(limits.READ_LIMIT.asked).toHaveLength(5);
    expectProblem(await api.search(small), 'rate_limited', { retryAfter: '10' });
  });

  it('counts a page of more than 100 events, and one of some types, as a large read too', async () => {
    const BULK_LIMIT = upTo(2);
    const api = (await aPartner()).through(workerWith({ ...TRUSTING, BULK_LIMIT }));
    const read = async (query: string) => (await api.call('GET', `/events?${query}`)).status;
    expect([await read('limit=100'), await read('after=newest&limit=1000&type=pass.issued')]).toEqual([200, 200]);
    expect(BULK_LIMIT.asked).toEqual([]);
    expect([await read('limit=101'), await read('limit=1&type=pass.issued')]).toEqual([200, 200]);
    expect([await read('limit=1000'), await read('limit=100')]).toEqual([429, 200]);
  });

  it('counts the large reads of each client apart from its bulk requests', async () => {
    const BULK_LIMIT = upTo(1);
    const send = workerWith({ ...TRUSTING, BULK_LIMIT });
    const [one, other] = [(await aPartner()).through(send), (await aPartner()).through(send)];
    for (const api of [one, other]) {
      expect((await api.search({ skip: 5_000 })).status).toBe(200);
      expect((await api.postText('/passes', '{"items":[{}]}')).status).toBe(200);
      expect((await api.search({ skip: 5_000 })).status).toBe(429);
    }
  });

  it('refuses an invalid search before it counts it as a large read', async () => {
    const BULK_LIMIT = upTo(1);
    const api = (await aPartner()).through(workerWith({ ...TRUSTING, BULK_LIMIT }));
    expectProblem(await api.search({ skip: 10_001 }), 'invalid_request', { pointer: '/skip' });
    expect(BULK_LIMIT.asked).toEqual([]);
  });

  it('limits clients that are not partners before it reads the database', async () => {
    const send = workerWith({ ...TRUSTING, READ_LIMIT: upTo(0), DB: UNASKED });
    const stranger = new Api(await aToken({ client_id: newClientId() }), send);
    expectProblem(await stranger.search({}), 'rate_limited');
  });
});

describe('the rate limit of an address', () => {
  const from = (address: string | undefined, api: Api, path = '/health') =>
    api.call('GET', path, { headers: address === undefined ? {} : { 'cf-connecting-ip': address } });

  it('counts the address before it checks the token and before it reads anything', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    const nothing = { ADDRESS_LIMIT: upTo(0), READ_LIMIT: UNASKED, DB: UNASKED, PASSES: UNASKED };
    const JWKS_URL = 'http://127.0.0.1:9/never';
    const send = workerWith({ ...TRUSTING, JWKS_URL, ...nothing });
    for (const api of [new Api(undefined, send), new Api('rubbish', send), (await aPartner()).through(send)]) {
      const refused = await from('192.0.2.1', api, `/pass/${SEPOLIA}/${aWallet()}`);
      expectProblem(refused, 'rate_limited', { retryAfter: '10' });
    }
    // Objects of other tests ask their nodes meanwhile.
    expect(fetched.mock.calls.filter(([url]) => String(url) === JWKS_URL)).toEqual([]);
    fetched.mockRestore();
  });

  it('counts every caller and every path of an address together', async () => {
    const ADDRESS_LIMIT = upTo(2);
    const api = new Api(undefined, workerWith({ ADDRESS_LIMIT }));
    const statuses = [];
    for (const path of ['/health', '/nowhere', '/health']) statuses.push((await from('192.0.2.1', api, path)).status);
    expect(statuses).toEqual([200, 404, 429]);
    expect((await from('192.0.2.2', api)).status).toBe(200);
    expect((await from(undefined, api)).status).toBe(200);
    expect(ADDRESS_LIMIT.asked).toEqual([...Array(3).fill('192.0.2.1'), '192.0.2.2', 'unknown']);
  });

  it.each`
    address                               | caller
    ${'192.0.2.1'}                        | ${'192.0.2.1'}
    ${'2001:db8:1:2:3:4:5:6'}             | ${'2001:db8:1:2::/64'}
    ${'2001:db8:1:2:ffff:ffff:ffff:ffff'} | ${'2001:db8:1:2::/64'}
    ${'2001:db8:1:2::'}                   | ${'2001:db8:1:2::/64'}
    ${'2001:db8::6'}                      | ${'2001:db8:0:0::/64'}
    ${'2001:db8:1:3::1'}                  | ${'2001:db8:1:3::/64'}
    ${'::1'}                              | ${'0:0:0:0::/64'}
    ${'::ffff:192.0.2.1'}                 | ${'::ffff:192.0.2.1'}
    ${'::'}                               | ${'0:0:0:0::/64'}
    ${'1:2:3:4:5:6:7:8:9::a'}             | ${'1:2:3:4::/64'}
    ${'x'.repeat(100_000)}                | ${'x'.repeat(64)}
    ${undefined}                          | ${'unknown'}
  `('counts $address as $caller, so that an IPv6 /64 network is one caller', ({ address, caller }) => {
    const headers = new Headers(address === undefined ? {} : { 'cf-connecting-ip': address });
    expect(clientAddressOf(new Request('https://api.example', { headers }))).toBe(caller);
  });
});

it('serves requests while the rate limits are unavailable', async () => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
  const broken = { limit: () => Promise.reject(new Error('away')) };
  const limits = { ADDRESS_LIMIT: broken, READ_LIMIT: broken, WRITE_LIMIT: broken };
  expect((await (await aPartner()).through(workerWith({ ...TRUSTING, ...limits })).search({})).status).toBe(200);
  expect(errors.mock.calls.flat().join()).toContain('rate_limit.unavailable');
  errors.mockRestore();
});

it('stops calls at the deployed write limit', async () => {
  const most = 1000;
  const begun = Date.now();
  let [passed, refused] = [0, 0];
  // The count restarts every ten seconds, possibly in the middle of these calls, and then none of them is refused.
  while (refused === 0) {
    const calls = Array.from({ length: most + 1 }, () => env.WRITE_LIMIT.limit({ key: 'someone' }));
    const granted = (await Promise.all(calls)).filter(({ success }) => success).length;
    passed += granted;
    refused += calls.length - granted;
  }
  const restarts = Math.ceil((Date.now() - begun) / 10_000);
  expect(passed).toBeGreaterThanOrEqual(most);
  expect(passed).toBeLessThanOrEqual(most * (1 + restarts));
});

describe('a limiter that lets everything through', () => {
  it('lets a client neither exceed its quota nor hold up another client', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const send = workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, CLIENT_MAX_WAITING: '5' });
    const flood = (await aPartner({ gatekeeperNetwork, dailyIssuances: 7 })).through(send);
    const issued = await Promise.all(Array.from({ length: 40 }, () => flood.issue(SEPOLIA, aWallet())));
    // Nobody has authorized a gatekeeper in the gatekeeper network, so what is accepted waits.
    expect(issued.filter(({ status }) => status === 202).length).toBeLessThanOrEqual(7);
    expect(new Set(issued.map(({ status }) => status))).toEqual(new Set([202, 429]));
    const unlimited = (await aPartner({ gatekeeperNetwork })).through(send);
    for (let asked = 0; asked < 5; asked += 1) await unlimited.issue(SEPOLIA, aWallet());
    await eventually(async () => expectProblem(await unlimited.issue(SEPOLIA, aWallet()), 'waiting_limit_reached'));
    const other = (await aPartner({ gatekeeperNetwork })).through(send);
    expect((await other.issue(SEPOLIA, aWallet())).status).toBe(202);
  });

  it('makes at most twenty large reads of a client at once, and others beside them', async () => {
    const database = new UnreliableDatabase();
    const send = workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, DB: database });
    const [flood, other] = [(await aPartner()).through(send), (await aPartner()).through(send)];
    for (const each of [flood, other]) expect((await each.search({})).status).toBe(200);
    const held = Promise.withResolvers<void>();
    const waiting = database.asked;
    database.manner = async (work) => {
      await held.promise;
      return work();
    };
    // No timer ends a read meanwhile.
    await withoutTimers(async () => {
      const reads = Array.from({ length: 30 }, () => flood.search({ skip: 101 }));
      const others = other.search({ skip: 101 });
      while (database.asked - waiting < 21) await scheduler.wait(20);
      held.resolve();
      const statuses = (await Promise.all(reads)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([...Array(20).fill(200), ...Array(10).fill(429)]);
      expect((await others).status).toBe(200);
    });
    expect((await flood.search({ skip: 101 })).status).toBe(200);
  });
});
