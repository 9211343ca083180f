import { beforeEach, describe, expect, it, vi } from 'vitest';
import { publishPasses } from '../../../src/store/passes.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { aProjection } from '../store/rows.ts';
import { failing, UnreliableDatabase } from '../store/unreliable.ts';
import { holdAlarms } from '../without-alarms.ts';
import { bindings, deliverWith, processPass } from './deliver.ts';
import { aNight } from './reconciliation-night.ts';
import { aPassIn, aSigner, databases, type ShardPass, stateIn } from './shard-passes.ts';

/** Work on passes of several databases at once. */

const { DB } = bindings;
const printed = vi.spyOn(console, 'error').mockReturnValue();
vi.spyOn(console, 'log').mockReturnValue();
beforeEach(async () => {
  for (const db of Object.values(databases)) await db.exec('DELETE FROM passes');
  await DB.exec('DELETE FROM runs');
  printed.mockClear();
});

const marksOf = ({ acknowledge }: ReturnType<typeof aSigner>) => acknowledge.mock.calls.flatMap(([marks]) => marks);

describe('a batch of messages for several shards', () => {
  it('writes the passes of each shard and their events to its own database, in one batch', async () => {
    const releaseAlarms = holdAlarms();
    const passes = await Promise.all(['DB', SECOND, 'DB', SECOND, SECOND].map(aPassIn));
    const batch = vi.spyOn(Object.getPrototypeOf(DB.withSession('first-primary')), 'batch');
    const sessions = [DB, second].map((db) => vi.spyOn(db, 'withSession'));
    const signer = aSigner();
    await deliverWith({ SIGNERS: signer.SIGNERS }, ...passes.map(({ key }) => processPass(key)));
    const sizesIn = ({ mock }: (typeof sessions)[number]) =>
      batch.mock.calls.flatMap(([statements], index) =>
        mock.results.some(({ value }) => value === batch.mock.contexts[index])
          ? [(statements as unknown[]).length]
          : [],
      );
    expect(sessions.map(sizesIn)).toEqual([[4], [4]]);
    for (const each of [batch, ...sessions]) each.mockRestore();
    releaseAlarms();
    expect(marksOf(signer)).toHaveLength(5);
    for (const pass of passes) {
      const states = { DB: await stateIn(DB, pass), [SECOND]: await stateIn(second, pass) };
      expect(states).toEqual({ DB: undefined, [SECOND]: undefined, [pass.shard]: 'ACTIVE' });
    }
  });

  it('processes the passes of one shard while another is away or not bound, and processes those later', async () => {
    const [here, there, nowhere] = await Promise.all([aPassIn('DB'), aPassIn(SECOND), aPassIn('DB_9')]);
    const away = new UnreliableDatabase(second);
    away.manner = failing('D1_ERROR: away');
    const [first, again] = [aSigner(), aSigner()];
    const looks = [there, nowhere, here].map(({ key }) => processPass(key));
    await deliverWith({ SIGNERS: first.SIGNERS, [SECOND]: away }, ...looks);
    expect([marksOf(first).length, await stateIn(DB, here), await stateIn(second, there)]).toEqual([
      1,
      'ACTIVE',
      undefined,
    ]);
    expect(printed.mock.calls.join()).toContain('D1_ERROR: away');

    await deliverWith({ SIGNERS: again.SIGNERS }, processPass(there.key), processPass(nowhere.key));
    expect(await stateIn(second, there)).toBe('ACTIVE');
    expect(printed.mock.calls.join()).toContain('no database is bound as DB_9');
  });
});

describe('the reconciliation of several shards', () => {
  /** Settled, with a row in its database. */
  async function aSettledPassIn(shard: string) {
    const pass = await aPassIn(shard);
    await deliverWith({ SIGNERS: aSigner().SIGNERS }, processPass(pass.key));
    return pass;
  }
  const rowOf = (db: D1Database, { key }: ShardPass) =>
    db.prepare('SELECT * FROM passes WHERE wallet = ?').bind(key.wallet).first();

  it('rewrites altered rows of each shard in its own database', async () => {
    const passes = [await aSettledPassIn('DB'), await aSettledPassIn(SECOND)];
    const rows = [await rowOf(DB, passes[0] as never), await rowOf(second, passes[1] as never)];
    for (const db of Object.values(databases)) {
      await db.exec(`UPDATE passes SET state = 'REVOKED', record = '{}'`);
    }
    const { counts } = await aNight();
    expect(counts).toMatchObject({ 'row-altered': 2 });
    expect([await rowOf(DB, passes[0] as never), await rowOf(second, passes[1] as never)]).toEqual(rows);
    expect([await rowOf(second, passes[0] as never), await rowOf(DB, passes[1] as never)]).toEqual([null, null]);
    expect((await aNight()).counts).not.toHaveProperty('row-altered');
  });

  it('compares the rows of all shards in slices, each row once', async () => {
    const many = (from: number, count: number) => Array.from({ length: count }, (_, n) => aProjection(from + n));
    await publishPasses(DB, many(0, 130));
    await publishPasses(second, many(1_000, 250));
    const PASSES = { getByName: () => ({ inspect: async () => undefined }) } as never;
    const { counts, run } = await aNight({ PASSES });
    expect(counts).toEqual({ 'no-pass-object': 380 });
    expect(run).toMatchObject({ finished: expect.any(Number), counts: { passes: 380 } });
  });

  it('writes a missing row to the shard of its pass', async () => {
    const passes = [await aSettledPassIn('DB'), await aSettledPassIn(SECOND)];
    for (const db of Object.values(databases)) await db.exec('DELETE FROM passes');
    const whole = await aSettledPassIn(SECOND);
    let told = false;
    const listPassesAfter = async () => {
      const steps = told ? [] : [...passes, whole].map(({ key }, index) => ({ id: String(index), key }));
      told = true;
      return steps;
    };
    const SIGNERS = { getByName: () => ({ listPassesAfter }) } as never;
    const { counts, run } = await aNight({ SIGNERS });
    expect(counts).toMatchObject({ 'row-missing': 2 });
    // A pass with a row is not compared again.
    expect(run?.counts.passes).toBe(3);
    expect(await stateIn(DB, passes[0] as never)).toBe('ACTIVE');
    expect(await stateIn(second, passes[1] as never)).toBe('ACTIVE');
    expect([await rowOf(second, passes[0] as never), await rowOf(DB, passes[1] as never)]).toEqual([null, null]);
  });

  it('continues in the first database a run that began before there were several', async () => {
    await publishPasses(DB, [aProjection(1), aProjection(2)]);
    await publishPasses(second, [aProjection(3)]);
    const position = JSON.stringify({
      in: 'rows',
      after: { gatekeeperNetwork: aProjection(1).key.gatekeeperNetwork, id: aProjection(1).id },
    });
    await DB.prepare(
      "INSERT INTO runs (kind, subject, started, updated, position) VALUES ('reconciliation', '', 1, 1, ?)",
    )
      .bind(position)
      .run();
    expect((await aNight()).counts).toEqual({ 'no-pass-object': 2 });
  });
});
