import { env } from 'cloudflare:workers';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { findMoves, lastMoveAt, type Move, moveNetwork } from '../../../src/store/moves.ts';
import type { Publication } from '../../../src/store/passes.ts';
import { forgetShards, NetworkMoves } from '../../../src/store/placements.ts';
import { openStore } from '../../../src/store/store.ts';
import { restoreList } from '../../../src/store/unsettled.ts';
import { placeNetwork, SECOND, second } from '../setup/second-database.ts';
import { type Ran, recording } from './recorder.ts';
import { aFedProjection } from './rows.ts';

/** A move of a gatekeeper network between two databases of D1. */

const { DB } = env;
const TABLES = ['passes', 'events', 'feeds', 'usage', 'unsettled', 'removed_gatekeepers', 'issuers'];
const KEY = 'ours';
const OURS = { gatekeeperNetwork: KEY };
const store = () => openStore(env);
const both = { DB, [SECOND]: second };
const hasRoom = async () => true;
const request = (to: string, forMs?: number, cancel = false) =>
  moveNetwork(both, { gatekeeperNetwork: KEY, to, cancel }, hasRoom, forMs, 10);
/** Every isolate has learned the new database. */
const settle = async () => {
  for (const db of [DB, second]) await db.exec("UPDATE moves SET updated = 0 WHERE phase = 'settle'");
  forgetShards();
};

/** Moves until the given phase has begun. */
async function moveUntil(phase: Move['phase'], to = SECOND): Promise<Move> {
  for (;;) {
    const move = (await request(to, 0)) as Move;
    if (move.phase === phase) return move;
    if (move.phase === 'settle') await settle();
  }
}
const move = (to?: string) => moveUntil('done', to);

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
const versionIn = (db: D1Database, { id }: Publication) =>
  db.prepare('SELECT version FROM passes WHERE id = ?').bind(id).first('version');

beforeEach(async () => {
  for (const db of [DB, second])
    for (const table of [...TABLES, 'moves']) await db.prepare(`DELETE FROM ${table}`).run();
  await DB.exec('DELETE FROM gatekeeper_networks');
  await DB.exec('DELETE FROM runs');
  await placeNetwork(KEY, 'DB');
  await placeNetwork('theirs', 'DB');
  await store().publishPasses([...passes, aFedProjection(900, ['pass.issued'], { gatekeeperNetwork: 'theirs' })]);
  await store().addWebhook(KEY, 'a webhook');
  await store().listUnsettled({ ...passes[0], since: 1 });
  await store().addRemovedGatekeeper({ ...OURS, network: 'sepolia', gatekeeper: '0x1', contract: '0x2' }, 1);
});

// The reconciliation waits after a move.
afterAll(() => Promise.all([DB, second].map((db) => db.exec('DELETE FROM moves'))));

