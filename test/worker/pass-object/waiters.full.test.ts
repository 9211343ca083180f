import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Outbox, Waiters } from '../../../src/pass-object/outbox.ts';
import { PassKeeper } from '../../../src/pass-object/pass-keeper.ts';
import { noteShard } from '../../../src/store/placements.ts';
import { findPass } from '../../../src/store/search.ts';
import { openStore } from '../../../src/store/store.ts';
import { defaultContract } from '../../default-contract.ts';
import { recording } from '../store/recorder.ts';
import { answering, failing, hanging, UnreliableDatabase } from '../store/unreliable.ts';
import { withoutTimers } from '../without-timers.ts';
import { anActivePassObject, aPassObject, CONFIRMED, recorded, recordIn, SENT, type Stub } from './a-pass-object.ts';

/** Requests that wait until a pass is settled. */

const { DB } = env as Env;
const SEEN_ALL = 'first-primary';
const LONG = 20_000;
const errors = vi.spyOn(console, 'error');
beforeEach(() => void errors.mockReset());

/** A waiter, its answer, and its waiting time (ms). */
function aWaiter(object: Stub, ms = LONG) {
  const since = Date.now();
  const waiter = { ms: undefined as number | undefined, told: undefined as unknown };
  const answer = object.awaitSettlement(ms).then((awaited) => {
    waiter.ms = Date.now() - since;
    waiter.told = awaited && [recordIn(awaited.publication).state, awaited.bookmark, awaited.waited];
    return awaited;
  });
  return { waiter, answer };
}

const aMoment = () => scheduler.wait(100);
const told = async (object: Stub, ms = LONG) => {
  const { waiter, answer } = aWaiter(object, ms);
  await answer;
  return waiter;
};
/** Returns the answer of a waiter that waits for no time. */
const toldAtOnce = async (object: Stub) => (await withoutTimers(() => told(object))).told;
/** Returns what D1 has once the pass is published, or its earlier version. */
const publishedOf = async (object: Stub, earlier = 0) => {
  const { version = 0, eventsInFeed = 0 } = (await object.readPublication()) ?? {};
  return { version: version - earlier, eventsInFeed };
};
const versionOf = async (object: Stub) => (await publishedOf(object)).version;

async function aRequestedPassObject() {
  const made = aPassObject();
  await made.request();
  return made;
}

/** Runs a test inside an object with its own database and waiters. */
function inside(
  object: Stub,
  DB: unknown,
  does: (waiters: Waiters, self: Stub, outbox: Outbox) => Promise<void>,
): Promise<void> {
  return runInDurableObject(object, (self, state) => {
    const keeper: PassKeeper = new PassKeeper(
      state,
      () => env as Env,
      () => waiters.wake(),
    );
    const outbox = new Outbox(keeper, openStore({ ...env, DB }), () => env as Env);
    const waiters = new Waiters(keeper, outbox);
    return does(waiters, self as unknown as Stub, outbox);
  });
}

describe('a wait that ends at once', () => {
  it('nobody waits for a pass that does not exist, and nothing is stored for it', async () => {
    const { object } = aPassObject();
    expect(await toldAtOnce(object)).toBeUndefined();
    expect(await runInDurableObject(object, (_, { storage }) => [...storage.kv.list()])).toEqual([]);
  });

  it('nobody waits for a pass that is settled and published', async () => {
    const { object } = await anActivePassObject();
    await runDurableObjectAlarm(object);
    expect(await toldAtOnce(object)).toEqual(['ACTIVE', SEEN_ALL, true]);
    // The same if the object has nothing in memory.
    await evictDurableObject(object);
    expect(await toldAtOnce(object)).toEqual(['ACTIVE', SEEN_ALL, true]);
  });
});

