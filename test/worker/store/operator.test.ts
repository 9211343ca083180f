import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { findDeadLetters, removeDeadLetters, storeDeadLetters } from '../../../src/store/dead-letters.ts';
import {
  correctRow,
  type Publication,
  type PublishedRow,
  publishPasses,
  rowsAfter,
  rowsOf,
} from '../../../src/store/passes.ts';
import {
  absencesIn,
  acceptAbsences,
  advanceRun,
  beginRun,
  continueRun,
  heldAbsences,
  lastRun,
  type Run,
} from '../../../src/store/reconciliations.ts';
import { findPass } from '../../../src/store/search.ts';
import { findUnsettled, listUnsettled, unlistUnsettled } from '../../../src/store/unsettled.ts';
import { recording } from './recorder.ts';
import { aProjection } from './rows.ts';

/** Data that is stored for the operator. */

const { DB } = env as Env;

beforeEach(async () => {
  for (const table of ['unsettled', 'dead_letters', 'reconciliations', 'absences', 'passes'])
    await DB.exec(`DELETE FROM ${table}`);
});

describe('the list of unsettled passes', () => {
  const unsettled = (number: number, since: number) => {
    const { key, id } = aProjection(number);
    return { key, id, since };
  };
  const [first, second, third] = [unsettled(1, 300), unsettled(2, 100), unsettled(3, 100)];
  const found = (query: Partial<Parameters<typeof findUnsettled>[1]>) =>
    findUnsettled({ DB }, { before: 1_000, limit: 10, ...query });

  it('lists unsettled passes by the time since they are unsettled, the oldest first, page by page', async () => {
    for (const each of [first, second, third]) await listUnsettled(DB, each);
    expect((await found({})).passes).toEqual([second, third, first]);
    expect((await found({ before: 299 })).passes).toEqual([second, third]);
    expect((await found({ limit: 1 })).passes).toEqual([second]);
    expect((await found({ after: { at: second.since, id: second.id } })).passes).toEqual([third, first]);
  });

  it('lists an unsettled pass once with its newest time, and writes nothing for the same time', async () => {
    const { db, ran } = recording(DB);
    for (const since of [100, 100, 200]) await listUnsettled(db, { ...first, since });
    expect(ran[1]?.meta.rows_written).toBe(0);
    expect((await found({})).passes).toEqual([{ ...first, since: 200 }]);
    await unlistUnsettled(DB, first);
    await unlistUnsettled(DB, first);
    expect((await found({})).passes).toEqual([]);
  });
});

describe('stored dead letters', () => {
  const letter = (id: string, at: number) => ({ id, at, reason: 'unreadable', body: '"rubbish"' });
  const ids = async (query = {}) => (await findDeadLetters(DB, { limit: 10, ...query })).map(({ id }) => id);

  it('stores a dead letter once, and lists the newest first, page by page', async () => {
    await storeDeadLetters(DB, [letter('b', 1), letter('a', 2), letter('c', 2)]);
    await storeDeadLetters(DB, [letter('a', 9)]);
    expect(await ids()).toEqual(['c', 'a', 'b']);
    expect(await ids({ limit: 1, after: { at: 2, id: 'c' } })).toEqual(['a']);
    await removeDeadLetters(DB, ['a', 'c', 'nobody']);
    expect(await findDeadLetters(DB, { limit: 10 })).toEqual([letter('b', 1)]);
  });

  it('removes the oldest dead letters beyond the maximum', async () => {
    await storeDeadLetters(DB, [letter('a', 1), letter('b', 2), letter('c', 3)], 3);
    await storeDeadLetters(DB, [letter('d', 4), letter('e', 4)], 3);
    expect(await ids()).toEqual(['e', 'd', 'c']);
  });
});

describe('the rows of the read model', () => {
  const rowOf = ({ key, id, state, version, record }: Publication): PublishedRow => ({
    key,
    id,
    state,
    version,
    record,
  });
  const rowIdOf = (row: PublishedRow | undefined) =>
    row && { gatekeeperNetwork: row.key.gatekeeperNetwork, id: row.id };

  it('returns the rows in the order of their ids, each once', async () => {
    const rows = [3, 1, 2, 5, 4].map((number) => aProjection(number, { network: `network${number % 2}` }));
    await publishPasses(DB, rows);
    const seen = [];
    for (
      let page = await rowsAfter(DB, undefined, 2);
      page.length > 0;
      page = await rowsAfter(DB, rowIdOf(seen.at(-1)), 2)
    ) {
      seen.push(...page);
    }
    expect(seen).toEqual(rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(rowOf));
    expect(
      await rowsOf(
        DB,
        [rows[3], aProjection(9), rows[0]].map((row) => row?.key as never),
      ),
    ).toEqual([rows[3], undefined, rows[0]].map((row) => row && rowOf(row)));
  });

  it('corrects a row only while it has the version that was seen', async () => {
    const altered = aProjection(1, { version: 9 });
    const truth = aProjection(1, { version: 3, state: 'FROZEN' });
    await publishPasses(DB, [altered]);
    await correctRow(DB, truth, 8);
    expect((await findPass(DB, truth.key))?.record).toBe(altered.record);
    await correctRow(DB, truth, 9);
    expect(await rowsOf(DB, [truth.key])).toEqual([rowOf(truth)]);
  });
});

