import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { forgetMoves } from '../../../src/store/moved-networks.ts';
import { type Move, moveNetwork } from '../../../src/store/moves.ts';
import type { Publication } from '../../../src/store/passes.ts';
import type { Databases } from '../../../src/store/shards.ts';
import { openStore } from '../../../src/store/store.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { type Ran, recording } from './recorder.ts';
import { aFedProjection, walletOf } from './rows.ts';

/** A move of a gatekeeper network between two databases of D1. */

const { DB } = env;
const TABLES = ['passes', 'events', 'feeds', 'usage', 'unsettled', 'removed_gatekeepers', 'issuers', 'changed_passes'];
const KEY = 'ours';
const MOVED = { gatekeeperNetwork: KEY, shard: 'DB' };
const store = () => openStore(env);
const both = { DB, [SECOND]: second };
const hasRoom = async () => true;
const move = (forMs?: number) => moveNetwork(both, { gatekeeperNetwork: KEY, to: SECOND }, hasRoom, forMs, 10);

const rowsIn = async (db: D1Database) => {
  const rows: Record<string, unknown[]> = {};
  for (const table of TABLES)
    rows[table] = (await db.prepare(`SELECT * FROM ${table} WHERE gatekeeper_network = ?`).bind(KEY).all()).results;
  return rows;
};
const nothing = Object.fromEntries(TABLES.map((table) => [table, []]));
const passes = Array.from({ length: 45 }, (_, n) => aFedProjection(n, ['pass.issued'])) as [
  Publication,
  ...Publication[],
];
const newer = (pass: Publication, version: number): Publication => ({ ...pass, state: 'FROZEN', version });

beforeEach(async () => {
  forgetMoves();
  for (const db of [DB, second]) {
    for (const table of [...TABLES, 'departures', 'arrivals']) await db.prepare(`DELETE FROM ${table}`).run();
  }
  await DB.exec('DELETE FROM gatekeeper_networks');
  await DB.prepare("INSERT INTO gatekeeper_networks (key, shard) VALUES (?, 'DB')").bind(KEY).run();
  await store().publishPasses([...passes, aFedProjection(900, ['pass.issued'], { gatekeeperNetwork: 'theirs' })]);
  await store().addWebhook(MOVED, KEY, 'a webhook');
  await store().listUnsettled({ ...passes[0], shard: 'DB', since: 1 });
  await store().addRemovedGatekeeper({ ...MOVED, network: 'sepolia', gatekeeper: '0x1', contract: '0x2' }, 1);
});

type Batch = (statements: D1PreparedStatement[]) => Promise<D1Result[]>;
const withBatch = (db: D1Database, batch: Batch) =>
  ({ prepare: (sql: string) => db.prepare(sql), batch }) as unknown as D1Database;

/** A moment at which two requests meet. */
interface Meeting {
  readonly frozenUntil: number;
  hasCome(): void;
  readonly mayContinue: Promise<void>;
}

/**
 * Moves the gatekeeper network. Before the switch, another request begins a slice, in the databases that `slowly` returns. The switch
 * waits until that request reaches the meeting or ends, and the request continues after the switch.
 */
async function moveAndMeet(slowly: (meeting: Meeting) => Databases): Promise<void> {
  const asked = { gatekeeperNetwork: KEY, to: SECOND };
  let [isSwitch, hasMet] = [false, false];
  const batch: Batch = async (statements) => {
    if (!isSwitch || hasMet) return DB.batch(statements);
    hasMet = true;
    const coming = Promise.withResolvers<void>();
    const waiting = Promise.withResolvers<void>();
    const frozenUntil = Number(await DB.prepare('SELECT frozen_until AS until FROM departures').first('until'));
    const databases = slowly({ frozenUntil, hasCome: coming.resolve, mayContinue: waiting.promise });
    const other = moveNetwork(databases, asked, hasRoom, 0, 10);
    await Promise.race([coming.promise, other]);
    const answer = await DB.batch(statements);
    waiting.resolve();
    await other;
    return answer;
  };
  const prepare = (sql: string) => {
    isSwitch ||= sql.includes('SET has_left = 1');
    return DB.prepare(sql);
  };
  const databases = { DB: { prepare, batch } as unknown as D1Database, [SECOND]: second };
  expect(await moveNetwork(databases, asked, hasRoom, 10_000, 10)).toMatchObject({ phase: 'done' });
  expect(hasMet).toBe(true);
}

