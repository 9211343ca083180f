import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { networkStatusOf } from '../../../src/network/network.ts';
import { NETWORKS as TABLE } from '../../../src/network/networks.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { expectProblem } from '../../problem.ts';
import NETWORKS from '../../vectors/networks.json';
import { aPass, aPassKey, UNSENT } from './a-pass.ts';
import { Api, QUEUE_THAT_FAILS, WITHOUT_LIMITS, workerWith } from './api.ts';
import { itemOf, resultsOf, sendItems } from './bulk.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { recordedWorker } from './recorded-bindings.ts';
import { aWallet, SOLANA_WALLET } from './wallets.ts';

/** Bulk issuances and changes. */

const { PASSES } = env as Env;
const gatekeeperNetwork = newGatekeeperNetwork();
const quiet = workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });
const ours = await aPartner({ gatekeeperNetwork, send: quiet });
const aKey = (): PassKey => aPassKey({ gatekeeperNetwork });
const keys = (length: number) => Array.from({ length }, aKey);
vi.spyOn(console, 'error').mockReturnValue();

describe('POST /passes', () => {
  it('returns the result of each item in order, as a single request would', async () => {
    const { wallet: frozen } = await aPass({ gatekeeperNetwork, state: 'FROZEN', ...UNSENT });
    const solana = aPassKey({ gatekeeperNetwork, chain: 'solana' });
    const [one, other] = keys(2) as [PassKey, PassKey];
    const results = await resultsOf(ours, 'POST', [
      itemOf(one),
      itemOf({ ...one, wallet: frozen }),
      itemOf(solana, { expiryTimestamp: 4_000_000_000 }),
      itemOf(other, { walletAddress: other.wallet.toLowerCase() }),
    ]);
    expect(results.map(({ status }) => status)).toEqual([202, 409, 202, 202]);
    expect(results.map(({ record }) => record?.walletAddress)).toEqual([
      one.wallet,
      undefined,
      solana.wallet,
      other.wallet,
    ]);
    expect(results[0]).toEqual({
      status: 202,
      settled: false,
      record: JSON.parse((await ours.fetch('ethereum/sepolia', one.wallet)).text),
    });
    expect(results[2]?.record).toMatchObject({ state: 'REQUESTED', expiryTimestamp: 4_000_000_000 });
  });

  it('returns the same passes when it is repeated, and says whether they are settled', async () => {
    const active = await aPass({ gatekeeperNetwork, ...UNSENT });
    const items = [...keys(3), active].map((key) => itemOf(key));
    const first = await resultsOf(ours, 'POST', items);
    expect(await resultsOf(ours, 'POST', items)).toEqual(first);
    expect(first.map(({ settled }) => settled)).toEqual([false, false, false, true]);
  });

  it('gives the issuances the third rank, until a single request asks for the pass', async () => {
    const [bulk, lifted] = keys(2) as [PassKey, PassKey];
    await resultsOf(ours, 'POST', [itemOf(bulk), itemOf(lifted)]);
    expect((await ours.issue('ethereum/sepolia', lifted.wallet)).status).toBe(202);
    const rankOf = async (key: PassKey) => (await PASSES.getByName(passName(key)).pinStep())?.step?.rank;
    expect([await rankOf(bulk), await rankOf(lifted)]).toEqual([2, 1]);
  });

  it.each([
    ['objects', '{"a":', '1', '}'],
    ['lists', '[', '', ']'],
  ])('refuses only the item that nests 9,000 %s, in either kind of request', async (_, open, within, close) => {
    const deep = open.repeat(9_000) + within + close.repeat(9_000);
    const existing = await aPass({ gatekeeperNetwork, ...UNSENT });
    const refusal = {
      status: 400,
      problem: expect.objectContaining({ code: 'invalid_json', detail: expect.stringContaining('16 levels') }),
    };
    const issued = await ours.postText('/passes', `{"items":[${deep},${JSON.stringify(itemOf(aKey()))}]}`);
    expect(JSON.parse(issued.text).results).toEqual([refusal, expect.objectContaining({ status: 202 })]);
    const freeze = JSON.stringify(itemOf(existing, { state: 'FROZEN' }));
    const changed = await ours.patchText('/passes', `{"items":[${freeze},{"state":${deep}}]}`);
    expect(JSON.parse(changed.text).results).toEqual([expect.objectContaining({ status: 200 }), refusal]);
  });

  it.each([
    ['is the list of items itself', (deep: string) => `{"items":${deep}}`],
    ['is a field beside the items', (deep: string) => `{"items":[${JSON.stringify(itemOf(aKey()))}],"a":${deep}}`],
    ['is a field of the same name inside another one', (deep: string) => `{"a":{"items":[${deep}]}}`],
  ])('refuses a whole request if a value with 9,000 levels %s', async (_, bodyWith) => {
    const deep = `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`;
    for (const answer of [
      await ours.postText('/passes', bodyWith(deep)),
      await ours.patchText('/passes', bodyWith(deep)),
    ]) {
      expectProblem(answer, 'invalid_json');
    }
  });

  it('answers 100 items over 28 networks of which every third is bad, and the others are not affected', async () => {
    const bad = [
      (item: object) => ({ ...item, colour: 'red' }),
      (item: object) => ({ ...item, walletAddress: 'none' }),
      (item: object) => ({ ...item, chain: { type: 'ethereum', network: 'holesky' } }),
      () => 'not an item',
      (item: object) => ({ ...item, expiryTimestamp: 1 }),
    ];
    const items = Array.from({ length: 100 }, (_, index) => {
      const { chain: type, network } = NETWORKS[index % NETWORKS.length] as (typeof NETWORKS)[number];
      const wallet = type === 'solana' ? SOLANA_WALLET : aWallet();
      const item = { chain: { type, network }, walletAddress: wallet };
      return index % 3 === 0 ? (bad[(index / 3) % bad.length] as (typeof bad)[0])(item) : item;
    });
    const results = await resultsOf(ours, 'POST', items);
    const codes = ['invalid_request', 'invalid_wallet', 'unknown_network', 'invalid_request', 'invalid_request'];
    for (const [index, { status, problem, record }] of results.entries()) {
      const { network, chain } = NETWORKS[index % NETWORKS.length] as (typeof NETWORKS)[number];
      const enabled = ['sepolia', 'baseSepolia', 'devnet'].includes(network);
      if (index % 3 === 0) {
        expect([status, problem?.code]).toEqual([400, codes[(index / 3) % codes.length]]);
        expect(JSON.stringify(problem?.errors)).toContain(`"/items/${index}`);
      } else if (enabled) expect([status, record?.chain]).toEqual([202, { type: chain, network }]);
      else expect([status, problem?.code]).toEqual([400, hasEnded(network) ? 'network_ended' : 'network_not_enabled']);
    }
  });
});

