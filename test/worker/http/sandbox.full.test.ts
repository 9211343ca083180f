import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { TRIGGER_TYPES } from '../../../src/http/schemas/managing.ts';
import { DAY_SECONDS, nowSeconds } from '../../../src/lib/units.ts';
import { webhookName } from '../../../src/message/hand-over.ts';
import type { Chain } from '../../../src/network/network.ts';
import { newSandbox, type SandboxCase, sandboxWallet } from '../../../src/network/sandbox.ts';
import { unusedWallet } from '../../../src/network/wallet.ts';
import { FEED_TYPES } from '../../../src/pass/vocabulary.ts';
import { MAX_PASSES } from '../../../src/sandbox-object/passes.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import type { ReceivedRequest } from '../../webhook-receiver.ts';
import type { PassRecord } from './answer.ts';
import type { Api, Registration } from './api.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';
import { create, jsonOf } from './webhook-calls.ts';

/** A sandbox as its partner sees it, in the whole Worker. `test/worker/sandbox-object` tests the simulated chain. */

const { SANDBOXES } = env as Env;

vi.spyOn(console, 'error').mockReturnValue();

type Partner = Api & Registration;

const aSandbox = (row: object = {}): Promise<Partner> => aPartner({ gatekeeperNetwork: newSandbox(), ...row });
const NETWORKS: Readonly<Record<Chain, string>> = { ethereum: 'polygonMainnet', solana: 'devnet' };
const CHAINS = Object.keys(NETWORKS) as Chain[];

const nowIn = async (api: Api): Promise<number> => jsonOf(await api.call('GET', '/sandbox/clock')).now;
const advance = (api: Api, advanceSeconds: number) => api.post('/sandbox/clock', { advanceSeconds });
const eventsOf = async (api: Api): Promise<{ type: string; timestamp: string; data?: { pass: PassRecord } }[]> =>
  jsonOf(await api.call('GET', '/events')).events;
const typesOf = async (api: Api) => (await eventsOf(api)).map(({ type }) => type);
const namesOf = ({ events }: PassRecord) => events.map(({ eventType }) => eventType);
const last = ({ events }: PassRecord) => events.at(-1)?.eventType;

/** Issues the wallet of a case. */
async function issued(api: Api, chain: Chain, name: SandboxCase) {
  const [network, wallet] = [NETWORKS[chain], sandboxWallet(name, chain)];
  const answer = await api.issue(network, wallet);
  expect(answer.status, answer.text).toBe(202);
  const watch = async (until: (record: PassRecord) => boolean) => (await api.watch(network, wallet, until)).at(-1);
  return { network, wallet, watch };
}

const isActive = (record: PassRecord) => record.state === 'ACTIVE' && record.onChainState === 'ACTIVE';

