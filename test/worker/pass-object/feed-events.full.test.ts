import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readPassFromObject } from '../../../src/operations/await-settlement.ts';
import { openBackend } from '../../../src/operations/backend.ts';
import { rebuildSlice } from '../../../src/operator/databases.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { loadPass } from '../../../src/pass-object/stored-pass.ts';
import type { Publication } from '../../../src/store/passes.ts';
import { findPass } from '../../../src/store/search.ts';
import { openStore } from '../../../src/store/store.ts';
import { configureObject } from '../configure-object.ts';
import { deliverWith, processPass } from '../consumer/deliver.ts';
import { anActivePassObject, recorded, type Stub } from './a-pass-object.ts';

/** The feed events of a pass: kept by its object until the feed has them. */

const { DB } = env as Env;
const DAY = 86_400;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface FedEvent {
  sequence: number;
  type: string;
  body: { id: string; data: { event: { eventType: string }; pass: { state: string } } };
}

/** Returns the events of the pass in the feed, in the order of the feed. */
async function fedEvents({ gatekeeperNetwork, wallet }: PassKey): Promise<FedEvent[]> {
  const { results } = await DB.prepare(
    'SELECT sequence, type, body FROM events WHERE gatekeeper_network = ? ORDER BY 1',
  )
    .bind(gatekeeperNetwork)
    .all<{ sequence: number; type: string; body: string }>();
  return results.filter(({ body }) => body.includes(wallet)).map((row) => ({ ...row, body: JSON.parse(row.body) }));
}
const fedTypes = async (key: PassKey) => (await fedEvents(key)).map(({ type }) => type);
const pendingOf = (object: Stub) =>
  runInDurableObject(object, (_, { storage }) => loadPass(storage)?.pass.feed.pending.map(({ n }) => n));

const publicationsIn = (inspection: { publication: Publication } | undefined) =>
  inspection === undefined ? [] : [inspection.publication];

/** Makes every statement of the work fail, like a database that is away. */
async function withoutDatabase(work: () => Promise<unknown>): Promise<void> {
  await DB.prepare('ALTER TABLE passes RENAME TO elsewhere').run();
  vi.spyOn(console, 'error').mockImplementation(() => {});
  try {
    await work();
  } finally {
    await DB.prepare('ALTER TABLE elsewhere RENAME TO passes').run();
  }
}