/** Some networks of the table end while these tests are in use. */
const hasEnded = (name: string) =>
  TABLE.some((row) => row.network === name && networkStatusOf(row, Date.now() / 1000).type === 'ended');

describe('PATCH /passes', () => {
  it('changes each pass as a single PATCH does', async () => {
    const passes = await Promise.all([1, 2, 3].map(() => aPass({ gatekeeperNetwork, ...UNSENT })));
    const [frozen, renewed, revoked] = passes as [PassKey, PassKey, PassKey];
    const results = await resultsOf(ours, 'PATCH', [
      itemOf(frozen, { state: 'FROZEN' }),
      itemOf(aKey(), { state: 'FROZEN' }),
      itemOf(renewed, { expiryTimestamp: 4_000_000_000 }),
      itemOf(revoked, { state: 'REVOKED' }),
      itemOf(revoked),
    ]);
    expect(results.map(({ status, record, problem }) => [status, record?.state ?? problem?.code])).toEqual([
      [200, 'FROZEN'],
      [404, 'pass_not_found'],
      [200, 'ACTIVE'],
      [200, 'REVOKED'],
      [400, 'invalid_request'],
    ]);
    expect((await ours.fetch('ethereum/sepolia', renewed.wallet)).record.expiryTimestamp).toBe(4_000_000_000);
    expect(results[4]?.problem?.errors).toEqual([
      { pointer: '/items/4', detail: 'must have state, expiryTimestamp, reference or subject' },
    ]);
  });

  it('keeps the rank of each kind of change, also of a pass that was issued in bulk', async () => {
    const [key] = keys(1) as [PassKey];
    await resultsOf(ours, 'POST', [itemOf(key)]);
    const pass = PASSES.getByName(passName(key));
    const step = (await pass.pinStep())?.step?.id ?? '';
    await pass.recordAnswers([{ step, revision: 1, status: { type: 'found', onChain: { state: 'ACTIVE' } } }]);
    await resultsOf(ours, 'PATCH', [itemOf(key, { expiryTimestamp: 4_000_000_000 })]);
    expect((await pass.pinStep())?.step).toMatchObject({ kind: 'set-expiry', rank: 1 });
  });
});

