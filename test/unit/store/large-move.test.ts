import { afterAll, expect, it } from 'vitest';
import { readFeed } from '../../../src/store/feed.ts';
import { moveNetwork } from '../../../src/store/moves.ts';
import { type Publication, publishPasses } from '../../../src/store/passes.ts';
import { forgetShards, inShardOf, inShardsOf, NetworkMoves } from '../../../src/store/placements.ts';
import type { Databases } from '../../../src/store/shards.ts';
import { randomOf } from '../../feed-story/feed-story.ts';
import { SqliteDatabase } from '../../feed-story/sqlite-database.ts';
import { LONG } from '../../form.ts';
import { aFedProjection } from '../../worker/store/rows.ts';

/** A large move, with the real size of its slices, while passes are published and read. */

const PASSES = LONG ? 100_000 : 3_000;
const KEY = 'large';
const [first, second] = [new SqliteDatabase(), new SqliteDatabase()];
const databases = { DB: first, DB_1: second } as unknown as Databases;
const networkOf = ({ key }: Publication) => key.gatekeeperNetwork;
const aPass = (n: number) => aFedProjection(n, ['pass.issued'], { gatekeeperNetwork: KEY });

afterAll(() => {
  first.close();
  second.close();
});

/** The databases of a request that is killed after that number of statements. */
function mortal(statements: number): Databases {
  let left = statements;
  const kill = (db: SqliteDatabase) => ({
    prepare: (sql: string) => db.prepare(sql),
    batch: async (batch: Parameters<SqliteDatabase['batch']>[0]) => {
      left -= 1;
      if (left === 0) throw new Error('killed');
      const answer = await db.batch(batch);
      if (left === 1) throw new Error('killed');
      return answer;
    },
  });
  return { DB: kill(first), DB_1: kill(second) } as unknown as Databases;
}

it('a large gatekeeper network moves under load, with kills, and no pass or event is lost or doubled', async () => {
  forgetShards();
  const random = randomOf(126);
  await first.prepare("INSERT INTO gatekeeper_networks (key, shard) VALUES (?, 'DB')").bind(KEY).run();
  const publish = (publications: readonly Publication[]) =>
    inShardsOf(databases, publications, networkOf, async ({ db }, group) => void (await publishPasses(db, group)));
  for (let n = 0; n < PASSES; n += 250) await publish(Array.from({ length: 250 }, (_, at) => aPass(n + at)));
  let [issued, kills, refusals, phase, cursor] = [PASSES, 0, 0, '', 0];
  /** The publications that wait for the end of the move, as the outbox of the pass objects does. */
  const waiting = new Map<number, Publication>();
  const versions = new Map<number, number>();
  const seen: string[] = [];
  const readSome = () =>
    inShardOf(databases, KEY, async ({ db }) => {
      const page = await readFeed(db, { gatekeeperNetwork: KEY, after: cursor, limit: 1_000 });
      if (page.type !== 'page') throw new Error('the cursor has expired');
      for (const { body, sequence } of page.events) seen.push(`${sequence} ${JSON.parse(body).id}`);
      cursor = page.next;
      return page.more;
    });
  while (phase !== 'done') {
    const changed = Array.from({ length: 3 }, () => Math.floor(random() * issued));
    for (const n of changed) versions.set(n, (versions.get(n) ?? 1) + 1);
    const load = [...changed.map((n) => ({ ...aPass(n), version: versions.get(n) as number })), aPass(issued)];
    issued += 1;
    for (const [at, each] of load.entries()) waiting.set(changed[at] ?? issued - 1, each);
    // A publication repeats until the database takes it, as the alarm of its pass does.
    await publish([...waiting.values()]).then(
      () => waiting.clear(),
      (fault) => {
        if (!(fault instanceof NetworkMoves)) throw fault;
        refusals += 1;
      },
    );
    await readSome();
    // Time passes until every isolate knows the new database, and some know it earlier than others.
    if (phase === 'settle') await second.prepare('UPDATE moves SET updated = updated - 30').run();
    if (random() < 0.3) forgetShards();
    const isKilled = random() < 0.3;
    const move = await moveNetwork(
      isKilled ? mortal(1 + Math.floor(random() * 3)) : databases,
      { gatekeeperNetwork: KEY, to: 'DB_1' },
      async () => true,
      0,
    ).catch((fault: Error) => {
      if (fault.message !== 'killed') throw fault;
      kills += 1;
      return { phase: 'killed' };
    });
    phase = typeof move === 'string' ? move : move.phase;
  }
  await publish([...waiting.values()]);
  while (await readSome());
  expect(kills).toBeGreaterThan(2);
  expect(refusals).toBeGreaterThan(2);
  expect(seen.map((each) => Number(each.split(' ')[0]))).toEqual(Array.from({ length: issued }, (_, n) => n + 1));
  expect(new Set(seen.map((each) => each.split(' ')[1])).size).toBe(issued);
  const { results } = await second.prepare('SELECT id, version FROM passes').all();
  expect(results).toHaveLength(issued);
  const stored = new Map(results.map((row) => [String(row?.id), Number(row?.version)]));
  for (let n = 0; n < issued; n += 1) expect(stored.get(aPass(n).id)).toBe(versions.get(n) ?? 1);
  expect(await first.prepare('SELECT count(*) AS n FROM passes').first('n')).toBe(0);
}, 3_600_000);