describe.each(CHAINS)('on %s, the wallet', (chain) => {
  it('of no case is issued, frozen, unfrozen and revoked with transactions of the form of the chain', async () => {
    const api = await aSandbox();
    const [network, wallet] = [NETWORKS[chain], unusedWallet(chain)];
    expect((await api.issue(network, wallet)).record).toMatchObject({ state: 'REQUESTED', onChainState: 'NONE' });
    await api.watch(network, wallet, isActive);
    for (const state of ['FROZEN', 'ACTIVE', 'REVOKED']) {
      expect((await api.update(network, wallet, { state })).status).toBe(200);
      await api.watch(network, wallet, ({ onChainState }) => onChainState === state);
    }
    const { record } = await api.fetch(network, wallet);
    const ids = record.events.flatMap(({ transaction }) => transaction?.identifier ?? []);
    const form = chain === 'ethereum' ? /^0x[0-9a-f]{64}$/ : /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
    for (const id of ids) expect(id).toMatch(form);
    expect(new Set(ids).size).toBe(4);
    expect((await api.sync(network, wallet)).record).toMatchObject({ onChainState: 'REVOKED' });
  });

  it('"rejected" ends as REJECTED', async () => {
    const { watch } = await issued(await aSandbox(), chain, 'rejected');
    expect(last((await watch(({ state }) => state === 'REJECTED')) as PassRecord)).toBe('TOKEN_ISSUED_FAILED');
  });

  it.each(
    [
      { name: 'reorged', comes: 'comes back with the same transaction', transactions: 1 },
      { name: 'reorged-and-dropped', comes: 'is issued again with another transaction', transactions: 2 },
    ].flatMap((each) => [
      { ...each, how: 'by itself', seconds: 0 },
      { ...each, how: 'if the clock moves beyond the reorg', seconds: 120 },
    ]) as { name: SandboxCase; comes: string; transactions: number; how: string; seconds: number }[],
  )('$name: leaves the chain and $comes, $how', async ({ name, transactions, seconds }) => {
    const api = await aSandbox();
    const { watch } = await issued(api, chain, name);
    await watch((each) => namesOf(each).includes('TOKEN_ISSUED'));
    if (seconds > 0) expect((await advance(api, seconds)).status).toBe(200);
    const record = (await watch(
      (each) => namesOf(each).includes('TOKEN_ISSUED_REORGED') && isActive(each),
    )) as PassRecord;
    expect(new Set(record.events.flatMap(({ transaction }) => transaction?.identifier ?? [])).size).toBe(transactions);
    expect(await typesOf(api)).toEqual(expect.arrayContaining(['pass.issued', 'pass.reorged']));
  });

  it.each(['never-funded', 'node-away'] as const)(
    '"%s" stays REQUESTED, and other wallets do not wait',
    async (name) => {
      const api = await aSandbox();
      const { network, wallet } = await issued(api, chain, name);
      const other = unusedWallet(chain);
      await api.issue(network, other);
      await api.watch(network, other, isActive);
      expect((await api.fetch(network, wallet)).record).toMatchObject({ state: 'REQUESTED', onChainState: 'NONE' });
    },
  );

  it('"takes-a-minute" is ACTIVE once its minute is over', async () => {
    const api = await aSandbox();
    const { network, wallet, watch } = await issued(api, chain, 'takes-a-minute');
    await watch(({ events }) => events.some(({ transaction }) => transaction?.status === 'sent'));
    expect((await advance(api, 50)).status).toBe(200);
    expect((await api.fetch(network, wallet)).record).toMatchObject({ onChainState: 'NONE' });
    await advance(api, 15);
    await watch(isActive);
  });

  it('"expires" has an expiry of a minute, and expires when the clock reaches it', async () => {
    const api = await aSandbox();
    const before = await nowIn(api);
    const { watch } = await issued(api, chain, 'expires');
    const { expiryTimestamp = 0 } = (await watch(isActive)) ?? {};
    expect(expiryTimestamp - before).toBeGreaterThanOrEqual(60);
    await advance(api, 65);
    expect(last((await watch((each) => namesOf(each).includes('TOKEN_EXPIRED'))) as PassRecord)).toBe('TOKEN_EXPIRED');
    expect(await typesOf(api)).toContain('pass.expired');
  });

  it('"announced" is announced when the clock reaches the notice', async () => {
    const api = await aSandbox();
    const { watch } = await issued(api, chain, 'announced');
    await watch(isActive);
    await advance(api, 15);
    await watch((each) => last(each) === 'TOKEN_EXPIRING');
    expect(await typesOf(api)).toContain('pass.expiring');
  });

  it.each([
    ['revoked', 'REVOKED'],
    ['frozen', 'FROZEN'],
  ] as const)('"%s" becomes %s by others after half a minute of the clock', async (name, state) => {
    const api = await aSandbox();
    const { watch } = await issued(api, chain, name);
    await watch(isActive);
    await advance(api, 31);
    const { events } = (await watch(({ onChainState }) => onChainState === state)) as PassRecord;
    expect(events.at(-1)).toHaveProperty('byOthers');
  });

  it('"adopted" has a token already, which the pass adopts without a transaction', async () => {
    const { watch } = await issued(await aSandbox(), chain, 'adopted');
    const { events } = (await watch(isActive)) as PassRecord;
    expect(events.filter(({ transaction }) => transaction?.status === 'sent')).toEqual([]);
  });

  it('"quota-exceeded" and "rate-limited" get 429 with a time, and no pass', async () => {
    const api = await aSandbox();
    const network = NETWORKS[chain];
    const [quota, rate] = (['quota-exceeded', 'rate-limited'] as const).map((name) => sandboxWallet(name, chain));
    expectProblem(await api.issue(network, quota ?? ''), 'quota_reached');
    expectProblem(await api.issue(network, rate ?? ''), 'rate_limited');
    expectProblem(await api.update(network, rate ?? '', { state: 'FROZEN' }), 'rate_limited');
    expectProblem(await api.call('DELETE', `/pass/${chain}/${network}/${rate}`), 'rate_limited');
    for (const wallet of [quota, rate]) expectProblem(await api.fetch(network, wallet ?? ''), 'pass_not_found');
  });
});