describe('a move', () => {
  it('brings exactly the rows of the gatekeeper network to the other database, and back', async () => {
    const before = await rowsIn(DB);
    expect(before.passes).toHaveLength(45);
    expect(await move()).toMatchObject({ phase: 'done', passes: 45, events: 45 });
    expect([await rowsIn(second), await rowsIn(DB)]).toEqual([before, nothing]);
    expect(await DB.prepare("SELECT count(*) AS n FROM passes WHERE gatekeeper_network = 'theirs'").first('n')).toBe(1);
    expect(await request(SECOND)).toMatchObject({ phase: 'done', passes: 45 });
    expect(await move('DB')).toMatchObject({ phase: 'done', passes: 45 });
    expect([await rowsIn(DB), await rowsIn(second)]).toEqual([before, nothing]);
    await store().publishPasses([newer(passes[0], 2)]);
    expect(await versionIn(DB, passes[0])).toBe(2);
  });

  it('serves readers from the old database while publications wait, and continues the feed in the new one', async () => {
    const page = async () =>
      (await store().readFeed(OURS, { ...OURS, after: 44, limit: 20 }, 'DB.00000001-00000002')).found;
    for (const phase of ['copy', 'compare', 'switch', 'settle'] as const) {
      await moveUntil(phase);
      const others = aFedProjection(901, [], { gatekeeperNetwork: 'theirs' });
      const published = store().publishPasses([newer(passes[0], 2), { ...others, version: Date.now() }]);
      await expect(published).rejects.toThrow(NetworkMoves);
      expect(await versionIn(DB, others)).toBeGreaterThan(1);
      expect(await page()).toMatchObject({ type: 'page', next: 45, more: false });
      expect((await store().findPass(OURS, passes[0].key, null)).found).toMatchObject({ version: 1 });
      expect(await store().countWebhooks()).toBe(1);
      expect((await store().findUnsettled({ before: 2, limit: 10 })).passes).toHaveLength(1);
    }
    await settle();
    await moveUntil('rest');
    const grown: number[] = [];
    const listening = openStore(env, { onGrown: (feeds) => grown.push(...feeds.map(({ sequence }) => sequence)) });
    await listening.publishPasses([aFedProjection(600, ['pass.issued']), newer(passes[0], 2)]);
    expect(grown).toEqual([46]);
    expect(await page()).toMatchObject({ next: 46 });
    await move();
    expect((await store().usageOf(OURS, { ...OURS, month: '2026-11' }, null)).found).toHaveLength(1);
    expect((await store().findValidity(OURS, passes[0].key)).validity).toMatchObject({ state: 'FROZEN' });
    await store().correctRow({ ...(passes[5] as Publication), state: 'REVOKED', version: 0 }, 1);
    await store().unlistUnsettled(passes[0]);
    expect([await versionIn(second, passes[5] as Publication), (await rowsIn(second)).unsettled]).toEqual([0, []]);
    expect(await rowsIn(DB)).toEqual(nothing);
    expect([await store().passesIn(SECOND, passes), await store().passesIn('DB', passes)]).toEqual([passes, []]);
  });

  it.each(['compare', 'settle', 'rest', 'done'] as const)(
    'refuses a batch in the old database that began before the move, and arrives in the phase %s',
    async (phase) => {
      const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const withSession = (constraint: string) => {
        const session = DB.withSession(constraint);
        const batch = async (statements: D1PreparedStatement[]) => {
          held.resolve();
          await released.promise;
          return session.batch(statements);
        };
        return { prepare: session.prepare.bind(session), batch, getBookmark: () => session.getBookmark() };
      };
      const slow = { prepare: DB.prepare.bind(DB), batch: DB.batch.bind(DB), withSession } as unknown as D1Database;
      const late = openStore({ ...env, DB: slow }).publishPasses([
        newer(passes[0], 2),
        aFedProjection(600, ['pass.issued']),
      ]);
      await held.promise;
      await moveUntil(phase);
      const before = await rowsIn(DB);
      released.resolve();
      const isOpen = phase === 'rest' || phase === 'done';
      await (isOpen ? late : expect(late).rejects.toThrow(NetworkMoves));
      expect(await rowsIn(DB)).toEqual(before);
      await move();
      if (!isOpen) await store().publishPasses([newer(passes[0], 2), aFedProjection(600, ['pass.issued'])]);
      expect(await versionIn(second, passes[0])).toBe(2);
      const { events, feeds } = await rowsIn(second);
      expect([events?.length, feeds]).toMatchObject([46, [{ sequence: 46 }]]);
    },
  );

  it('changes webhooks meanwhile, and waits only for the switch', async () => {
    await moveUntil('switch');
    expect(await store().addWebhook(KEY, 'another')).toBe(true);
    // A killed request has begun the switch.
    await DB.exec('UPDATE moves SET stage = 2');
    const removed = store().removeWebhook(KEY, 'a webhook');
    await moveUntil('settle');
    expect(await removed).toBe(true);
    expect(await store().webhooksOf(KEY)).toEqual(['another']);
    await move();
    expect(await store().webhooksOf(KEY)).toEqual(['another']);
  });

  it('shows tokens as open until what waited is published, whether or not they have a row', async () => {
    const isOpen = async (bound: object = env) => {
      const [shown, waiting] = [(passes[0] as Publication).key, aFedProjection(600, []).key];
      const tokens = await openStore(bound).findShownTokens([shown, waiting]);
      return [tokens.get(shown)?.isOpen, tokens.get(waiting)?.isOpen];
    };
    expect(await isOpen()).toEqual([false, undefined]);
    await moveUntil('copy');
    expect(await isOpen()).toEqual([true, true]);
    // An isolate does not have the binding yet.
    expect(await isOpen({ ...env, [SECOND]: undefined })).toEqual([true, true]);
    await move();
    expect(await isOpen()).toEqual([true, true]);
    await second.exec('UPDATE moves SET updated = 0');
    expect(await isOpen()).toEqual([false, undefined]);
  });

  it('begins an empty feed of a restored database after the sequences that readers may have', async () => {
    const newest = async () => (await store().newestSequence(OURS, KEY, null)).found;
    await DB.batch(['feeds', 'events'].map((table) => DB.prepare(`DELETE FROM ${table}`)));
    await move();
    expect([await newest(), (await rowsIn(second)).feeds]).toEqual([0, []]);
    await move('DB');
    await DB.exec("INSERT INTO feeds (gatekeeper_network, sequence) VALUES ('', 10000000000)");
    await move();
    expect(await newest()).toBe(10_000_000_000);
    expect(await rowsIn(DB)).toEqual(nothing);
    await store().publishPasses([aFedProjection(600, ['pass.issued'])]);
    expect(await newest()).toBe(10_000_000_001);
  });

  it('erases no pass and no event before it ends, so that none comes back', async () => {
    for (const phase of ['copy', 'settle'] as const) {
      await moveUntil(phase);
      await expect(store().erasePass(passes[0])).rejects.toThrow(NetworkMoves);
      for (const name of ['DB', SECOND]) await store().deleteEvents(name, [KEY], 9_999_999_999, 5);
    }
    await move();
    await store().erasePass(passes[0]);
    await store().deleteEvents(SECOND, [KEY], 9_999_999_999, 5);
    const { passes: rows, events } = await rowsIn(second);
    expect([rows?.length, events?.length]).toEqual([44, 40]);
    expect(await rowsIn(DB)).toEqual(nothing);
  });

  it('stores no slice of a killed request that arrives later', async () => {
    const late: (() => Promise<unknown>)[] = [];
    const killed = (db: D1Database) =>
      ({
        prepare: (sql: string) => db.prepare(sql),
        batch(statements: D1PreparedStatement[]) {
          late.push(() => db.batch(statements));
          throw new Error('killed');
        },
      }) as unknown as D1Database;
    for (const phase of ['clear', 'copy', 'rest'] as const) {
      if (phase !== 'clear') await moveUntil(phase);
      const databases = { DB: killed(DB), [SECOND]: killed(second) };
      const asked = { gatekeeperNetwork: KEY, to: SECOND };
      await expect(moveNetwork(databases, asked, hasRoom, 0, 10)).rejects.toThrow('killed');
    }
    await move();
    await store().erasePass(passes[0]);
    const before = await rowsIn(second);
    for (const run of late) await run();
    expect([await rowsIn(second), await rowsIn(DB)]).toEqual([before, nothing]);
    await move('DB');
    for (const run of late) await run();
    expect([await rowsIn(DB), await rowsIn(second)]).toEqual([before, nothing]);
  });

  it('deletes and switches nothing of the next move', async () => {
    const late: (() => Promise<unknown>)[] = [];
    const killed = (table: string) =>
      ({
        prepare(sql: string) {
          if (!sql.includes(table)) return DB.prepare(sql);
          const bind = (...values: unknown[]) => {
            const statement = DB.prepare(sql).bind(...values);
            const run = () => {
              late.push(() => statement.run());
              throw new Error('killed');
            };
            return { run, statement };
          };
          return { bind };
        },
        batch(statements: { readonly statement: D1PreparedStatement }[]) {
          late.push(() => DB.batch(statements.map(({ statement }) => statement)));
          throw new Error('killed');
        },
      }) as unknown as D1Database;
    for (const [phase, text] of [
      ['switch', 'UPDATE gatekeeper_networks'],
      ['rest', 'DELETE'],
    ] as const) {
      await moveUntil(phase);
      const databases = { DB: killed(text), [SECOND]: second };
      await expect(moveNetwork(databases, { ...OURS, to: SECOND }, hasRoom, 0, 10)).rejects.toThrow('killed');
    }
    await move();
    await moveUntil('compare', 'DB');
    for (const run of late) await run();
    const before = await rowsIn(second);
    expect(await move('DB')).toMatchObject({ passes: 45 });
    for (const run of late) await run();
    expect(await rowsIn(DB)).toEqual(before);
    expect(await DB.prepare('SELECT shard FROM gatekeeper_networks WHERE key = ?').bind(KEY).first('shard')).toBe('DB');
  });

  it('can be canceled before the switch and begun again, and not after it', async () => {
    const cancel = () => request(SECOND, 10_000, true);
    const before = await rowsIn(DB);
    expect(await cancel()).toBe('idle');
    await moveUntil('compare');
    expect(await cancel()).toMatchObject({ phase: 'canceled' });
    expect([await rowsIn(DB), await rowsIn(second)]).toEqual([before, nothing]);
    await store().publishPasses([newer(passes[0], 2)]);
    await moveUntil('rest');
    expect(await cancel()).toMatchObject({ phase: 'done' });
    expect((await rowsIn(second)).passes).toHaveLength(45);
    expect(await cancel()).toBe('idle');
  });

  it('is not disturbed by a late request that cancels the move before it', async () => {
    await moveUntil('compare');
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = {
      prepare: (sql: string) => second.prepare(sql),
      async batch(statements: D1PreparedStatement[]) {
        const results = await second.batch(statements);
        if ((await DB.prepare('SELECT phase FROM moves').first('phase')) === 'done') {
          held.resolve();
          await released.promise;
        }
        return results;
      },
    } as unknown as D1Database;
    const databases = { DB, [SECOND]: slow };
    const late = moveNetwork(databases, { ...OURS, to: SECOND, cancel: true }, hasRoom, 10_000, 10);
    await held.promise;
    expect(await request(SECOND, 10_000, true)).toMatchObject({ phase: 'canceled' });
    await moveUntil('copy');
    released.resolve();
    await late;
    await expect(store().publishPasses([newer(passes[0], 2)])).rejects.toThrow(NetworkMoves);
    expect((await move()).passes).toBe(45);
  });

  it.each(['compare', 'switch'] as const)(
    'does not switch if its passes no longer wait in the phase %s',
    async (phase) => {
      await moveUntil(phase);
      await DB.exec("UPDATE moves SET stage = 0, phase = 'done'");
      await expect(request(SECOND)).rejects.toThrow('the passes of ours no longer wait for this move');
      expect(await DB.prepare('SELECT shard FROM gatekeeper_networks WHERE key = ?').bind(KEY).first('shard')).toBe(
        'DB',
      );
      expect(await request(SECOND, 10_000, true)).toMatchObject({ phase: 'canceled' });
      await store().publishPasses([newer(passes[0], 2)]);
      expect(await move()).toMatchObject({ passes: 45 });
    },
  );

  it('does not switch to a copy that differs', async () => {
    await moveUntil('compare');
    await second.prepare('DELETE FROM passes WHERE id = ?').bind(passes[9]?.id).run();
    await expect(request(SECOND)).rejects.toThrow('the copy of ours in passes differs');
    expect(await request(SECOND, 10_000, true)).toMatchObject({ phase: 'canceled' });
    expect(await move()).toMatchObject({ passes: 45 });
  });

  it('is listed until it ends, also if its first request has ended early', async () => {
    const moves = async () => (await findMoves(both)).map(({ phase, shard, to }) => `${phase} ${shard} ${to}`);
    expect([await moves(), await lastMoveAt(both)]).toEqual([[], Number.NEGATIVE_INFINITY]);
    await moveUntil('copy');
    await second.exec('DELETE FROM moves');
    expect([await moves(), await lastMoveAt(both)]).toEqual([[`clear DB ${SECOND}`], Number.POSITIVE_INFINITY]);
    await moveUntil('rest');
    expect(await moves()).toEqual([`rest DB ${SECOND}`]);
    await move();
    expect(await moves()).toEqual([]);
    expect(await lastMoveAt(both)).toBeGreaterThan(Date.now() / 1000 - 60);
    expect(await lastMoveAt({ DB })).toBe(Number.NEGATIVE_INFINITY);
  });

  it('stops before the new database is full', async () => {
    await moveUntil('copy');
    expect(await moveNetwork(both, { gatekeeperNetwork: KEY, to: SECOND }, async () => false)).toBe('full');
    expect((await rowsIn(second)).passes).toEqual([]);
  });

  it('refuses a gatekeeper network without a row, and one whose move has not ended', async () => {
    const to = (gatekeeperNetwork: string, name: string) =>
      moveNetwork({ ...both, DB_2: DB }, { gatekeeperNetwork, to: name }, hasRoom, 0);
    expect([await to('nobody', SECOND), await to(KEY, 'DB')]).toEqual(['unknown', 'idle']);
    await moveUntil('copy');
    expect(await to(KEY, 'DB')).toBe('idle');
    await moveUntil('rest');
    expect(await to(KEY, 'DB')).toBe('elsewhere');
    await move();
    expect(await to(KEY, 'DB')).toMatchObject({ phase: 'copy' });
  });

  it.each(['DB', SECOND])('does not begin before a rebuild of %s has ended', async (shard) => {
    await store().beginRebuild(shard, true);
    expect(await request(SECOND, 0)).toBe('rebuilt');
    await store().publishPasses([newer(passes[0], 2)]);
    await store().advanceRebuild(shard, { counts: {}, position: null, finished: 1 });
    expect(await move()).toMatchObject({ passes: 45 });
  });

  it("restores nothing in the operator's list meanwhile", async () => {
    const restored = { contract: '0x1', publication: passes[1] as Publication };
    const entries = [
      { ...restored, listedSince: 5 },
      { ...restored, publication: passes[0], settledAt: 9 },
    ];
    const before = (await rowsIn(DB)).unsettled;
    await moveUntil('compare');
    await expect(restoreList(DB, entries)).rejects.toThrow('gatekeeper_network_moves');
    expect((await rowsIn(DB)).unsettled).toEqual(before);
    await move();
    await restoreList(second, entries);
    expect((await rowsIn(second)).unsettled).toMatchObject([{ id: passes[1]?.id, since: 5 }]);
  });

  it('is the only way of a gatekeeper network to another database', async () => {
    const moved = DB.prepare('UPDATE gatekeeper_networks SET shard = ? WHERE key = ?').bind(SECOND, KEY).run();
    await expect(moved).rejects.toThrow('the passes of this gatekeeper network are in another shard');
  });

  it('searches an index with every statement', async () => {
    const ran: Ran[] = [];
    const recorded = { DB: recording(DB, ran).db, [SECOND]: recording(second, ran).db };
    const next = () => moveNetwork(recorded, { gatekeeperNetwork: KEY, to: SECOND }, hasRoom, 0, 10);
    for (let phase = ''; phase !== 'done'; phase = ((await next()) as Move).phase) await settle();
    expect(ran.length).toBeGreaterThan(40);
    for (const { sql, values } of ran) {
      const { results } = await DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...values)
        .all<{ detail: string }>();
      const plan = results.map(({ detail }) => detail).join('\n');
      expect(plan, sql).not.toMatch(/\bSCAN (?!json_each|\w+ VIRTUAL TABLE|\(subquery|CONSTANT ROW)/m);
    }
  });
});
