import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { boundAnswers, breakCircuit } from '../../../src/store/d1-circuit-breaker.ts';
import { readFeed } from '../../../src/store/feed.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { findPass } from '../../../src/store/search.ts';
import { findUnsettled, listUnsettled, unlistUnsettled } from '../../../src/store/unsettled.ts';
import { eventually } from '../../eventually.ts';
import { aProjection } from './rows.ts';
import { answering, commitsAndFails, failing, hanging, late, UnreliableDatabase } from './unreliable.ts';

/** How long callers wait for a database that does not answer. */

const PATIENCE_MS = 50;
const REST_MS = 600_000;

// Time is simulated, because a database on a busy machine takes longer than this patience.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Ends the patience of those who wait for the database, and returns the result of the call. */
async function outlast<T>(call: Promise<T>, ms = PATIENCE_MS): Promise<T> {
  while (vi.getTimerCount() === 0) await scheduler.wait(1);
  vi.advanceTimersByTime(ms);
  return call;
}

let made = 0;
const aPass = () => aProjection(++made, { gatekeeperNetwork: 'patient' });

function aDatabase() {
  const database = new UnreliableDatabase();
  const db = breakCircuit(database.asD1, PATIENCE_MS, REST_MS);
  return { database, db, ask: () => findPass(db, aPass().key) };
}

it('asks D1 as it is while D1 answers', async () => {
  const { db } = aDatabase();
  const pass = aPass();
  await publishPasses(db, [pass]);
  expect((await findPass(db, pass.key))?.record).toBe(pass.record);
  const all = db.prepare('SELECT id FROM passes WHERE wallet = ?').bind(pass.key.wallet).all();
  expect((await all).results).toEqual([{ id: pass.id }]);
});

describe('D1 that hangs during background work', () => {
  const aBoundDatabase = () => {
    const database = new UnreliableDatabase();
    return { database, db: boundAnswers(database.asD1, PATIENCE_MS) };
  };

  it.each<[string, (db: D1Database) => Promise<unknown>]>([
    ['a publication', (db) => publishPasses(db, [aPass()])],
    ['an entry in the list of the operator', (db) => listUnsettled(db, { ...aPass(), since: 1 })],
    ['the end of that entry', (db) => unlistUnsettled(db, aPass())],
    ['a read', (db) => findPass(db, aPass().key)],
    ['a page', (db) => findUnsettled({ DB: db }, { before: 1, limit: 1 })],
    ['a page of the feed', (db) => readFeed(db, { gatekeeperNetwork: 'patient', limit: 1 })],
    ['a session', (db) => findPass(db.withSession('first-primary') as never, aPass().key)],
  ])('ends %s after a time, and asks again at the next call', async (_, ask) => {
    const { database, db } = aBoundDatabase();
    database.manner = hanging;
    for (let calls = 0; calls < 2; calls += 1)
      await expect(outlast(ask(db))).rejects.toThrow(/^no answer within 50 ms$/);
    database.manner = answering;
    await ask(db);
  });
});

describe('D1 that hangs', () => {
  it('waits for D1 that hangs once, and then refuses at once while the circuit is open', async () => {
    const { database, ask } = aDatabase();
    database.manner = hanging;
    await expect(outlast(ask())).rejects.toThrow(/^no answer within 50 ms$/);
    for (const again of [ask(), ask()]) await expect(again).rejects.toThrow(/^circuit open after a timeout$/);
    expect(database.asked).toBe(1);
  });

  it('asks D1 that hung again after a rest, and then answers every caller', async () => {
    const { database, ask } = aDatabase();
    database.manner = hanging;
    await expect(outlast(ask())).rejects.toThrow('no answer');
    vi.setSystemTime(Date.now() + REST_MS);
    database.manner = answering;
    expect(await ask()).toBeUndefined();
    expect(await Promise.all([ask(), ask()])).toEqual([undefined, undefined]);
  });

  it('lets one caller test whether D1 answers again, and refuses the others at once', async () => {
    const { database, ask } = aDatabase();
    database.manner = hanging;
    await expect(outlast(ask())).rejects.toThrow('no answer');
    vi.setSystemTime(Date.now() + REST_MS);
    const [tries, others] = [ask(), [ask(), ask()]];
    for (const each of others) await expect(each).rejects.toThrow('circuit open');
    await expect(outlast(tries)).rejects.toThrow('no answer');
    expect(database.asked).toBe(2);
  });

  it('gives up the publication of passes after ten seconds when D1 hangs', async () => {
    const database = new UnreliableDatabase();
    database.manner = hanging;
    await expect(outlast(publishPasses(boundAnswers(database.asD1), [aPass()]), 10_000)).rejects.toThrow(/^no answer/);
  });
});