describe('the events of a pass', () => {
  it('reach the feed once, however often the pass is published', async () => {
    const { object, key } = await anActivePassObject();
    await runDurableObjectAlarm(object);
    expect(await fedTypes(key)).toEqual(['pass.issued']);
    await object.redrive();
    await runDurableObjectAlarm(object);
    await evictDurableObject(object);
    await object.redrive();
    await runDurableObjectAlarm(object);
    expect(await fedEvents(key)).toMatchObject([{ body: { data: { event: { eventType: 'TOKEN_ISSUED' } } } }]);
    expect(await DB.prepare('SELECT events_in_feed FROM passes WHERE wallet = ?').bind(key.wallet).first()).toEqual({
      events_in_feed: 1,
    });
  });

  it('stay in the object until the feed has them, and leave it with the next write', async () => {
    const { object, key } = await anActivePassObject();
    await withoutDatabase(() => runDurableObjectAlarm(object));
    expect(await pendingOf(object)).toEqual([1]);
    await runDurableObjectAlarm(object);
    expect(await fedTypes(key)).toEqual(['pass.issued']);
    await evictDurableObject(object);
    await object.update({ client: 'acme', state: 'FROZEN' });
    expect(await pendingOf(object)).toEqual([]);
  });

  it('do not leave the object while its alarm fires and the database is away', async () => {
    const { object, key } = await anActivePassObject();
    await withoutDatabase(async () => {
      await runDurableObjectAlarm(object);
      await evictDurableObject(object);
      await runDurableObjectAlarm(object);
      await object.update({ client: 'acme', state: 'FROZEN' });
      expect(await pendingOf(object)).toEqual([1]);
    });
    await runDurableObjectAlarm(object);
    expect(await fedTypes(key)).toEqual(['pass.issued']);
  });

  it('reach the feed in order after hundreds of changes without a database', async () => {
    const { object, key } = await anActivePassObject();
    const block = (n: number) => ({ state: n % 2 === 1 ? 'FROZEN' : 'ACTIVE', asOf: 200 + n }) as const;
    await withoutDatabase(async () => {
      for (let n = 1; n <= 250; n += 1) await object.adopt({ final: block(n) });
      await runDurableObjectAlarm(object);
      await evictDurableObject(object);
    });
    expect((await pendingOf(object))?.length).toBe(100);
    for (let alarms = 0; alarms < 3; alarms += 1) await runDurableObjectAlarm(object);
    const fed = await fedEvents(key);
    expect(fed.map(({ body }) => Number(body.id.split('.')[1]))).toEqual(Array.from({ length: 251 }, (_, n) => n + 1));
    expect(fed.map(({ type }) => type).slice(-2)).toEqual(['pass.frozen', 'pass.unfrozen']);
    expect(await runInDurableObject(object, (_, { storage }) => storage.getAlarm())).toBeNull();
    expect(await runInDurableObject(object, (_, { storage }) => [...storage.kv.list({ prefix: 'feed:' })])).toEqual([]);
  });

  describe('that exceed a publication', () => {
    /** Returns a settled pass with 151 events of which an alarm has handed over the first 100. */
    async function aPassWithManyEvents() {
      const made = await anActivePassObject();
      await withoutDatabase(async () => {
        for (let n = 1; n <= 150; n += 1)
          await made.object.adopt({ final: { state: n % 2 === 1 ? 'FROZEN' : 'ACTIVE', asOf: 200 + n } });
        await runDurableObjectAlarm(made.object);
      });
      await runDurableObjectAlarm(made.object);
      expect(await fedNumbers(made.key)).toEqual(numbersTo(100));
      return made;
    }
    const fedNumbers = async (key: PassKey) => (await fedEvents(key)).map(({ body }) => Number(body.id.split('.')[1]));
    const numbersTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
    const backend = openBackend(env as Env, openStore(env));

    it.each<[string, (object: Stub, key: PassKey) => Promise<unknown>]>([
      ['a read of the object', (_, key) => readPassFromObject(key, backend)],
      ['an inspection', async (object) => backend.store.publishPasses(publicationsIn(await object.inspect()))],
      ['a rebuild', ({ id }) => rebuildSlice({ shard: 'DB', objects: [id.toString()] }, backend)],
      ['a message', (_, key) => deliverWith({}, processPass(key))],
      ['a request that waits', (object) => object.awaitSettlement(0)],
      ['a redrive', (object) => object.redrive()],
      ['an eviction', (object) => evictDurableObject(object)],
    ])('all reach the feed, once and in order, although %s comes between two alarms', async (_, visit) => {
      const { object, key, alarm } = await aPassWithManyEvents();
      await visit(object, key);
      for (let alarms = 0; alarms < 4; alarms += 1) await runDurableObjectAlarm(object);
      expect(await fedNumbers(key)).toEqual(numbersTo(151));
      expect(await alarm()).toBeNull();
    });

    it('all reach the feed, once and in order, although a change comes between two alarms', async () => {
      const { object, key } = await aPassWithManyEvents();
      await object.adopt({ final: { state: 'FROZEN', asOf: 900 } });
      for (let alarms = 0; alarms < 4; alarms += 1) await runDurableObjectAlarm(object);
      expect(await fedNumbers(key)).toEqual(numbersTo(152));
    });

    it('are carried by the next read of the object, which claims no later one', async () => {
      const { object } = await aPassWithManyEvents();
      const publication = await object.readPublication();
      expect(publication?.events.map(({ n }) => n)).toEqual(numbersTo(151).slice(100));
      expect(publication?.eventsInFeed).toBe(151);
    });
  });

  it('reach the feed with a message even if the signer cannot answer', async () => {
    const { object, key } = await anActivePassObject();
    const submit = vi.fn(async () => {
      throw new Error('the signer is away');
    });
    await deliverWith({ SIGNERS: { getByName: () => ({ submit }) } }, processPass(key));
    expect(await fedTypes(key)).toEqual(['pass.issued']);
    expect(submit).not.toHaveBeenCalled();
    expect(await runInDurableObject(object, (_, { storage }) => storage.getAlarm())).toBeNull();
  });
});

