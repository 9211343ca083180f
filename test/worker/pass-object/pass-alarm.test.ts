import { evictDurableObject, listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PassObject } from '../../../src/pass-object/pass-object.ts';
import { findPass } from '../../../src/store/search.ts';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { configureObject, configurePassObject } from '../configure-object.ts';
import { NOBODY } from '../issue-with-signer.ts';
import { anActivePassObject, aPassObject, CONFIRMED, recorded, recordIn, SENT, type Stub } from './a-pass-object.ts';

/** When the alarm of a pass fires, and what it writes. */

const { DB, PASSES } = env as Env;

afterEach(() => {
  vi.useRealTimers();
});

describe('the alarm of a pass', () => {
  it('publishes the pass by the alarm, and removes the alarm when the pass is settled', async () => {
    const { object, request, key, alarm } = aPassObject();
    await request();
    expect(await findPass(DB, key)).toBeUndefined();
    await runDurableObjectAlarm(object);
    expect(recordIn((await findPass(DB, key)) ?? { record: '{}' })).toMatchObject({ state: 'REQUESTED' });
    expect(await alarm()).not.toBeNull();
    await recorded(object, SENT, CONFIRMED);
    await runDurableObjectAlarm(object);
    expect(recordIn((await findPass(DB, key)) ?? { record: '{}' })).toMatchObject({ state: 'ACTIVE' });
    expect(await alarm()).toBeNull();
  });

  it('sets the alarm less and less often while nothing changes, and starts over after a change', async () => {
    const { object, request, alarm } = aPassObject();
    await request();
    await recorded(object, { type: 'waiting' });
    vi.useFakeTimers({ toFake: ['Date'] });
    const waits: number[] = [];
    for (let ring = 0; ring < 4; ring += 1) {
      await runDurableObjectAlarm(object);
      waits.push(Math.round((((await alarm()) ?? 0) - Date.now()) / 1000));
    }
    expect(waits).toEqual([20, 40, 80, 160]);
    await recorded(object, { type: 'waiting' }, SENT);
    expect(Math.round((((await alarm()) ?? 0) - Date.now()) / 1000)).toBe(10);
  });

  it('removes the alarm of a settled pass when somebody else has published its version', async () => {
    const { object, request, alarm } = aPassObject();
    await request();
    await object.markPublished({ version: 1, eventsInFeed: 0 });
    expect(await alarm(), 'not settled').not.toBeNull();
    const confirmed = await recorded(object, SENT, CONFIRMED);
    expect(confirmed).toMatchObject({ isSettled: true, needsStep: false });
    const { version = 0, eventsInFeed = 0 } = confirmed?.publication ?? {};
    await object.markPublished({ version: version - 1, eventsInFeed: 0 });
    expect(await alarm(), 'an older version').not.toBeNull();
    await object.markPublished({ version, eventsInFeed: 0 });
    expect(await alarm(), 'without its events').not.toBeNull();
    await object.markPublished({ version, eventsInFeed });
    expect(await alarm()).toBeNull();
    // The next change sets one again.
    await object.update({ client: 'acme', state: 'FROZEN' });
    expect(await alarm()).toBeGreaterThan(Date.now());
  });

  it('keeps the alarm of a settled pass on the operator’s list until the alarm takes it off the list', async () => {
    const { object, request, key, alarm } = aPassObject();
    await request();
    await runDurableObjectAlarm(object);
    const listed = () => DB.prepare('SELECT 1 FROM unsettled WHERE wallet = ?').bind(key.wallet).first();
    expect(await listed()).not.toBeNull();
    const confirmed = await recorded(object, SENT, CONFIRMED);
    const { version = 0, eventsInFeed = 0 } = confirmed?.publication ?? {};
    await object.markPublished({ version, eventsInFeed });
    expect(await alarm()).not.toBeNull();
    await runDurableObjectAlarm(object);
    expect(await listed()).toBeNull();
    expect(await alarm()).toBeNull();
  });

  it('sets the alarm again only where it would be too early or too late', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { object, request, alarm } = aPassObject();
    await request();
    const soon = await alarm();
    // 10 s for a step without an answer, and also for one that is confirmed within a second.
    await recorded(object, SENT);
    expect(await alarm()).toBe(soon);
    // Two seconds are too early for the read model, which gets 30 s.
    vi.setSystemTime((soon ?? 0) - 2_000);
    await recorded(object, SENT, CONFIRMED);
    expect(await alarm()).toBeGreaterThan((soon ?? 0) + 10_000);
  });

  it('keeps the alarm while the read model cannot be reached', async () => {
    const { object, request, key, alarm } = aPassObject();
    await request();
    await recorded(object, SENT, CONFIRMED);
    await DB.prepare('ALTER TABLE passes RENAME TO elsewhere').run();
    try {
      await runDurableObjectAlarm(object);
      expect(await alarm()).not.toBeNull();
    } finally {
      await DB.prepare('ALTER TABLE elsewhere RENAME TO passes').run();
    }
    await runDurableObjectAlarm(object);
    expect((await findPass(DB, key))?.record).toContain('"ACTIVE"');
    expect(await alarm()).toBeNull();
  });
});