describe('a session of D1 that hangs', () => {
  const BOOKMARK = '00000000-00000006-00000000-00000000000000000000000000000000';
  const asked = (db: D1Database, from: string) => findPass(db.withSession(from), aPass().key);

  it.each(['first-unconstrained', 'first-primary'])('refuses at once after a session %s hung once', async (from) => {
    const { database, db, ask } = aDatabase();
    database.manner = hanging;
    await expect(outlast(asked(db, from))).rejects.toThrow('no answer within 50 ms');
    for (const again of [ask(), asked(db, from), asked(db, BOOKMARK)])
      await expect(again).rejects.toThrow('circuit open');
    const batch = publishPasses(db.withSession(from), [aPass()]);
    await expect(batch).rejects.toThrow('circuit open');
    expect(database.asked).toBe(1);
  });

  it('does not open the circuit for a session that began with a bookmark and hangs', async () => {
    const { database, db, ask } = aDatabase();
    database.manner = hanging;
    const waits = asked(db, BOOKMARK);
    database.manner = answering;
    expect(await ask()).toBeUndefined();
    await expect(outlast(waits)).rejects.toThrow('no answer within 50 ms');
    expect([await ask(), await asked(db, BOOKMARK)]).toEqual([undefined, undefined]);
  });

  it('does not let a session that began with a bookmark test whether D1 answers again', async () => {
    const { database, db, ask } = aDatabase();
    database.manner = hanging;
    await expect(outlast(ask())).rejects.toThrow('no answer');
    vi.setSystemTime(Date.now() + REST_MS);
    const waits = asked(db, BOOKMARK);
    database.manner = answering;
    expect(await ask()).toBeUndefined();
    await expect(outlast(waits)).rejects.toThrow('no answer');
    expect(await ask()).toBeUndefined();
  });
});

it('a session returns its bookmark and the rows that it was asked for', async () => {
  const session = aDatabase().db.withSession('first-primary');
  const pass = aPass();
  expect(session.getBookmark()).toBeNull();
  await publishPasses(session, [pass]);
  expect(session.getBookmark()).toMatch(/^[\da-f-]+$/);
  expect((await findPass(session, pass.key))?.record).toBe(pass.record);
});

it('D1 that is slow still writes what it was asked to, though nobody waits for it', async () => {
  const { database, db } = aDatabase();
  database.manner = late(2 * PATIENCE_MS);
  const pass = aPass();
  await expect(outlast(publishPasses(db, [pass]))).rejects.toThrow('no answer');
  await eventually(async () => expect((await findPass(env.DB, pass.key))?.record).toBe(pass.record));
});

it.each([
  ['an error', failing('D1_ERROR: away')],
  ['an error, and has committed', commitsAndFails],
])('asks D1 again at once after it answers with %s', async (_, manner) => {
  const { database, ask } = aDatabase();
  database.manner = manner;
  for (const again of [ask, ask]) await expect(again()).rejects.toThrow('D1_ERROR');
  expect(database.asked).toBe(2);
});

it('writes a publication again that was committed and answered with an error', async () => {
  const { database, db } = aDatabase();
  database.manner = commitsAndFails;
  const pass = aPass();
  for (const _ of ['first', 'again']) await expect(publishPasses(db, [pass])).rejects.toThrow('D1_ERROR');
  const { results } = await env.DB.prepare('SELECT version FROM passes WHERE id = ?').bind(pass.id).all();
  expect(results).toEqual([{ version: pass.version }]);
});