describe('the clock', () => {
  it('shows the present time until it is advanced, to all clients of the sandbox and to no other', async () => {
    const api = await aSandbox();
    const colleague = await aPartner({ gatekeeperNetwork: api.gatekeeperNetwork });
    const stranger = await aSandbox();
    expect(Math.abs((await nowIn(api)) - nowSeconds())).toBeLessThan(60);
    const advanced = jsonOf(await advance(api, 8 * DAY_SECONDS)).now;
    expect(advanced - nowSeconds()).toBeGreaterThan(7.9 * DAY_SECONDS);
    expect((await nowIn(colleague)) - advanced).toBeGreaterThanOrEqual(0);
    expect((await nowIn(stranger)) - nowSeconds()).toBeLessThan(60);
  });

  it('goes forward only, and at most 400 days', async () => {
    const api = await aSandbox();
    for (const seconds of [0, -1, 1.5, 400 * DAY_SECONDS + 1, '60', null])
      expectProblem(await advance(api, seconds as number), 'invalid_request');
    await advance(api, 300 * DAY_SECONDS);
    const before = await nowIn(api);
    expectProblem(await advance(api, 101 * DAY_SECONDS), 'invalid_request');
    expect((await nowIn(api)) - before).toBeLessThan(60);
    expect((await advance(api, 100 * DAY_SECONDS)).status).toBe(200);
  });

  it('gives events and expiries its time', async () => {
    const api = await aSandbox();
    await advance(api, 30 * DAY_SECONDS);
    const wallet = unusedWallet('ethereum');
    const past = nowSeconds() + 29 * DAY_SECONDS;
    expectProblem(await api.issue('sepolia', wallet, { expiryTimestamp: past }), 'invalid_request');
    await api.issue('sepolia', wallet, { expiryTimestamp: nowSeconds() + 31 * DAY_SECONDS });
    await api.watch('sepolia', wallet, isActive);
    for (const { timestamp } of (await api.fetch('sepolia', wallet)).record.events)
      expect(timestamp).toBeGreaterThan(past);
    const [event] = await eventsOf(api);
    expect(Date.parse(event?.timestamp ?? '')).toBeGreaterThan(past * 1000);
  });

  it('begins no new day of the quotas, which protect the operator', async () => {
    const api = await aSandbox({ dailyIssuances: 1, dailyChanges: 1 });
    const first = unusedWallet('ethereum');
    expect((await api.issue('sepolia', first)).status).toBe(202);
    await api.watch('sepolia', first, isActive);
    expect((await api.update('sepolia', first, { state: 'FROZEN' })).status).toBe(200);
    await advance(api, 3 * DAY_SECONDS);
    expectProblem(await api.issue('sepolia', unusedWallet('ethereum')), 'quota_reached');
    expectProblem(await api.update('sepolia', first, { state: 'ACTIVE' }), 'change_quota_reached');
    const untilMidnight = DAY_SECONDS - (nowSeconds() % DAY_SECONDS);
    const { headers } = await api.issue('sepolia', sandboxWallet('quota-exceeded', 'ethereum'));
    expect(Math.abs(Number(headers.get('retry-after')) - untilMidnight)).toBeLessThan(60);
  });

  it('brings forward neither the retries nor the pauses of webhooks, which protect the host of the URL', async () => {
    const api = await aSandbox();
    const created = jsonOf(await create(api));
    const channel = created.url;
    await fetch(channel, { method: 'PUT', body: JSON.stringify({ usual: { status: 503 } }) });
    await api.post('/sandbox/trigger', { type: 'feed.restored' });
    const attempts = async () => ((await (await fetch(channel)).json()) as unknown[]).length;
    await eventually(async () => expect(await attempts()).toBe(1));
    const object = (env as Env).WEBHOOKS.getByName(webhookName(api.gatekeeperNetwork, created.id));
    const stored = () =>
      runInDurableObject(object, (_, { storage }) => [
        storage.sql.exec('SELECT sequence, failures, due FROM waiting').toArray(),
        storage.kv.get('webhook'),
      ]);
    await eventually(async () => expect((await stored())[0]).toHaveLength(1));
    const before = await stored();
    for (let day = 0; day < 5; day += 1) {
      await advance(api, DAY_SECONDS);
      await object.wake();
    }
    const [[event]] = before as [[{ failures: number; due: number }]];
    // Its first retry comes by itself.
    if (Date.now() < event.due - 500) expect(await stored()).toEqual(before);
    expect(await attempts()).toBeLessThanOrEqual(2);
  });

  it('moves ten times in a real minute', async () => {
    const api = await aSandbox();
    for (let step = 0; step < 10; step += 1) expect((await advance(api, 60)).status).toBe(200);
    const refused = await advance(api, 60);
    expectProblem(refused, 'rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });
});

/** A secret that no webhook has. */
const OTHER_SECRET = `whsec_${btoa('x'.repeat(32))}`;

interface Delivered {
  readonly id: string;
  readonly type: string;
  readonly data?: { readonly pass: PassRecord };
}

describe('a trigger', () => {
  const PASS_TYPES = FEED_TYPES.filter((type) => type.startsWith('pass.'));

  it.each(CHAINS)('causes every event of a pass on %s, with its record', async (chain) => {
    const api = await aSandbox();
    const answers = await Promise.all(
      PASS_TYPES.map(async (type) => ({
        type,
        answer: await api.post('/sandbox/trigger', { type, chain: { type: chain, network: NETWORKS[chain] } }),
      })),
    );
    for (const { type, answer } of answers) {
      expect(answer.status, answer.text).toBe(202);
      const { pass, ...rest } = jsonOf(answer);
      expect(rest).toEqual({ type });
      await eventually(async () => {
        const events = (await eventsOf(api)).filter(({ data }) => data?.pass.walletAddress === pass.walletAddress);
        expect(events.map((each) => each.type)).toContain(type);
      });
      expect((await api.fetch(NETWORKS[chain], pass.walletAddress)).record.walletAddress).toBe(pass.walletAddress);
    }
  });

  it('writes feed.restored into the feed, and has webhooks deliver feed.events_deleted', async () => {
    const api = await aSandbox();
    const { url } = jsonOf(await create(api));
    for (const type of ['feed.restored', 'feed.events_deleted'])
      expect(jsonOf(await api.post('/sandbox/trigger', { type }))).toEqual({ type });
    expect(await typesOf(api)).toEqual(['feed.restored']);
    const delivered = async () =>
      ((await (await fetch(url)).json()) as { body: string }[]).map(({ body }) => JSON.parse(body).type);
    await eventually(async () =>
      expect((await delivered()).toSorted()).toEqual(['feed.events_deleted', 'feed.restored']),
    );
  });

  it('delivers every type to a webhook, with a signature that a library of Standard Webhooks verifies', async () => {
    const api = await aSandbox();
    const { url, secret } = jsonOf(await create(api));
    const receiver = new Webhook(secret);
    const stranger = new Webhook(OTHER_SECRET);
    const triggered = await Promise.all(
      TRIGGER_TYPES.map(async (type) => {
        const answer = await api.post('/sandbox/trigger', { type });
        expect(answer.status, answer.text).toBe(202);
        return { type, wallet: jsonOf(answer).pass?.walletAddress as string | undefined };
      }),
    );
    const verified = async () => {
      const requests = (await (await fetch(url)).json()) as ReceivedRequest[];
      return requests.map(({ headers, body }) => {
        expect(() => stranger.verify(body, headers)).toThrow('No matching signature');
        const { id, type, data } = receiver.verify(body, headers) as Delivered;
        expect(headers['webhook-id']).toBe(id);
        return { type, wallet: data?.pass.walletAddress };
      });
    };
    await eventually(async () => expect(await verified()).toEqual(expect.arrayContaining(triggered)));
  });

  it.each([
    ['no type', {}],
    ['an unknown type', { type: 'pass.lost' }],
    ['an unknown field', { type: 'pass.issued', wallet: 'x' }],
    ['half a chain', { type: 'pass.issued', chain: { type: 'solana' } }],
  ])('with %s is refused', async (_, body) => {
    expectProblem(await (await aSandbox()).post('/sandbox/trigger', body), 'invalid_request');
  });

  it('on an unknown network is refused', async () => {
    const body = { type: 'pass.issued', chain: { type: 'solana', network: 'sepolia' } };
    expectProblem(await (await aSandbox()).post('/sandbox/trigger', body), 'unknown_network');
  });
});

describe('a client of real passes', () => {
  it('finds neither clock nor trigger, whatever it sends', async () => {
    const api = await aPartner({ gatekeeperNetwork: newGatekeeperNetwork() });
    for (const answer of [
      await api.call('GET', '/sandbox/clock'),
      await advance(api, 60),
      await api.postText('/sandbox/clock', '{'),
      await api.post('/sandbox/trigger', { type: 'pass.issued' }),
      await api.post('/sandbox/trigger', {}),
    ])
      expectProblem(answer, 'not_found');
  });
});

describe('the passes of a sandbox', () => {
  it('are at most ten thousand, and the existing ones still work', async () => {
    const api = await aSandbox();
    const wallet = unusedWallet('ethereum');
    await api.issue('sepolia', wallet);
    await runInDurableObject(SANDBOXES.getByName(api.gatekeeperNetwork), (_, { storage }) =>
      storage.sql.exec(
        `INSERT INTO pass WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         SELECT 'n' || i, ? FROM n`,
        MAX_PASSES - 1,
        Date.now(),
      ),
    );
    expectProblem(await api.issue('sepolia', unusedWallet('ethereum')), 'sandbox_full');
    expectProblem(await api.post('/sandbox/trigger', { type: 'pass.issued' }), 'sandbox_full');
    expect((await api.issue('sepolia', wallet)).status).toBe(202);
    const bulk = await api.post('/passes', {
      items: [{ chain: { type: 'ethereum', network: 'sepolia' }, walletAddress: unusedWallet('ethereum') }],
    });
    expect(jsonOf(bulk).results[0]).toMatchObject({ status: 409, problem: { code: 'sandbox_full' } });
  });

  it.each(['rejected', 'never-funded', 'reorged'] as const)(
    'are deleted after 30 days, also "%s", and the wallet gets a new pass',
    async (name) => {
      const api = await aSandbox();
      const [network, wallet] = ['sepolia', sandboxWallet(name, 'ethereum')];
      const { record: before } = await api.issue(network, wallet);
      if (name !== 'never-funded') await api.watch(network, wallet, ({ state }) => state !== 'REQUESTED');
      await makeOld(api);
      await eventually(async () => {
        await makeOld(api);
        expectProblem(await api.fetch(network, wallet), 'pass_not_found');
      });
      expect(jsonOf(await api.search({})).records).toEqual([]);
      const { record: after } = await api.issue(network, wallet);
      expect(after.id).not.toBe(before.id);
      expect(after.events).toHaveLength(1);
    },
  );

  it('leave their subject then, which ends with the last one', async () => {
    const api = await aSandbox();
    const [kept, old] = [unusedWallet('ethereum'), unusedWallet('ethereum')];
    for (const wallet of [kept, old]) expect((await api.issue('sepolia', wallet, { subject: 'p' })).status).toBe(202);
    expect((await api.patchText('/subjects/p', JSON.stringify({ state: 'REVOKED' }))).status).toBe(202);
    await makeOld(api, old);
    await eventually(async () => {
      await makeOld(api, old);
      expect(jsonOf(await api.call('GET', '/subjects/p'))).toMatchObject({ state: 'REVOKED', passes: { REVOKED: 1 } });
    }, 500);
    await eventually(async () => {
      await makeOld(api);
      expectProblem(await api.call('GET', '/subjects/p'), 'subject_not_found');
    }, 500);
    expect((await api.issue('sepolia', old, { subject: 'p' })).record).toMatchObject({ subject: 'p' });
    expect(jsonOf(await api.call('GET', '/subjects/p'))).toMatchObject({ state: 'ACTIVE', requests: [] });
  });
});

it('a triggered change of the subject gives the pass that subject', async () => {
  const api = await aSandbox();
  expect((await api.post('/sandbox/trigger', { type: 'pass.subject_changed' })).status).toBe(202);
  await eventually(async () => expect(await typesOf(api)).toContain('pass.subject_changed'));
  expect(jsonOf(await api.call('GET', '/subjects/triggered'))).toMatchObject({ passes: { ACTIVE: 1 } });
});

/** Makes the passes of the sandbox, or those of a wallet, 30 days old, and lets its alarm fire. */
async function makeOld({ gatekeeperNetwork }: Registration, wallet = ''): Promise<void> {
  await runInDurableObject(SANDBOXES.getByName(gatekeeperNetwork), async (_, { storage }) => {
    const admitted = Date.now() - 30 * DAY_SECONDS * 1000 - 1;
    storage.sql.exec('UPDATE pass SET admitted = ? WHERE name LIKE ?', admitted, `%${wallet}`);
    await storage.setAlarm(Date.now());
  });
}