describe('an alarm that finds nothing new', () => {
  beforeEach(async () => {
    // On a busy machine, the alarm of a pass of an earlier test fires meanwhile, and its statements would count.
    for (const id of await listDurableObjectIds(PASSES))
      await runInDurableObject(PASSES.get(id), (_, { storage }) => storage.deleteAlarm());
  });

  /** How many statements the object prepared for D1 in its alarm, without the looks for its shard. The consumer would prepare others. */
  async function statementsOf(object: Stub): Promise<number> {
    await configureObject(object, { PASS_QUEUE: { sendBatch: async () => {} } });
    const callers = [DB, DB.withSession('first-primary')].map((db) => Object.getPrototypeOf(db));
    const prepared = callers.map((caller) => vi.spyOn(caller, 'prepare'));
    await runDurableObjectAlarm(object);
    const isLook = (sql: string) => /FROM gatekeeper_networks|SET refused = 1/.test(sql);
    const count = prepared.flatMap(({ mock }) => mock.calls).filter(([sql]) => !isLook(String(sql))).length;
    for (const each of prepared) each.mockRestore();
    return count;
  }

  it('publishes and lists a waiting pass once, and writes nothing to D1 after that', async () => {
    const { object, request, key } = aPassObject();
    await request();
    await recorded(object, { type: 'waiting' });
    expect(await statementsOf(object)).toBe(2);
    expect(await findPass(DB, key)).toBeDefined();
    await evictDurableObject(object);
    expect(await statementsOf(object)).toBe(0);
    expect(await object.pinStep()).toMatchObject({ isPublished: true });
    await recorded(object, { type: 'waiting' }, SENT);
    expect(await object.pinStep()).toMatchObject({ isPublished: false });
    expect(await statementsOf(object)).toBe(1);
    expect(await statementsOf(object)).toBe(0);
  });

  it('writes again what the read model did not take', async () => {
    const { object, request, key } = aPassObject();
    await request();
    await DB.prepare('ALTER TABLE passes RENAME TO elsewhere').run();
    try {
      await runDurableObjectAlarm(object);
    } finally {
      await DB.prepare('ALTER TABLE elsewhere RENAME TO passes').run();
    }
    expect(await object.pinStep()).toMatchObject({ isPublished: false });
    await runDurableObjectAlarm(object);
    expect(await findPass(DB, key)).toBeDefined();
  });

  it('backs off to an hour while every key that could do the step is compromised', async () => {
    const { object, alarm, request, key } = aPassObject();
    await request();
    await configurePassObject(key, { COMPROMISED_GATEKEEPERS: [...GATEKEEPERS, NOBODY.split('/')[2]].join(' ') });
    for (let tries = 0; tries < 12; tries += 1) await runDurableObjectAlarm(object);
    expect(await alarm()).toBeGreaterThan(Date.now() + 3_500_000);
  });

  it('pins no step for a key that newer lists of the caller stop, while its own variables do not', async () => {
    const { object, request } = aPassObject();
    await request();
    const stopped = [...GATEKEEPERS, NOBODY.split('/')[2] ?? ''];
    const pinnedWith = async (number: number) =>
      (await object.pinStep({ number, compromisedGatekeepers: stopped, suspendedClients: [] }))?.step;
    expect(await pinnedWith(1)).toBeUndefined();
    expect(await pinnedWith(0)).toMatchObject({ kind: 'issue' });
  });

  it('writes everything again after the operator redrives the pass', async () => {
    const { object, request, key } = aPassObject();
    await request();
    await runDurableObjectAlarm(object);
    await DB.prepare('DELETE FROM passes WHERE wallet = ?').bind(key.wallet).run();
    await object.redrive();
    await runDurableObjectAlarm(object);
    expect(await findPass(DB, key)).toBeDefined();
  });
});