describe('the expiry of a pass', () => {
  /** Returns a settled and published pass that expires in 30 days. */
  async function anExpiringPass() {
    const made = await anActivePassObject();
    const expiry = Math.floor(Date.now() / 1000) + 30 * DAY;
    await made.object.adopt({ final: { state: 'ACTIVE', expiry, asOf: 150 } });
    await runDurableObjectAlarm(made.object);
    return { ...made, expiry };
  }
  const setClock = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: seconds * 1000 });
  const fireAt = async (object: Stub, seconds: number) => {
    setClock(seconds);
    await runDurableObjectAlarm(object);
  };

  it('has an alarm for the notice, then for the expiry, and then none', async () => {
    const { object, key, alarm, expiry } = await anExpiringPass();
    const notice = (await alarm()) ?? 0;
    expect(Math.floor((notice / 1000 - expiry) / DAY)).toBe(-7);
    await fireAt(object, notice / 1000);
    await deliverWith({}, processPass(key));
    expect(await fedTypes(key)).toEqual(['pass.issued', 'pass.expiry_changed', 'pass.expiring']);
    const end = (await alarm()) ?? 0;
    expect(end / 1000).toBeGreaterThan(expiry);
    expect(end / 1000).toBeLessThan(expiry + 600);
    await fireAt(object, end / 1000);
    await deliverWith({}, processPass(key));
    expect(await fedTypes(key)).toEqual(['pass.issued', 'pass.expiry_changed', 'pass.expiring', 'pass.expired']);
    expect(await alarm()).toBeNull();
    expect(JSON.parse((await findPass(DB, key))?.record ?? '{}')).toMatchObject({
      state: 'ACTIVE',
      onChainState: 'ACTIVE',
    });
  });

  it('is published by a later alarm if the message is lost, and once if the alarm fires twice', async () => {
    const { object, key, alarm, expiry } = await anExpiringPass();
    await configureObject(object, { PASS_QUEUE: { sendBatch: async () => {} } });
    await fireAt(object, expiry + 600);
    expect(await fedTypes(key)).toEqual(['pass.issued', 'pass.expiry_changed']);
    expect(((await alarm()) ?? 0) - Date.now()).toBeLessThan(61_000);
    await runDurableObjectAlarm(object);
    expect(await fedTypes(key)).toEqual(['pass.issued', 'pass.expiry_changed', 'pass.expired']);
    expect(await alarm()).toBeNull();
  });

  it('is no attempt, and does not list an unsettled pass', async () => {
    const { object, key, expiry } = await anExpiringPass();
    await object.update({ client: 'acme', state: 'FROZEN' });
    await recorded(object, { type: 'waiting' });
    await fireAt(object, expiry + 600);
    expect(await object.inspect()).toMatchObject({ tries: 0, isSettled: false });
    expect(await DB.prepare('SELECT 1 FROM unsettled WHERE wallet = ?').bind(key.wallet).first()).toBeNull();
    await runDurableObjectAlarm(object);
    expect(await fedTypes(key)).toEqual(['pass.issued', 'pass.expiry_changed', 'pass.expired']);
  });

  it('moves its alarm with a changed expiry, and loses it with a revocation', async () => {
    const { object, alarm, expiry } = await anExpiringPass();
    await object.adopt({ final: { state: 'ACTIVE', expiry: expiry + 30 * DAY, asOf: 200 } });
    await runDurableObjectAlarm(object);
    expect(Math.floor((((await alarm()) ?? 0) / 1000 - expiry) / DAY)).toBe(23);
    await object.adopt({ final: { state: 'REVOKED', expiry: expiry + 30 * DAY, asOf: 201 } });
    await runDurableObjectAlarm(object);
    expect(await alarm()).toBeNull();
  });

  it('gets its alarm back from an inspection, which reports that it was missing', async () => {
    const { object, alarm } = await anExpiringPass();
    const before = await alarm();
    await runInDurableObject(object, (_, { storage }) => storage.deleteAlarm());
    expect(await object.inspect()).toMatchObject({ wasWithoutAlarm: true });
    expect(await alarm()).toBe(before);
    expect(await object.inspect()).toMatchObject({ wasWithoutAlarm: false });
  });
});