describe('the answer to a waiter', () => {
  it('answers a waiter when the pass is settled and published, and not before', async () => {
    const { object } = await aRequestedPassObject();
    // After two seconds, the object would publish the settled pass by itself.
    await withoutTimers(async () => {
      const { waiter, answer } = aWaiter(object);
      await recorded(object, SENT);
      await object.markPublished(await publishedOf(object));
      await recorded(object, SENT, CONFIRMED);
      await aMoment();
      expect(waiter.ms).toBeUndefined();
      await object.markPublished(await publishedOf(object, 1));
      await aMoment();
      expect(waiter.ms).toBeUndefined();
      await object.markPublished(await publishedOf(object));
      await answer;
      expect(waiter.told).toEqual(['ACTIVE', SEEN_ALL, true]);
    });
  });

  it('answers a waiter when the alarm publishes a settled pass', async () => {
    const { object, key } = await anActivePassObject();
    const { told } = await withoutTimers(async () => {
      const { waiter, answer } = aWaiter(object);
      await runDurableObjectAlarm(object);
      await answer;
      return waiter;
    });
    expect(told).toEqual(['ACTIVE', SEEN_ALL, true]);
    expect(recordIn((await findPass(DB, key)) ?? { record: '{}' }).state).toBe('ACTIVE');
  });

  it('answers a waiter of a settled pass before the alarm takes the pass off the operator’s list', async () => {
    const { object, alarm } = await aRequestedPassObject();
    await runDurableObjectAlarm(object);
    const { waiter, answer } = aWaiter(object);
    await recorded(object, SENT, CONFIRMED);
    await object.markPublished(await publishedOf(object));
    await answer;
    expect(waiter.told).toEqual(['ACTIVE', SEEN_ALL, true]);
    expect(await alarm()).not.toBeNull();
    expect(await toldAtOnce(object)).toEqual(['ACTIVE', SEEN_ALL, true]);
  });

  it('answers a waiter when the chain has refused the pass', async () => {
    const { object } = await aRequestedPassObject();
    const { waiter, answer } = aWaiter(object);
    await recorded(object, { type: 'failed', reason: 'because' });
    await object.markPublished(await publishedOf(object));
    await answer;
    expect(waiter.told).toEqual(['REJECTED', SEEN_ALL, true]);
  });

  it('answers a waiter when the newest change is settled, not an earlier one', async () => {
    const { object } = await aRequestedPassObject();
    const { waiter, answer } = aWaiter(object);
    const first = await recorded(object, SENT, CONFIRMED);
    await object.update({ client: 'acme', state: 'FROZEN' });
    await object.markPublished({ version: first?.publication.version ?? 0, eventsInFeed: 1 });
    await aMoment();
    expect(waiter.ms).toBeUndefined();
    const onChain = { state: 'FROZEN', asOf: 101 } as const;
    await recorded(object, { type: 'confirmed', transaction: '0xbb', onChain });
    await object.markPublished(await publishedOf(object));
    await answer;
    expect(waiter.told).toEqual(['FROZEN', SEEN_ALL, true]);
  });

  it('publishes a settled pass after two seconds when nobody else does, and answers its waiters', async () => {
    const { object, key } = await aRequestedPassObject();
    const waiters = [aWaiter(object), aWaiter(object)];
    await recorded(object, SENT, CONFIRMED);
    for (const { waiter, answer } of waiters) {
      await answer;
      expect(waiter.ms).toBeGreaterThanOrEqual(1_900);
      expect(waiter.told).toEqual(['ACTIVE', expect.stringMatching(/^DB\.|^first-primary$/), true]);
    }
    expect(recordIn((await findPass(DB, key)) ?? { record: '{}' }).state).toBe('ACTIVE');
    expect(await toldAtOnce(object)).toBeDefined();
  });

  it('answers a waiter whose time is over with the pass as it is, and publishes that', async () => {
    const { object, key } = await aRequestedPassObject();
    const early = aWaiter(object, 3_000);
    await recorded(object, SENT);
    const hasChange = (await early.answer)?.publication.record.includes('"sent"');
    // On a busy machine, the time of the waiter may be over before the change.
    const { waiter, answer } = hasChange ? early : aWaiter(object, 3_000);
    const awaited = await answer;
    expect(waiter.ms).toBeGreaterThanOrEqual(2_990);
    expect(waiter.told).toEqual(['REQUESTED', expect.stringMatching(/^DB\./), true]);
    expect(await findPass(DB, key)).toMatchObject({ version: await versionOf(object) });
    expect(awaited?.publication.record).toContain('"sent"');
  });
});