describe('a settled and published pass', () => {
  const EXPIRY = 4_000_000_000_000;
  const setAlarm = (object: Stub, at: number) => runInDurableObject(object, (_, { storage }) => storage.setAlarm(at));

  it('stores that it is published, whatever its alarm is', async () => {
    const { object, key, alarm } = await anActivePassObject();
    await runDurableObjectAlarm(object);
    expect((await findPass(DB, key))?.record).toContain('"ACTIVE"');
    await setAlarm(object, EXPIRY);
    await evictDurableObject(object);
    expect(await object.pinStep()).toMatchObject({ isPublished: true, isSettled: true });
    expect(await object.awaitSettlement(10_000)).toMatchObject({ bookmark: 'first-primary', waited: true });
    expect(await alarm()).toBe(EXPIRY);
  });

  it('is not taken for published because of its alarm', async () => {
    const { object } = await anActivePassObject();
    await runInDurableObject(object, (_, { storage }) => storage.deleteAlarm());
    await evictDurableObject(object);
    expect(await object.pinStep()).toMatchObject({ isPublished: false, isSettled: true });
    expect(await object.inspect()).toMatchObject({ wasWithoutAlarm: true });
  });

  it('writes a row when it hears that it is published, and none when it hears it again', async () => {
    const { object } = await anActivePassObject();
    const { version = 0, eventsInFeed = 0 } = (await object.readPublication()) ?? {};
    const writes = await runInDurableObject<PassObject, number[]>(object, async (self, { storage }) => {
      const [put, set] = [vi.spyOn(storage.kv, 'put'), vi.spyOn(storage, 'setAlarm')];
      const count = async () => {
        await self.markPublished({ version, eventsInFeed });
        return put.mock.calls.length + set.mock.calls.length;
      };
      const counts = [await count(), await count()];
      vi.restoreAllMocks();
      return counts;
    });
    expect(writes).toEqual([1, 1]);
  });

  it('sets its alarm once, at its request, if its transaction is confirmed within seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { object, request, alarm } = aPassObject();
    await request();
    const atRequest = await alarm();
    vi.setSystemTime(Date.now() + 4_000);
    expect(await recorded(object, CONFIRMED)).toMatchObject({ isSettled: true });
    expect(await alarm()).toBe(atRequest);
  });

  it('replaces the alarm of its expiry by a retry when the pass changes', async () => {
    const { object, alarm } = await anActivePassObject();
    await runDurableObjectAlarm(object);
    await setAlarm(object, EXPIRY);
    await object.update({ client: 'acme', state: 'FROZEN' });
    expect(await alarm()).toBeLessThan(Date.now() + 20_000);
  });

  it('publishes nothing again and rests when its alarm fires without a due event', async () => {
    const { object, key, alarm } = await anActivePassObject();
    await runDurableObjectAlarm(object);
    await DB.prepare('DELETE FROM passes WHERE wallet = ?').bind(key.wallet).run();
    await setAlarm(object, EXPIRY);
    await runDurableObjectAlarm(object);
    expect(await alarm()).toBeNull();
    expect(await findPass(DB, key)).toBeUndefined();
  });
});
