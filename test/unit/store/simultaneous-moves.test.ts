import { afterAll, expect, it } from 'vitest';
import { readFeed } from '../../../src/store/feed.ts';
import { moveNetwork } from '../../../src/store/moves.ts';
import { type Publication, publishPasses } from '../../../src/store/passes.ts';
import { forgetShards, inShardOf, inShardsOf } from '../../../src/store/placements.ts';
import type { Databases } from '../../../src/store/shards.ts';
import { SqliteDatabase } from '../../feed-story/sqlite-database.ts';
import { aFedProjection } from '../../worker/store/rows.ts';

/** Two requests for the same move. The switch of one of them runs between any two statements of the other. */

const KEY = 'ours';
const [first, second] = [new SqliteDatabase(), new SqliteDatabase()];
type Bound = ReturnType<SqliteDatabase['prepare']>;
const databases = { DB: first, DB_1: second } as unknown as Databases;
const aPass = (n: number) => aFedProjection(n, ['pass.issued'], { gatekeeperNetwork: KEY });
const move = (through: Databases, cancel = false) =>
  moveNetwork(through, { gatekeeperNetwork: KEY, to: 'DB_1', cancel }, async () => true, 0, 7);
const publish = (publications: readonly Publication[]) =>
  inShardsOf(
    databases,
    publications,
    () => KEY,
    async ({ db }, group) => void (await publishPasses(db, group)),
  );

afterAll(() => {
  first.close();
  second.close();
});

/** The databases of a request that does something before each of its statements. */
function watched(before: (sql: string) => Promise<unknown>): Databases {
  const statement = (inner: Bound): Bound => ({
    ...inner,
    bind: (...values) => statement(inner.bind(...values)),
    all: () => before(inner.sql).then(() => inner.all()),
    run: () => before(inner.sql).then(() => inner.run()),
    first: (column) => before(inner.sql).then(() => inner.first(column)),
  });
  const through = (db: SqliteDatabase) => ({
    prepare: (sql: string) => statement(db.prepare(sql)),
    batch: (statements: readonly Bound[]) => before('').then(() => db.batch(statements)),
  });
  return { DB: through(first), DB_1: through(second) } as unknown as Databases;
}

/** Moves until one request waits before its switch. Returns a function that lets it continue. */
async function moveToTheSwitch(): Promise<() => Promise<unknown>> {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = watched(async (sql) => {
    if (!sql.startsWith('UPDATE gatekeeper_networks')) return;
    held.resolve();
    await released.promise;
  });
  for (;;) {
    const request = move(holding);
    if ((await Promise.race([request, held.promise])) !== undefined) continue;
    return () => {
      released.resolve();
      return request;
    };
  }
}

/** Interrupts the second request before that statement. Returns whether it has such a statement. */
async function interruptAt(at: number, cancel: boolean): Promise<boolean> {
  for (const db of [first, second]) db.clear();
  forgetShards();
  await first.prepare("INSERT INTO gatekeeper_networks (key, shard) VALUES (?, 'DB')").bind(KEY).run();
  await publish([0, 1, 2].map(aPass));
  const end = await moveToTheSwitch();
  let statements = 0;
  const other = watched(async () => {
    if (statements === at) {
      await end();
      // Every isolate knows the new database, and a partner uses the passes.
      await second.prepare('UPDATE moves SET updated = 0').run();
      await move(databases);
      forgetShards();
      await publish([aPass(3), { ...aPass(0), version: 2 }]);
    }
    statements += 1;
  });
  await move(other, cancel);
  if (statements <= at) await end();
  return statements > at;
}

const readAll = () =>
  inShardOf(databases, KEY, async ({ db }) => {
    const page = await readFeed(db, { gatekeeperNetwork: KEY, after: 0, limit: 100 });
    if (page.type !== 'page') throw new Error('the cursor has expired');
    return page.events.map(({ sequence, body }) => `${sequence} ${JSON.parse(body).id}`);
  });

it.each([false, true])('two requests end a move once, and lose and double nothing (cancel: %s)', async (cancel) => {
  let at = 0;
  while (await interruptAt(at, cancel)) {
    for (let requests = 0; requests < 10; requests += 1) await move(databases, cancel);
    await publish([aPass(3), { ...aPass(0), version: 2 }, aPass(4)]);
    const events = [0, 1, 2, 3, 4].map((n) => `${n + 1} ${JSON.parse(aPass(n).events[0]?.body ?? '').id}`);
    expect(await readAll(), `before statement ${at}`).toEqual(events);
    expect(await first.prepare('SELECT shard FROM gatekeeper_networks').first('shard')).toBe('DB_1');
    const versions = (await second.prepare('SELECT version FROM passes ORDER BY id').all()).results;
    expect(versions.map((row) => row?.version)).toEqual([2, 1, 1, 1, 1]);
    expect(await first.prepare('SELECT count(*) AS n FROM passes').first('n')).toBe(0);
    at += 1;
  }
  expect(at).toBeGreaterThan(4);
});