describe('many waiters of one pass', () => {
  it('waiters whose time is over cost the database one statement together, and waiters answered in time none', async () => {
    const { object, key } = await aRequestedPassObject();
    const { db, ran } = recording(DB);
    // An isolate reads the name of the database once a minute.
    noteShard(key.gatekeeperNetwork, 'DB');
    await inside(object, db, async (waiters) => {
      const over = await Promise.all(Array.from({ length: 100 }, () => waiters.waitUntilSettled(50)));
      expect(new Set(over.map((each) => each?.bookmark)).size).toBe(1);
      expect(ran.splice(0)).toHaveLength(1);
    });
    await recorded(object, SENT, CONFIRMED);
    const published = await publishedOf(object);
    await inside(object, db, async (waiters, _, outbox) => {
      const answers = Promise.all(Array.from({ length: 100 }, () => waiters.waitUntilSettled(LONG)));
      await aMoment();
      await outbox.noteSent(published);
      expect((await answers).map((each) => each?.bookmark)).toEqual(Array(100).fill(SEEN_ALL));
      expect(ran).toEqual([]);
    });
  });

  it('answers a waiter beyond the first thousand at once', async () => {
    const { object } = await aRequestedPassObject();
    const answerAll = async (waiters: Waiters, self: Stub, outbox: Outbox) => {
      const others = Array.from({ length: 1_000 }, () => waiters.waitUntilSettled(LONG));
      await scheduler.wait(0);
      expect(await waiters.waitUntilSettled(LONG)).toMatchObject({ waited: false });
      waiters.wake();
      await scheduler.wait(0);
      expect(await waiters.waitUntilSettled(LONG)).toMatchObject({ waited: false });
      await recorded(self, SENT, CONFIRMED);
      await outbox.noteSent(await publishedOf(self));
      for (const each of await Promise.all(others)) expect(each?.waited).toBe(true);
      // They are deleted.
      expect(await waiters.waitUntilSettled(LONG)).toMatchObject({ waited: true });
    };
    await inside(object, DB, (...parts) => withoutTimers(() => answerAll(...parts)));
  });
});

describe('a pass and a database while waiters wait', () => {
  it('reads, changes and publishes a pass while waiters wait for it', async () => {
    const { object, request, key } = await aRequestedPassObject();
    await withoutTimers(async () => {
      const waiters = Array.from({ length: 20 }, () => aWaiter(object));
      await request();
      // During the call to the quota object, the pass object accepts no other call.
      await object.issue(
        { key, contract: defaultContract(key), client: 'acme', waits: true },
        { clientId: 'who waits', daily: 9 },
      );
      await object.readPublication();
      await object.update({ client: 'acme', state: 'REVOKED' });
      await recorded(object, { type: 'found', onChain: { state: 'NONE', asOf: 9 } });
      await runDurableObjectAlarm(object);
      for (const { waiter, answer } of waiters) {
        await answer;
        expect(waiter.told).toEqual(['REVOKED', SEEN_ALL, true]);
      }
    });
  });

  it('answers a waiter whose time is over while the database is away', async () => {
    const { object } = await aRequestedPassObject();
    const database = new UnreliableDatabase();
    await inside(object, database, async (waiters) => {
      for (const manner of [failing('D1_ERROR: away'), hanging]) {
        database.manner = manner;
        expect(await waiters.waitUntilSettled(50)).toMatchObject({ bookmark: SEEN_ALL, waited: true });
      }
    });
  });

  it('lets the next waiter ask the database again after the database was slow to fail', async () => {
    const { object } = await aRequestedPassObject();
    const database = new UnreliableDatabase();
    await inside(object, database, async (waiters) => {
      database.manner = async () => {
        await scheduler.wait(2_300);
        throw new Error('D1_ERROR: away');
      };
      await waiters.waitUntilSettled(50);
      await scheduler.wait(600);
      database.manner = answering;
      expect(await waiters.waitUntilSettled(50)).toMatchObject({ bookmark: expect.stringMatching(/^DB\./) });
    });
  });
});

it('nobody waits for a pass that has been unsettled for more than two minutes', async () => {
  const { object } = await aRequestedPassObject();
  const unsettledFor = (seconds: number) =>
    runInDurableObject(object, (_, { storage }) => {
      const stored = storage.kv.get('pass') as object;
      storage.kv.put('pass', { ...stored, unsettledSince: Math.floor(Date.now() / 1000) - seconds });
    });
  await unsettledFor(125);
  expect(((await toldAtOnce(object)) as unknown[]).at(-1)).toBe(false);
  await unsettledFor(60);
  const { waiter, answer } = aWaiter(object, 200);
  await answer;
  expect((waiter.told as unknown[]).at(-1)).toBe(true);
  expect(waiter.ms).toBeGreaterThanOrEqual(190);
});
