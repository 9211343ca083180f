import { afterEach, beforeEach, expect, it } from 'vitest';
import { departuresIn, READ_ARRIVALS, READ_DEPARTURES, restoreMoves } from '../../../ops/restore/restore-moves.ts';
import { publishToShards } from '../../../src/store/all-shards.ts';
import { forgetMoves, inCurrentShard } from '../../../src/store/moved-networks.ts';
import { moveNetwork } from '../../../src/store/moves.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { findPass } from '../../../src/store/search.ts';
import type { Databases } from '../../../src/store/shards.ts';
import { SqliteDatabase } from '../../feed-story/sqlite-database.ts';
import { aProjection } from '../../worker/store/rows.ts';

/** A database that is restored to a moment before a move. */

const KEY = 'ours';
const pass = aProjection(1);
let databases: { DB: SqliteDatabase; DB_1: SqliteDatabase };
const bound = () => databases as unknown as Databases;
const publish = (version: number) =>
  publishToShards(bound(), [{ ...pass, version }], async ({ db }, group) => void (await publishPasses(db, group)));
const move = (forMs?: number) => moveNetwork(bound(), { gatekeeperNetwork: KEY, to: 'DB_1' }, async () => true, forMs);
const versionNow = () =>
  inCurrentShard(bound(), { gatekeeperNetwork: KEY }, async ({ db }) => (await findPass(db, pass.key))?.version);

beforeEach(async () => {
  forgetMoves();
  databases = { DB: new SqliteDatabase(), DB_1: new SqliteDatabase() };
  await databases.DB.prepare("INSERT INTO gatekeeper_networks (key, shard) VALUES (?, 'DB')").bind(KEY).run();
  await publish(1);
});
afterEach(() => {
  for (const db of Object.values(databases)) db.close();
});

/** Returns the moves that the command reads before it restores the database. */
async function movesOf(db: SqliteDatabase) {
  const [{ results: left }, { results: arrived }] = [
    await db.prepare(READ_DEPARTURES).all(),
    await db.prepare(READ_ARRIVALS).all(),
  ];
  return {
    departures: departuresIn(left as Record<string, unknown>[]),
    arrivals: arrived.map((row) => String(row?.gatekeeper_network)),
  };
}

it('passes that were created in the old database are still written to the new one after the old one is restored', async () => {
  await move();
  const before = await movesOf(databases.DB);
  expect(before).toEqual({ departures: [{ gatekeeper_network: KEY, to_shard: 'DB_1' }], arrivals: [] });
  // The restored moment is before the move.
  databases.DB.close();
  databases.DB = new SqliteDatabase();
  await databases.DB.prepare("INSERT INTO gatekeeper_networks (key, shard) VALUES (?, 'DB')").bind(KEY).run();
  await publishPasses(databases.DB as never, [pass]);
  for (const sql of restoreMoves(before)) await databases.DB.prepare(sql).run();
  forgetMoves();
  await publish(2);
  expect(await versionNow()).toBe(2);
  expect(await databases.DB.prepare('SELECT version FROM passes').first('version')).toBe(1);
});

it('a new database that is restored to the middle of a move answers again, and a rebuild writes its rows', async () => {
  await move();
  const before = await movesOf(databases.DB_1);
  expect(before).toEqual({ departures: [], arrivals: [KEY] });
  await databases.DB_1.prepare("UPDATE arrivals SET has_arrived = 0, phase = 'passes'").run();
  await databases.DB_1.prepare('DELETE FROM passes').run();
  for (const sql of restoreMoves(before)) await databases.DB_1.prepare(sql).run();
  expect(await versionNow()).toBeUndefined();
  await publish(2);
  expect(await versionNow()).toBe(2);
});