describe('one pass listed several times', () => {
  it('is one pass with one call of its object', async () => {
    const { send, uses } = recordedWorker({ ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });
    const key = aKey();
    const items = [itemOf(key), itemOf(key), itemOf(key, { walletAddress: key.wallet.toLowerCase() })];
    const results = await resultsOf(ours.through(send), 'POST', items);
    expect(new Set(results.map(({ record }) => record?.id)).size).toBe(1);
    expect(uses.calls.filter(({ method }) => method === 'issue')).toHaveLength(1);
  });

  it.each([
    ['POST', { expiryTimestamp: 4_000_000_000 }, { expiryTimestamp: 4_100_000_000 }],
    ['POST', {}, { expiryTimestamp: 4_100_000_000 }],
    ['PATCH', { state: 'FROZEN' }, { state: 'REVOKED' }],
    ['PATCH', { state: 'FROZEN' }, { state: 'FROZEN', expiryTimestamp: 4_100_000_000 }],
  ] as const)('is refused with both pointers if %s asks for %j and %j', async (method, one, two) => {
    const key = await aPass({ gatekeeperNetwork, ...UNSENT });
    const before = (await ours.fetch('ethereum/sepolia', key.wallet)).text;
    const [other] = keys(1) as [PassKey];
    const answer = await sendItems(ours, method, [
      itemOf(key, one),
      itemOf(other, { state: undefined, ...one }),
      itemOf(key, { walletAddress: key.wallet.toLowerCase(), ...two }),
    ]);
    expectProblem(answer, 'invalid_request', { pointers: ['/items/0', '/items/2'] });
    expect((await ours.fetch('ethereum/sepolia', key.wallet)).text).toBe(before);
    expectProblem(await ours.fetch('ethereum/sepolia', other.wallet), 'pass_not_found');
  });

  it('does not conflict with an item that is refused for its own fault', async () => {
    const key = aKey();
    const results = await resultsOf(ours, 'POST', [itemOf(key, { expiryTimestamp: 1 }), itemOf(key)]);
    expect(results.map(({ status }) => status)).toEqual([400, 202]);
  });
});

describe('a malformed request', () => {
  it.each<[string, string, string]>([
    ['no items', '{}', '/items'],
    ['an empty list', '{"items":[]}', '/items'],
    ['101 items', JSON.stringify({ items: Array(101).fill({}) }), '/items'],
    ['items that are no list', '{"items":{"0":{}}}', '/items'],
    ['another field', '{"items":[{}],"wait":1}', '/wait'],
    ['a list', '[{}]', ''],
    ['null', 'null', ''],
  ])('is refused as a whole: %s', async (_, text, pointer) => {
    for (const answer of [await ours.postText('/passes', text), await ours.patchText('/passes', text)])
      expectProblem(answer, 'invalid_request', { pointer });
  });
});

