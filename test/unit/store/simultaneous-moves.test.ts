import { afterAll, expect, it } from 'vitest';
import { publishToShards } from '../../../src/store/all-shards.ts';
import { readFeed } from '../../../src/store/feed.ts';
import { forgetMoves, inCurrentShard } from '../../../src/store/moved-networks.ts';
import { moveNetwork } from '../../../src/store/moves.ts';
import { type Publication, publishPasses } from '../../../src/store/passes.ts';
import type { Databases } from '../../../src/store/shards.ts';
import { SqliteDatabase } from '../../feed-story/sqlite-database.ts';
import { aFedProjection } from '../../worker/store/rows.ts';

/** Two requests for the same move. The statement with which one of them ends the move runs between any two statements of the other. */

const KEY = 'ours';
const [first, second] = [new SqliteDatabase(), new SqliteDatabase()];
type Statements = Parameters<SqliteDatabase['batch']>[0];
const databases = { DB: first, DB_1: second } as unknown as Databases;
const aPass = (n: number) => aFedProjection(n, ['pass.issued'], { gatekeeperNetwork: KEY });
const move = (through: Databases, cancel = false) =>
  moveNetwork(through, { gatekeeperNetwork: KEY, to: 'DB_1', cancel }, async () => true, 0, 7);
const publish = (publications: readonly Publication[]) =>
  publishToShards(databases, publications, async ({ db }, group) => void (await publishPasses(db, group)));

afterAll(() => {
  first.close();
  second.close();
});

/** Moves until one request waits before the statement that ends the move. Returns a function that lets it continue. */
async function moveToTheEnd(): Promise<() => Promise<unknown>> {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const batch = async (statements: Statements) => {
    if (statements.some(({ sql }) => sql.includes('has_left = 1'))) {
      held.resolve();
      await released.promise;
    }
    return first.batch(statements);
  };
  const holding = { DB: { prepare: first.prepare.bind(first), batch }, DB_1: second } as unknown as Databases;
  for (;;) {
    const request = move(holding);
    if ((await Promise.race([request, held.promise])) !== undefined) continue;
    return () => {
      released.resolve();
      return request;
    };
  }
}

/** The databases of a request that is interrupted before that statement, and the number of its statements. */
function interrupted(at: number, interrupt: () => Promise<unknown>) {
  const ran = { statements: 0 };
  const before = async <R>(work: () => Promise<R>): Promise<R> => {
    if (ran.statements === at) await interrupt();
    ran.statements += 1;
    return work();
  };
  const statement = (inner: ReturnType<SqliteDatabase['prepare']>): typeof inner => ({
    ...inner,
    bind: (...values) => statement(inner.bind(...values)),
    all: () => before(() => inner.all()),
    run: () => before(() => inner.run()),
    first: (column) => before(() => inner.first(column)),
  });
  const through = (db: SqliteDatabase) => ({
    prepare: (sql: string) => statement(db.prepare(sql)),
    batch: (statements: Statements) => before(() => db.batch(statements)),
  });
  return { ran, databases: { DB: through(first), DB_1: through(second) } as unknown as Databases };
}

/** Interrupts the second request before that statement. Returns whether it has such a statement. */
async function interruptAt(at: number, cancel: boolean): Promise<boolean> {
  for (const db of [first, second]) db.clear();
  forgetMoves();
  await first.prepare("INSERT INTO gatekeeper_networks (key, shard) VALUES (?, 'DB')").bind(KEY).run();
  await publish([0, 1, 2].map(aPass));
  const end = await moveToTheEnd();
  const other = interrupted(at, async () => {
    await end();
    // A partner uses the passes as soon as they have moved.
    await publish([aPass(3), { ...aPass(0), version: 2 }]).catch(() => {});
  });
  await move(other.databases, cancel);
  const wasInterrupted = other.ran.statements > at;
  if (!wasInterrupted) await end();
  return wasInterrupted;
}

async function readAll() {
  return inCurrentShard(databases, { gatekeeperNetwork: KEY }, async ({ db }) => {
    const page = await readFeed(db, { gatekeeperNetwork: KEY, after: 0, limit: 100 });
    if (page.type !== 'page') throw new Error('the cursor has expired');
    return page.events.map(({ sequence, body }) => `${sequence} ${JSON.parse(body).id}`);
  });
}

it.each([false, true])('two requests end a move once, and lose and double nothing (cancel: %s)', async (cancel) => {
  let at = 0;
  while (await interruptAt(at, cancel)) {
    for (let requests = 0; requests < 10; requests += 1) await move(databases, cancel);
    await first.prepare('UPDATE departures SET frozen_until = 0').run();
    await publish([aPass(3), { ...aPass(0), version: 2 }, aPass(4)]);
    const events = [0, 1, 2, 3, 4].map((n) => `${n + 1} ${JSON.parse(aPass(n).events[0]?.body ?? '').id}`);
    expect(await readAll(), `before statement ${at}`).toEqual(events);
    const shard = await first.prepare('SELECT shard FROM gatekeeper_networks').first('shard');
    const [current, other] = shard === 'DB' ? [first, second] : [second, first];
    const versions = (await current.prepare('SELECT version FROM passes ORDER BY id').all()).results;
    expect(versions.map(({ version }) => version)).toEqual([2, 1, 1, 1, 1]);
    expect(await other.prepare('SELECT count(*) AS n FROM passes').first('n')).toBe(0);
    at += 1;
  }
  expect(at).toBeGreaterThan(4);
});
