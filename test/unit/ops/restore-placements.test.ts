import { afterEach, beforeEach, expect, it } from 'vitest';
import { raiseSequences } from '../../../ops/restore/raise-sequences.ts';
import {
  placementsIn,
  READ_MOVES,
  READ_PLACEMENTS,
  restorePlacements,
} from '../../../ops/restore/restore-placements.ts';
import { readFeed } from '../../../src/store/feed.ts';
import { moveNetwork } from '../../../src/store/moves.ts';
import { type Publication, publishPasses } from '../../../src/store/passes.ts';
import { forgetShards, inShardOf, inShardsOf } from '../../../src/store/placements.ts';
import { findPass } from '../../../src/store/search.ts';
import type { Databases } from '../../../src/store/shards.ts';
import { SqliteDatabase } from '../../feed-story/sqlite-database.ts';
import { aFedProjection } from '../../worker/store/rows.ts';

/** A database that is restored to a moment before a move, or in the middle of it, after the move has ended. */

const KEY = 'ours';
const passes = [1, 2, 3].map((n) => aFedProjection(n, ['pass.issued']));
let databases: { DB: SqliteDatabase; DB_1: SqliteDatabase };
const bound = () => databases as unknown as Databases;
const publish = (publications: readonly Publication[]) =>
  inShardsOf(
    bound(),
    publications,
    () => KEY,
    async ({ db }, group) => void (await publishPasses(db, group)),
  );
const request = (to: string) => moveNetwork(bound(), { gatekeeperNetwork: KEY, to }, async () => true, 0);
const placements = async (db: SqliteDatabase) =>
  placementsIn((await db.prepare(READ_PLACEMENTS).all()).results as Record<string, unknown>[]);
const countIn = (db: SqliteDatabase) => db.prepare('SELECT count(*) AS n FROM passes').first('n');

async function move(to: string): Promise<void> {
  for (;;) {
    const move = await request(to);
    if (typeof move === 'string' || move.phase === 'done') return;
    if (move.phase === 'settle') await databases[to as 'DB'].prepare('UPDATE moves SET updated = 0').run();
    forgetShards();
  }
}

/** Replaces a database by one with that content, and runs the SQL of the command. */
async function restore(name: 'DB' | 'DB_1', fill: (db: SqliteDatabase) => Promise<unknown>): Promise<void> {
  const before = { places: await placements(databases.DB), sequences: { [KEY]: 3 } };
  databases[name].close();
  databases[name] = new SqliteDatabase();
  await fill(databases[name]);
  for (const sql of [...raiseSequences(before.sequences), ...restorePlacements(name, before.places)])
    await databases[name].prepare(sql).run();
  forgetShards();
}

beforeEach(async () => {
  forgetShards();
  databases = { DB: new SqliteDatabase(), DB_1: new SqliteDatabase() };
  await placeInFirst(databases.DB);
  await publish(passes);
});
afterEach(() => {
  for (const db of Object.values(databases)) db.close();
});

const placeInFirst = (db: SqliteDatabase) =>
  db.prepare("INSERT INTO gatekeeper_networks (key, shard) VALUES (?, 'DB')").bind(KEY).run();
const readAll = () =>
  inShardOf(bound(), KEY, async ({ db }) => {
    const page = await readFeed(db, { gatekeeperNetwork: KEY, after: undefined, limit: 100 });
    return page.type === 'page' ? page.events.map(({ type, sequence }) => `${type} ${sequence}`) : [];
  });

it('the old database, restored to a moment before the move, has no row of the passes, and takes none', async () => {
  await move('DB_1');
  const feed = await readAll();
  await restore('DB', async (db) => {
    await placeInFirst(db);
    await publishPasses(db as never, passes);
  });
  await expect(publishPasses(databases.DB as never, passes)).rejects.toThrow('gatekeeper_network_moves');
  await publish([{ ...(passes[0] as Publication), version: 2 }]);
  expect(await inShardOf(bound(), KEY, ({ db }) => findPass(db, passes[0]?.key as never))).toMatchObject({
    version: 2,
  });
  expect([await countIn(databases.DB), await countIn(databases.DB_1)]).toEqual([0, 3]);
  expect(await readAll()).toEqual(feed);
  expect(await placements(databases.DB)).toEqual([{ key: KEY, shard: 'DB_1' }]);
  // It may still move again.
  await move('DB');
  expect([await countIn(databases.DB), await countIn(databases.DB_1), await readAll()]).toEqual([3, 0, feed]);
});

it('the new database, restored to the middle of the move, takes the passes again, and its feed continues', async () => {
  await move('DB_1');
  await restore('DB_1', async (db) => {
    const copying = "INSERT INTO moves (gatekeeper_network, shard, step, stage, phase) VALUES (?, 'DB', 1, 2, 'copy')";
    await db.prepare(copying).bind(KEY).run();
  });
  await publish(passes);
  await publish([aFedProjection(4, ['pass.issued'])]);
  expect([await countIn(databases.DB), await countIn(databases.DB_1)]).toEqual([0, 4]);
  const [restored, ...issued] = await readAll();
  expect(restored).toMatch(/^feed.restored 1\d{10}/);
  expect(issued).toHaveLength(4);
});

it('a gatekeeper network that is created after the restored moment keeps its database', async () => {
  await move('DB_1');
  await restore('DB', async () => {});
  expect(await placements(databases.DB)).toEqual([{ key: KEY, shard: 'DB_1' }]);
});

it('finds only the moves that have not ended', async () => {
  const moving = async () => {
    const found = await Promise.all(Object.values(databases).map((db) => db.prepare(READ_MOVES).all()));
    return found.map(({ results }) => results.length);
  };
  expect(await moving()).toEqual([0, 0]);
  await request('DB_1');
  expect(await moving()).toEqual([1, 1]);
  await move('DB_1');
  expect(await moving()).toEqual([0, 0]);
});