describe('a partner with quotas', () => {
  it('has each changed item counted, exactly', async () => {
    const api = await aPartner({ dailyIssuances: 37, send: quiet });
    const items = Array.from({ length: 100 }, () => itemOf(aKey()));
    const results = await resultsOf(api, 'POST', items);
    const refused = results.filter(({ status }) => status === 429);
    expect(results.filter(({ status }) => status === 202)).toHaveLength(37);
    expect(new Set(refused.map(({ problem }) => problem?.code))).toEqual(new Set(['quota_reached']));
    expect(refused.every(({ retryAfter = 0 }) => retryAfter > 0 && retryAfter <= 86_400)).toBe(true);
    // A repeated item changes nothing, so it does not count.
    expect((await resultsOf(api, 'POST', items)).map(({ status }) => status)).toEqual(
      results.map(({ status }) => status),
    );
  });
});

describe('the rate limit of bulk requests', () => {
  it('is separate from that of single requests', async () => {
    const asked: string[] = [];
    const limit = async ({ key }: RateLimitOptions) => ({ success: asked.push(key) <= 1 });
    const api = ours.through(
      workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS, BULK_LIMIT: { limit } }),
    );
    expect((await sendItems(api, 'POST', [itemOf(aKey())])).status).toBe(200);
    expectProblem(await sendItems(api, 'PATCH', [itemOf(aKey(), { state: 'FROZEN' })]), 'rate_limited');
    expect((await api.issue('ethereum/sepolia', aWallet())).status).toBe(202);
    expect(asked).toHaveLength(2);
  });
});

/** Makes a pass whose events the feed already has. */
async function aPublishedPass(): Promise<PassKey> {
  const key = await aPass({ gatekeeperNetwork, signer: 'nobody' });
  const pass = PASSES.getByName(passName(key));
  const { version = 0, eventsInFeed = 0 } = (await pass.readPublication()) ?? {};
  await pass.markPublished({ version, eventsInFeed });
  return key;
}

