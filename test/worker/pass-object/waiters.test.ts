import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Waiters } from '../../../src/pass-object/waiters.ts';
import { findPass } from '../../../src/store/passes.ts';
import { recording } from '../store/recorder.ts';
import { answering, failing, hanging, UnreliableDatabase } from '../store/unreliable.ts';
import {
  anActivePassObject,
  aPassObject,
  CONFIRMED,
  recorded,
  recordIn,
  SENT,
  SIGNER,
  type Stub,
} from './a-pass-object.ts';

/** Who waits for a pass to settle. */

const { DB } = env as Env;
const SEEN_ALL = 'first-primary';
const LONG = 20_000;
const errors = vi.spyOn(console, 'error');
beforeEach(() => void errors.mockReset());

/** A waiter, what it was told in the end, and after how long (ms). */
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
const atOnce = expect.toSatisfy((ms: number) => ms < 1_500);
const versionOf = async (object: Stub) => (await object.readPublication())?.version ?? 0;

async function aRequestedPassObject() {
  const made = aPassObject();
  await made.request();
  return made;
}

/** What a test does inside an object, with a database of its own, and who waits there. */
function inside(object: Stub, DB: unknown, does: (waiters: Waiters, self: Stub) => Promise<void>): Promise<void> {
  return runInDurableObject(object, (self, { storage }) =>
    does(new Waiters(storage, { ...env, DB } as Env), self as unknown as Stub),
  );
}

describe('nobody waits', () => {
  it('for a pass that is not there, and leaves no trace', async () => {
    const { object } = aPassObject();
    expect(await told(object)).toEqual({ ms: atOnce, told: undefined });
    expect(await runInDurableObject(object, (_, { storage }) => [...storage.kv.list()])).toEqual([]);
  });

  it('for one that is settled, and where it should be', async () => {
    const { object } = await anActivePassObject();
    await runDurableObjectAlarm(object);
    expect(await told(object)).toEqual({ ms: atOnce, told: ['ACTIVE', SEEN_ALL, true] });
    // Nor where the object remembers nothing.
    await evictDurableObject(object);
    expect(await told(object)).toEqual({ ms: atOnce, told: ['ACTIVE', SEEN_ALL, true] });
  });
});

describe('who waits is answered', () => {
  it('when the pass is settled and the read model has it, and not before', async () => {
    const { object } = await aRequestedPassObject();
    const { waiter, answer } = aWaiter(object);
    await recorded(object, SENT);
    await object.markPublished(await versionOf(object));
    await recorded(object, SENT, CONFIRMED);
    await aMoment();
    expect(waiter.ms).toBeUndefined();
    await object.markPublished((await versionOf(object)) - 1);
    await aMoment();
    expect(waiter.ms).toBeUndefined();
    await object.markPublished(await versionOf(object));
    await answer;
    expect(waiter.told).toEqual(['ACTIVE', SEEN_ALL, true]);
  });

  it('by the alarm', async () => {
    const { object, key } = await anActivePassObject();
    const { waiter, answer } = aWaiter(object);
    await runDurableObjectAlarm(object);
    await answer;
    expect(waiter).toEqual({ ms: atOnce, told: ['ACTIVE', SEEN_ALL, true] });
    expect(recordIn((await findPass(DB, key)) ?? { record: '{}' }).state).toBe('ACTIVE');
  });

  it('when it stood on the list of the operator, where the alarm has to take it off', async () => {
    const { object, alarm } = await aRequestedPassObject();
    await runDurableObjectAlarm(object);
    const { waiter, answer } = aWaiter(object);
    await recorded(object, SENT, CONFIRMED);
    await object.markPublished(await versionOf(object));
    await answer;
    expect(waiter.told).toEqual(['ACTIVE', SEEN_ALL, true]);
    expect(await alarm()).not.toBeNull();
    expect(await told(object)).toEqual({ ms: atOnce, told: ['ACTIVE', SEEN_ALL, true] });
  });

  it('when the chain has refused it', async () => {
    const { object } = await aRequestedPassObject();
    const { waiter, answer } = aWaiter(object);
    await recorded(object, { type: 'failed', reason: 'because' });
    await object.markPublished(await versionOf(object));
    await answer;
    expect(waiter.told).toEqual(['REJECTED', SEEN_ALL, true]);
  });

  it('when the newest wish has come true, not one before it', async () => {
    const { object } = await aRequestedPassObject();
    const { waiter, answer } = aWaiter(object);
    const first = await recorded(object, SENT, CONFIRMED);
    await object.update({ state: 'FROZEN' });
    await object.markPublished(first?.publication.version ?? 0);
    await aMoment();
    expect(waiter.ms).toBeUndefined();
    const onChain = { state: 'FROZEN', asOf: 101 } as const;
    await recorded(object, { type: 'confirmed', transaction: '0xbb', onChain });
    await object.markPublished(await versionOf(object));
    await answer;
    expect(waiter.told).toEqual(['FROZEN', SEEN_ALL, true]);
  });

  it('two seconds after it was settled, where nobody brings it to the read model: its object does', async () => {
    const { object, key } = await aRequestedPassObject();
    const waiters = [aWaiter(object), aWaiter(object)];
    await recorded(object, SENT, CONFIRMED);
    for (const { waiter, answer } of waiters) {
      await answer;
      expect(waiter.ms).toBeGreaterThanOrEqual(1_900);
      expect(waiter.told).toEqual(['ACTIVE', expect.stringMatching(/^DB\.|^first-primary$/), true]);
    }
    expect(recordIn((await findPass(DB, key)) ?? { record: '{}' }).state).toBe('ACTIVE');
    expect((await told(object)).ms).toEqual(atOnce);
  });

  it('when the time is over, with the pass as it is then, which can be read everywhere', async () => {
    const { object, key } = await aRequestedPassObject();
    const { waiter, answer } = aWaiter(object, 300);
    await recorded(object, SENT);
    const awaited = await answer;
    expect(waiter.ms).toBeGreaterThanOrEqual(290);
    expect(waiter.told).toEqual(['REQUESTED', expect.stringMatching(/^DB\./), true]);
    expect(await findPass(DB, key)).toMatchObject({ version: await versionOf(object) });
    expect(awaited?.publication.record).toContain('"sent"');
  });
});