describe('a move', () => {
  it('brings exactly the rows of the gatekeeper network to the other database, and leaves those of others', async () => {
    const before = await rowsIn(DB);
    expect(before.passes).toHaveLength(45);
    expect(await move()).toMatchObject({ phase: 'done', passes: 45, events: 45 });
    expect(await rowsIn(second)).toEqual({ ...before, changed_passes: [] });
    expect(await rowsIn(DB)).toEqual(nothing);
    expect(await DB.prepare("SELECT count(*) AS n FROM passes WHERE gatekeeper_network = 'theirs'").first('n')).toBe(1);
    const placed = await DB.prepare('SELECT shard, moving_to FROM gatekeeper_networks').first();
    expect(placed).toEqual({ shard: SECOND, moving_to: null });
    expect(await move()).toMatchObject({ phase: 'done' });
  });

  it('copies what changes meanwhile, also a wallet with a new pass, a corrected row and a deleted event', async () => {
    for (let slice = 0; slice < 7; slice += 1) await move(0);
    const [first, third] = [passes[0], passes[3] as Publication];
    await store().publishPasses([newer(first, 2), { ...aFedProjection(700, []), key: { ...third.key } }]);
    await store().correctRow({ ...(passes[5] as Publication), shard: 'DB', version: 0 }, 1);
    await store().deleteEvents({ shard: 'DB' }, [KEY], Math.floor(Date.now() / 1000) + 10, 12);
    const before = await rowsIn(DB);
    expect(before.events).toHaveLength(33);
    await move();
    const { passes: moved, events } = await rowsIn(second);
    expect([moved, events]).toEqual([before.passes, before.events]);
  });

  it('serves everybody who names the old database, and continues the feed there', async () => {
    await move();
    forgetMoves();
    const page = async () =>
      (await store().readFeed(MOVED, { gatekeeperNetwork: KEY, after: 44, limit: 20 }, 'DB.00000001-00000002')).found;
    expect(await page()).toMatchObject({ type: 'page', next: 45, more: false });
    const grown: number[] = [];
    const listening = openStore(env, { onGrown: (feeds) => grown.push(...feeds.map(({ sequence }) => sequence)) });
    await listening.publishPasses([aFedProjection(600, ['pass.issued']), newer(passes[0], 2)]);
    expect(grown).toEqual([46]);
    expect(await page()).toMatchObject({ next: 46 });
    expect((await store().findPass(MOVED, passes[0].key, null)).found).toMatchObject({ version: 2 });
    expect((await store().usageOf(MOVED, { gatekeeperNetwork: KEY, month: '2026-11' }, null)).found).toHaveLength(1);
    expect(await store().webhooksOf(MOVED, KEY)).toEqual(['a webhook']);
    expect(await store().removeWebhook(MOVED, KEY, 'a webhook')).toBe(true);
    expect((await store().findValidity(MOVED, passes[0].key)).validity).toMatchObject({ state: 'FROZEN' });
    forgetMoves();
    const corrected = passes[5] as Publication;
    await store().correctRow({ ...corrected, shard: 'DB', state: 'REVOKED', version: 0 }, 1);
    expect((await store().findPass(MOVED, corrected.key, null)).found).toMatchObject({ version: 0 });
    forgetMoves();
    await store().unlistUnsettled({ ...passes[0], shard: 'DB' });
    const { unsettled, passes: rows } = await rowsIn(second);
    expect([unsettled, rows?.length, await rowsIn(DB)]).toEqual([[], 46, nothing]);
    expect(await store().passesIn(SECOND, passes)).toHaveLength(45);
    expect(await store().passesIn('DB', passes)).toEqual([]);
  });

  it('has the writes of its gatekeeper network wait while the last rows move, and those of no other', async () => {
    await move(0);
    await DB.exec('UPDATE departures SET frozen_until = unixepoch() + 3600');
    const other = aFedProjection(901, ['pass.issued'], { gatekeeperNetwork: 'theirs' });
    await expect(store().publishPasses([newer(passes[0], 2), other])).rejects.toThrow(`${KEY}/moving/${SECOND}`);
    const versionOf = ({ id }: Publication) =>
      DB.prepare('SELECT version FROM passes WHERE id = ?').bind(id).first('version');
    expect([await versionOf(passes[0]), await versionOf(other)]).toEqual([1, 1]);
    expect((await store().findPass(MOVED, passes[0].key, null)).found).toMatchObject({ version: 1 });
    const listed = store().addWebhook(MOVED, KEY, 'another');
    await DB.exec('UPDATE departures SET frozen_until = 0');
    expect(await listed).toBe(true);
  });

  it('does not switch if writes may have continued after it read the last rows', async () => {
    // The answer of the last copy arrives so late that the writes no longer wait.
    const late = {
      ...both,
      [SECOND]: {
        prepare: (sql: string) => second.prepare(sql),
        async batch(statements: D1PreparedStatement[]) {
          const answer = await second.batch(statements);
          await DB.exec('UPDATE departures SET frozen_until = 0');
          return answer;
        },
      } as unknown as D1Database,
    };
    const asked = { gatekeeperNetwork: KEY, to: SECOND };
    for (let slice = 0; slice < 15; slice += 1) await moveNetwork(late, asked, hasRoom, 0, 10);
    expect(await DB.prepare('SELECT has_left FROM departures').first('has_left')).toBe(0);
    await store().publishPasses([newer(passes[0], 2)]);
    await move();
    expect((await store().findPass(MOVED, passes[0].key, null)).found).toMatchObject({ version: 2 });
  });

  it('switches once, with all rows, although another request stores a slice after the switch', async () => {
    const before = await rowsIn(DB);
    await moveAndMeet(({ hasCome, mayContinue }) => ({
      DB,
      [SECOND]: withBatch(second, async (statements) => {
        hasCome();
        await mayContinue;
        return second.batch(statements);
      }),
    }));
    expect(await second.prepare('SELECT has_arrived FROM arrivals').first('has_arrived')).toBe(1);
    expect(await rowsIn(second)).toEqual({ ...before, changed_passes: [] });
  });

  it('loses no row if another request has the writes wait in the same second', async () => {
    const before = await rowsIn(DB);
    await moveAndMeet(({ frozenUntil, hasCome, mayContinue }) => {
      let batches = 0;
      const slow = withBatch(DB, async (statements) => {
        batches += 1;
        if (batches > 1) {
          // The request has had the writes wait, and reads the last rows.
          await DB.prepare('UPDATE departures SET frozen_until = ?').bind(frozenUntil).run();
          hasCome();
          await mayContinue;
        }
        return DB.batch(statements);
      });
      return { DB: slow, [SECOND]: second };
    });
    expect(await rowsIn(second)).toEqual({ ...before, changed_passes: [] });
  });

  it('waits between its looks while many passes are unsettled', async () => {
    await DB.exec(
      `INSERT INTO unsettled WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5001)
      SELECT '${KEY}', 'wallet ' || i, 'ethereum', 'sepolia', 'id', 1 FROM n`.replaceAll('\n', ' '),
    );
    let moved = (await move(0)) as Move;
    while (moved.phase !== 'changes') moved = (await move(0)) as Move;
    const later = (await move(600)) as Move;
    expect([later.phase, later.step - moved.step <= 3]).toEqual(['changes', true]);
    await DB.exec(`DELETE FROM unsettled WHERE wallet <> 'wallet 1'`);
    expect(await move()).toMatchObject({ phase: 'done' });
  });

  it('can be canceled before the switch and begun again, and not after it', async () => {
    const cancel = () => moveNetwork(both, { gatekeeperNetwork: KEY, to: SECOND, cancel: true }, hasRoom, 10_000, 10);
    const before = await rowsIn(DB);
    expect(await cancel()).toBe('idle');
    for (let slice = 0; slice < 7; slice += 1) await move(0);
    expect(await cancel()).toMatchObject({ phase: 'canceled' });
    expect([await rowsIn(DB), await rowsIn(second)]).toEqual([before, nothing]);
    await store().publishPasses([newer(passes[0], 2)]);
    let moved = (await move(0)) as Move;
    while (moved.phase !== 'rest') moved = (await move(0)) as Move;
    expect(await cancel()).toMatchObject({ phase: 'done' });
    expect((await rowsIn(second)).passes).toHaveLength(45);
  });

  it('finds the move done if the last request ended before it stored that', async () => {
    const done = (await move()) as Move;
    await second.prepare("UPDATE arrivals SET phase = 'rest'").run();
    expect(await move()).toMatchObject({ phase: 'done', passes: done.passes });
    expect(await move()).toMatchObject({ phase: 'done', passes: done.passes });
  });

  it('ends a move whose changes the old database no longer notes, and begins it again', async () => {
    const before = await rowsIn(DB);
    for (let slice = 0; slice < 7; slice += 1) await move(0);
    await DB.prepare('DELETE FROM departures').run();
    await store().publishPasses([newer(passes[0], 2)]);
    expect(await move()).toMatchObject({ phase: 'canceled' });
    expect(await rowsIn(second)).toEqual(nothing);
    expect(await move()).toMatchObject({ phase: 'done' });
    expect((await store().findPass(MOVED, passes[0].key, null)).found).toMatchObject({ version: 2 });
    expect((await rowsIn(second)).events).toHaveLength(before.events?.length ?? 0);
  });

  it('stops before the new database is full', async () => {
    expect(await moveNetwork(both, { gatekeeperNetwork: KEY, to: SECOND }, async () => false)).toBe('full');
    expect((await rowsIn(second)).passes).toEqual([]);
  });

  it('refuses a gatekeeper network without a row, one that moves elsewhere, and one that would return', async () => {
    const to = (gatekeeperNetwork: string, name: string) => moveNetwork(both, { gatekeeperNetwork, to: name }, hasRoom);
    expect([await to('nobody', SECOND), await to(KEY, 'DB')]).toEqual(['unknown', 'idle']);
    await move(0);
    expect(await to(KEY, 'DB')).toBe('elsewhere');
    await move();
    expect(await to(KEY, 'DB')).toBe('returns');
  });

  it('searches an index with every statement', async () => {
    const ran: Ran[] = [];
    const recorded = { DB: recording(DB, ran).db, [SECOND]: recording(second, ran).db };
    await moveNetwork(recorded, { gatekeeperNetwork: KEY, to: SECOND }, hasRoom, 10_000, 10);
    expect(ran.length).toBeGreaterThan(40);
    for (const { sql, values } of ran) {
      const { results } = await DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...values)
        .all<{ detail: string }>();
      const plan = results.map(({ detail }) => detail).join('\n');
      expect(plan, sql).not.toMatch(/\bSCAN (?!json_each|\w+ VIRTUAL TABLE|\(subquery|CONSTANT ROW)/m);
    }
    expect(walletOf(1)).toBe(passes[1]?.key.wallet);
  });
});