describe('the work of a bulk request', () => {
  it.each(['POST', 'PATCH'] as const)(
    'is one batch for D1, one queue send and one change of each pass object of %s, and a freeze waits for no message',
    async (method) => {
      const batches: number[] = [];
      const PASS_QUEUE = {
        async sendBatch(messages: Iterable<unknown>) {
          batches.push([...messages].length);
        },
      };
      const { send, uses } = recordedWorker({ ...WITHOUT_LIMITS, PASS_QUEUE });
      const api = ours.through(send);
      const passes = method === 'POST' ? keys(100) : await Promise.all(keys(100).map(aPublishedPass));
      batches.length = 0;
      uses.calls.length = uses.statements.length = 0;
      await resultsOf(
        api,
        method,
        passes.map((key) => itemOf(key, method === 'PATCH' ? { state: 'FROZEN' } : {})),
      );
      // A change of state also writes one row of the usage.
      const written = uses.statements.filter(({ meta }) => meta.rows_written > 0);
      const tables = written.map(({ sql }) => /INTO (\w+)/.exec(sql)?.[1]);
      expect(tables).toEqual(method === 'POST' ? ['passes'] : ['usage', 'passes']);
      // All bulk requests use their own queue.
      expect(batches).toEqual([100]);
      const [hurried, changed] = [true, false].map((isHurry) =>
        uses.calls.filter((call) => call.namespace === 'PASSES' && (call.method === 'hurry') === isHurry),
      );
      const names = passes.map(passName).toSorted();
      expect(changed?.map(({ name }) => name).toSorted()).toEqual(names);
      expect(hurried?.map(({ name }) => name).toSorted()).toEqual(method === 'PATCH' ? names : []);
    },
  );

  it('is stored although neither D1 nor the queue answers', async () => {
    const failing = () => Promise.reject(new Error('D1_ERROR: storage caused object to be reset'));
    const statement = { bind: () => statement, all: failing, run: failing, first: failing };
    const DB = {
      prepare: (sql: string) => (sql.includes('FROM partners') ? env.DB.prepare(sql) : statement),
      batch: failing,
      withSession: () => ({ prepare: () => statement, batch: failing, getBookmark: () => null }),
    };
    const api = ours.through(workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS, DB }));
    const passes = keys(3);
    const results = await resultsOf(
      api,
      'POST',
      passes.map((key) => itemOf(key)),
    );
    expect(results.map(({ status }) => status)).toEqual([202, 202, 202]);
    for (const key of passes) expect(await PASSES.getByName(passName(key)).readPublication()).toBeDefined();
  });

  it('gives only the item of a pass object that does not answer a 503', async () => {
    const passes = keys(5) as [PassKey, PassKey, PassKey, PassKey, PassKey];
    const [silent, broken] = [passName(passes[1]), passName(passes[3])];
    const objects = {
      getByName(name: string) {
        if (name === silent) return { issue: () => new Promise(() => undefined) };
        if (name === broken) return { issue: () => Promise.reject(new Error('Network connection lost.')) };
        return PASSES.getByName(name);
      },
    };
    const api = ours.through(
      workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS, PASSES: objects }),
    );
    const results = await resultsOf(
      api,
      'POST',
      passes.map((key) => itemOf(key)),
    );
    expect(results.map(({ status }) => status)).toEqual([202, 503, 202, 503, 202]);
    for (const { problem, retryAfter } of [results[1], results[3]].map(
      (each) => each ?? { problem: undefined, retryAfter: undefined },
    ))
      expect([problem?.code, retryAfter]).toEqual(['temporarily_unavailable', 5]);
  });

  it('is retried through the queue of bulk requests, unless a single request has asked for the pass', async () => {
    const [bulk, single] = keys(2) as [PassKey, PassKey];
    await resultsOf(ours, 'POST', [itemOf(bulk), itemOf(single)]);
    await ours.issue('ethereum/sepolia', single.wallet);
    const used: string[] = [];
    const queue = (name: string) => ({ sendBatch: async () => void used.push(name) });
    for (const key of [bulk, single])
      await runInDurableObject(PASSES.getByName(passName(key)), async (object) => {
        Object.assign(object, { env: { ...env, PASS_QUEUE: queue('single'), BULK_PASS_QUEUE: queue('bulk') } });
        await object.alarm();
      });
    expect(used).toEqual(['bulk', 'single']);
  });

  it('returns a bookmark at which the partner finds all passes', async () => {
    const passes = keys(10);
    const answer = await sendItems(
      ours,
      'POST',
      passes.map((key) => itemOf(key)),
    );
    const bookmark = answer.headers.get('gatepass-bookmark') ?? '';
    for (const { wallet } of passes) {
      const found = await ours.call('GET', `/pass/ethereum/sepolia/${wallet}`, {
        headers: { 'gatepass-bookmark': bookmark },
      });
      expect(found.status).toBe(200);
    }
  });
});

describe('a stranger', () => {
  it('changes no pass of another gatekeeper network, and learns nothing about it', async () => {
    const key = await aPass({ gatekeeperNetwork, ...UNSENT });
    const theirs = await aPartner({ send: quiet });
    const results = await resultsOf(theirs, 'PATCH', [itemOf(key, { state: 'REVOKED' })]);
    expect(results).toMatchObject([{ status: 404, problem: { code: 'pass_not_found' } }]);
    expect((await ours.fetch('ethereum/sepolia', key.wallet)).record.state).toBe('ACTIVE');
    expectProblem(await sendItems(new Api(undefined, quiet), 'PATCH', []), 'token_missing');
  });
});