describe('many', () => {
  it('cost the database one statement when their time is over, and none when they are answered in time', async () => {
    const { object } = await aRequestedPassObject();
    const { db, ran } = recording(DB);
    await inside(object, db, async (waiters) => {
      const over = await Promise.all(Array.from({ length: 100 }, () => waiters.waitUntilSettled(50)));
      expect(new Set(over.map((each) => each?.bookmark)).size).toBe(1);
      expect(ran.splice(0)).toHaveLength(1);
    });
    await recorded(object, SENT, CONFIRMED);
    const version = await versionOf(object);
    await inside(object, db, async (waiters) => {
      const answers = Promise.all(Array.from({ length: 100 }, () => waiters.waitUntilSettled(LONG)));
      await aMoment();
      waiters.markPublished(version);
      expect((await answers).map((each) => each?.bookmark)).toEqual(Array(100).fill(SEEN_ALL));
      expect(ran).toEqual([]);
    });
  });

  it('are bounded: beyond a thousand, who comes is answered at once', async () => {
    const { object } = await aRequestedPassObject();
    await inside(object, DB, async (waiters, self) => {
      const since = Date.now();
      const others = Array.from({ length: 1_000 }, () => waiters.waitUntilSettled(LONG));
      await scheduler.wait(0);
      expect(await waiters.waitUntilSettled(LONG)).toMatchObject({ waited: false });
      waiters.wake();
      await scheduler.wait(0);
      expect(await waiters.waitUntilSettled(LONG)).toMatchObject({ waited: false });
      await recorded(self, SENT, CONFIRMED);
      waiters.markPublished(await versionOf(self));
      for (const each of await Promise.all(others)) expect(each?.waited).toBe(true);
      // They are forgotten.
      expect(await waiters.waitUntilSettled(LONG)).toMatchObject({ waited: true });
      expect(Date.now() - since).toBeLessThan(5_000);
    });
  });
});

describe('what waits holds up nothing', () => {
  it('of the pass: it is asked, changed and looked after as ever', async () => {
    const { object, request, key } = await aRequestedPassObject();
    const waiters = Array.from({ length: 20 }, () => aWaiter(object));
    const since = Date.now();
    await request();
    // While its quota is asked for, nothing else comes to the object.
    await object.request({ key, signer: SIGNER }, { clientId: 'who waits', daily: 9 });
    await object.readPublication();
    await object.update({ state: 'REVOKED' });
    await runDurableObjectAlarm(object);
    expect(Date.now() - since).toBeLessThan(5_000);
    for (const { waiter, answer } of waiters) {
      await answer;
      expect(waiter.told).toEqual(['REVOKED', SEEN_ALL, true]);
    }
  });

  it('while the database is away', async () => {
    const { object } = await aRequestedPassObject();
    const database = new UnreliableDatabase();
    await inside(object, database, async (waiters) => {
      for (const manner of [failing('D1_ERROR: away'), hanging]) {
        database.manner = manner;
        const since = Date.now();
        expect(await waiters.waitUntilSettled(50)).toMatchObject({ bookmark: SEEN_ALL, waited: true });
        expect(Date.now() - since).toBeLessThan(5_000);
      }
    });
  });

  it('while the database is slow to say that it is away: who waits next has it asked again', async () => {
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
