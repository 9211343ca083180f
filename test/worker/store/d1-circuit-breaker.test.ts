import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { patient } from '../../../src/store/d1-circuit-breaker.ts';
import { findPass, publishPasses } from '../../../src/store/passes.ts';
import { aProjection } from './rows.ts';
import { answering, commitsAndFails, failing, hanging, late, UnreliableDatabase } from './unreliable.ts';

/** How long callers wait for a database that does not answer. */

const PATIENCE_MS = 50;
/** Longer than a test takes, or as good as over. */
const [LONG, SHORT] = [600_000, 1];

let made = 0;
const aPass = () => aProjection(++made, { gatekeeperNetwork: 'patient' });

function aDatabase(restMs = LONG) {
  const database = new UnreliableDatabase();
  const db = patient(database.asD1, PATIENCE_MS, restMs);
  return { database, db, ask: () => findPass(db, aPass().key) };
}

it('D1 that answers is asked as it is', async () => {
  const { db } = aDatabase();
  const pass = aPass();
  await publishPasses(db, [pass]);
  expect((await findPass(db, pass.key))?.record).toBe(pass.record);
  const all = db.prepare('SELECT id FROM passes WHERE wallet = ?').bind(pass.key.wallet).all();
  expect((await all).results).toEqual([{ id: pass.id }]);
});

describe('D1 that hangs', () => {
  it('is waited for once, then left alone', async () => {
    const { database, ask } = aDatabase();
    database.manner = hanging;
    await expect(ask()).rejects.toThrow(/^D1_ERROR: no answer within 50 ms$/);
    for (const again of [ask(), ask()]) await expect(again).rejects.toThrow(/^D1_ERROR: left alone/);
    expect(database.asked).toBe(1);
  });

  it('is asked again after its rest, by one caller for all', async () => {
    const { database, ask } = aDatabase(SHORT);
    database.manner = hanging;
    await expect(ask()).rejects.toThrow('no answer');
    await vi.waitFor(async () => {
      database.manner = answering;
      expect(await ask()).toBeUndefined();
    }, 10_000);
    expect(await Promise.all([ask(), ask()])).toEqual([undefined, undefined]);
  });

  it('lets nobody wait beside the one who tries whether it answers again', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { database, ask } = aDatabase();
    database.manner = hanging;
    await expect(ask()).rejects.toThrow('no answer');
    vi.setSystemTime(Date.now() + LONG);
    const [tries, others] = [ask(), [ask(), ask()]];
    for (const each of others) await expect(each).rejects.toThrow('left alone');
    await expect(tries).rejects.toThrow('no answer');
    expect(database.asked).toBe(2);
  });

  it('does not hold up those who settle passes for ever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const database = new UnreliableDatabase();
    database.manner = hanging;
    const projected = expect(publishPasses(database.asD1, [aPass()])).rejects.toThrow('D1_ERROR: no answer');
    vi.advanceTimersByTime(10_000);
    await projected;
  });
});

describe('a session of D1 that hangs', () => {
  const BOOKMARK = '00000000-00000006-00000000-00000000000000000000000000000000';
  const asked = (db: D1Database, from: string) => findPass(db.withSession(from), aPass().key);

  it.each(['first-unconstrained', 'first-primary'])('%s, is waited for once, like everything else', async (from) => {
    const { database, db, ask } = aDatabase();
    database.manner = hanging;
    await expect(asked(db, from)).rejects.toThrow('no answer within 50 ms');
    for (const again of [ask(), asked(db, from), asked(db, BOOKMARK)])
      await expect(again).rejects.toThrow('left alone');
    const batch = publishPasses(db.withSession(from), [aPass()]);
    await expect(batch).rejects.toThrow('left alone');
    expect(database.asked).toBe(1);
  });

  it('and began with a bookmark, which may be of a time to come, says nothing of the database', async () => {
    const { database, db, ask } = aDatabase();
    database.manner = hanging;
    const waits = asked(db, BOOKMARK);
    database.manner = answering;
    expect(await ask()).toBeUndefined();
    await expect(waits).rejects.toThrow('no answer within 50 ms');
    expect([await ask(), await asked(db, BOOKMARK)]).toEqual([undefined, undefined]);
  });

  it('and began with a bookmark is not who finds out for the others whether it answers again', async () => {
    const { database, db, ask } = aDatabase(SHORT);
    database.manner = hanging;
    await expect(ask()).rejects.toThrow('no answer');
    await scheduler.wait(2 * SHORT);
    const waits = asked(db, BOOKMARK);
    database.manner = answering;
    expect(await ask()).toBeUndefined();
    await expect(waits).rejects.toThrow('no answer');
    expect(await ask()).toBeUndefined();
  });
});

it('a session tells its bookmark, and what it was asked for', async () => {
  const session = aDatabase().db.withSession('first-primary');
  const pass = aPass();
  expect(session.getBookmark()).toBeNull();
  await publishPasses(session, [pass]);
  expect(session.getBookmark()).toMatch(/^[\da-f-]+$/);
  expect((await findPass(session, pass.key))?.record).toBe(pass.record);
});

afterEach(() => void vi.useRealTimers());

it('D1 that is slow does what it was asked for, though nobody waits for it', async () => {
  const { database, db } = aDatabase();
  database.manner = late(2 * PATIENCE_MS);
  const pass = aPass();
  await expect(publishPasses(db, [pass])).rejects.toThrow('no answer');
  await vi.waitFor(async () => expect((await findPass(env.DB, pass.key))?.record).toBe(pass.record), 10_000);
});

it.each([
  ['an error', failing('D1_ERROR: away')],
  ['an error, and has committed', commitsAndFails],
])('D1 that answers with %s is asked again at once', async (_, manner) => {
  const { database, ask } = aDatabase();
  database.manner = manner;
  for (const again of [ask, ask]) await expect(again()).rejects.toThrow('D1_ERROR');
  expect(database.asked).toBe(2);
});

it('a projection that was committed, and answered with an error, may be written again', async () => {
  const { database, db } = aDatabase();
  database.manner = commitsAndFails;
  const pass = aPass();
  for (const _ of ['first', 'again']) await expect(publishPasses(db, [pass])).rejects.toThrow('D1_ERROR');
  const { results } = await env.DB.prepare('SELECT version FROM passes WHERE id = ?').bind(pass.id).all();
  expect(results).toEqual([{ version: pass.version }]);
});