describe('a stored reconciliation run', () => {
  it('continues a run slice by slice and night by night, and counts one of two that do the same slice', async () => {
    await beginRun(DB, 1, 100, 'a');
    await beginRun(DB, 1, 200, 'z');
    const begun = (await lastRun(DB)) as Run;
    expect(begun).toEqual({
      run: 1,
      started: 100,
      finished: undefined,
      night: 100,
      position: 'a',
      slices: 0,
      counts: {},
    });
    const both = await Promise.all(
      [1, 2].map((passes) => advanceRun(DB, begun, { position: 'b', counts: { passes } })),
    );
    expect(both.toSorted()).toEqual([false, true]);
    await continueRun(DB, 1, 300);
    expect(await lastRun(DB)).toMatchObject({ started: 100, night: 300, position: 'b', slices: 0 });
    const again = (await lastRun(DB)) as Run;
    expect(await advanceRun(DB, again, { position: 'b', finished: 301, counts: { passes: 3 } })).toBe(true);
    expect(await advanceRun(DB, again, { position: 'b', finished: 302, counts: {} })).toBe(false);
    expect(await lastRun(DB)).toMatchObject({ finished: 301, slices: 1, counts: { passes: 3 } });
  });

  it('holds a pair until it is accepted, in the next run too, and accepts as many as were counted', async () => {
    const pair = { gatekeeperNetwork: 'ours', network: 'sepolia' };
    const other = { ...pair, network: 'baseSepolia' };
    const slice = async (run: number, counts: Parameters<typeof advanceRun>[3], from = 'a', to = 'b') => {
      await beginRun(DB, run, run, 'a');
      return advanceRun(DB, { ...((await lastRun(DB)) as Run), position: from }, { position: to, counts: {} }, counts);
    };
    const counted = { compared: 100, absent: 40, accepted: 0 };
    await slice(1, [
      { ...pair, ...counted, isHeld: true },
      { ...other, ...counted, absent: 2, isHeld: false },
    ]);
    // A slice that runs twice counts once.
    expect(await slice(1, [{ ...pair, ...counted, compared: 999, isHeld: true }])).toBe(false);
    expect(await absencesIn(DB, 1, [pair, other])).toEqual([
      { ...pair, ...counted, isHeld: true },
      { ...other, ...counted, absent: 2, isHeld: false },
    ]);
    expect(await absencesIn(DB, 2, [pair])).toEqual([{ ...pair, compared: 0, absent: 0, accepted: 0, isHeld: true }]);
    await slice(2, [{ ...pair, compared: 3, absent: 1, accepted: 0, isHeld: true }]);
    expect(await heldAbsences(DB, 2)).toEqual([{ ...pair, compared: 100, absent: 40 }]);
    expect(await acceptAbsences(DB, 2, other)).toBe(false);
    expect(await acceptAbsences(DB, 2, pair)).toBe(true);
    expect(await absencesIn(DB, 2, [pair])).toEqual([{ ...pair, compared: 3, absent: 1, accepted: 40, isHeld: false }]);
    expect(await absencesIn(DB, 3, [pair])).toMatchObject([{ accepted: 40, isHeld: false }]);
    expect(await absencesIn(DB, 4, [pair])).toEqual([]);
    expect(await heldAbsences(DB, 2)).toEqual([]);
  });

  it('holds nothing again that the operator accepts while a slice is done, unless more passes are absent', async () => {
    const pair = { gatekeeperNetwork: 'ours', network: 'sepolia' };
    const slice = async (run: number, [from, to]: [string, string], absent: number, accepted: number) => {
      await beginRun(DB, run, run, from);
      const counts = [{ ...pair, compared: 100, absent, isHeld: true, accepted }];
      await advanceRun(DB, { ...((await lastRun(DB)) as Run), position: from }, { position: to, counts: {} }, counts);
      return absencesIn(DB, run, [pair]);
    };
    expect(await slice(1, ['a', 'b'], 40, 0)).toMatchObject([{ isHeld: true }]);
    await acceptAbsences(DB, 1, pair);
    // This slice has read the counts before the operator accepted them.
    expect(await slice(1, ['b', 'c'], 40, 0)).toMatchObject([{ isHeld: false, accepted: 40 }]);
    expect(await slice(1, ['c', 'd'], 41, 0)).toMatchObject([{ isHeld: true, accepted: 40 }]);
    await acceptAbsences(DB, 1, pair);
    expect(await slice(2, ['a', 'b'], 3, 0)).toMatchObject([{ isHeld: false, accepted: 41 }]);
    expect(await heldAbsences(DB, 2)).toEqual([]);
  });

  it('removes old runs of the reconciliation', async () => {
    for (let run = 1; run <= 40; run += 1) await beginRun(DB, run, run, 'a');
    const { results } = await DB.prepare('SELECT run FROM reconciliations').all<{ run: number }>();
    expect(results.length).toBeLessThan(40);
    expect(await lastRun(DB)).toMatchObject({ run: 40 });
  });
});
