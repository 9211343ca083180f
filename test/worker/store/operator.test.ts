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
  type Absences,
  absencesIn,
  acceptAbsences,
  advanceRun,
  heldAbsences,
  lastRun,
  type Run,
  runOfNight,
} from '../../../src/store/runs.ts';
import { findPass } from '../../../src/store/search.ts';
import { findUnsettled, listUnsettled, unlistUnsettled } from '../../../src/store/unsettled.ts';
import { recording } from './recorder.ts';
import { aProjection } from './rows.ts';

/** Data that is stored for the operator. */

const { DB } = env as Env;

beforeEach(async () => {
  for (const table of ['unsettled', 'dead_letters', 'runs', 'absences', 'passes'])
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
  /** Does a slice of the run in that night. The run before it has ended by then. */
  async function slice(night: number, [from, to]: readonly [string | null, string], absences: readonly Absences[]) {
    const last = await lastRun(DB);
    if (last !== undefined && last.run < night)
      await advanceRun(DB, last, { position: 'a', finished: night, counts: {} });
    const run = (await runOfNight(DB, night)) as Run;
    expect(run.run).toBe(night);
    return advanceRun(DB, { ...run, position: from }, { position: to, counts: {} }, absences);
  }

  it('continues slice by slice and night by night, and counts one of two that do the same slice', async () => {
    const begun = (await runOfNight(DB, 100)) as Run;
    expect(await runOfNight(DB, 100)).toEqual(begun);
    expect(begun).toEqual({
      subject: '',
      run: 1,
      started: 100,
      updated: 100,
      finished: null,
      position: null,
      slices: 0,
      counts: {},
    });
    const both = await Promise.all([1, 2].map(() => advanceRun(DB, begun, { position: 'b', counts: { passes: 2 } })));
    expect(both.filter((counts) => counts !== undefined)).toEqual([{ passes: 2 }]);
    const again = (await runOfNight(DB, 300)) as Run;
    expect(again).toMatchObject({ run: 1, started: 100, updated: 300, position: 'b', slices: 0 });
    expect(await runOfNight(DB, 200)).toBeUndefined();
    const last = { position: 'b', finished: 301, counts: { passes: 3, held: 1 } };
    expect(await advanceRun(DB, again, last)).toEqual({ passes: 5, held: 1 });
    expect(await advanceRun(DB, again, last)).toBeUndefined();
    expect(await lastRun(DB)).toMatchObject({ finished: 301, slices: 1, counts: { passes: 5, held: 1 } });
    expect(await runOfNight(DB, 300)).toBeUndefined();
    // The next run begins where this one has ended.
    expect(await runOfNight(DB, 400)).toEqual({ ...begun, run: 2, started: 400, updated: 400, position: 'b' });
    expect(await advanceRun(DB, again, last)).toBeUndefined();
  });

  it('holds a pair until it is accepted, in the next run too, and accepts as many as were counted', async () => {
    const pair = { gatekeeperNetwork: 'ours', network: 'sepolia' };
    const other = { ...pair, network: 'baseSepolia' };
    const counted = { compared: 100, absent: 40, accepted: 0 };
    await slice(
      1,
      [null, 'b'],
      [
        { ...pair, ...counted, isHeld: true },
        { ...other, ...counted, absent: 2, isHeld: false },
      ],
    );
    // A slice that runs twice counts once.
    expect(await slice(1, [null, 'b'], [{ ...pair, ...counted, compared: 999, isHeld: true }])).toBeUndefined();
    expect(await absencesIn(DB, 1, [pair, other])).toEqual([
      { ...pair, ...counted, isHeld: true },
      { ...other, ...counted, absent: 2, isHeld: false },
    ]);
    expect(await absencesIn(DB, 2, [pair])).toEqual([{ ...pair, compared: 0, absent: 0, accepted: 0, isHeld: true }]);
    await slice(2, ['a', 'b'], [{ ...pair, compared: 3, absent: 1, accepted: 0, isHeld: true }]);
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
    const counted = async (run: number, place: readonly [string | null, string], absent: number, accepted: number) => {
      await slice(run, place, [{ ...pair, compared: 100, absent, isHeld: true, accepted }]);
      return absencesIn(DB, run, [pair]);
    };
    expect(await counted(1, [null, 'b'], 40, 0)).toMatchObject([{ isHeld: true }]);
    await acceptAbsences(DB, 1, pair);
    // This slice has read the counts before the operator accepted them.
    expect(await counted(1, ['b', 'c'], 40, 0)).toMatchObject([{ isHeld: false, accepted: 40 }]);
    expect(await counted(1, ['c', 'd'], 41, 0)).toMatchObject([{ isHeld: true, accepted: 40 }]);
    await acceptAbsences(DB, 1, pair);
    expect(await counted(2, ['a', 'b'], 3, 0)).toMatchObject([{ isHeld: false, accepted: 41 }]);
    expect(await heldAbsences(DB, 2)).toEqual([]);
  });

  it('stores one run, and the counts of its losses and those of the run before', async () => {
    const pair = { gatekeeperNetwork: 'ours', network: 'sepolia', compared: 9, absent: 9, isHeld: true, accepted: 0 };
    for (let run = 1; run <= 9; run += 1) await slice(run, [run === 1 ? null : 'a', 'b'], [pair]);
    for (const [table, runs] of [
      ['runs', [9]],
      ['absences', [8, 9]],
    ] as const)
      expect((await DB.prepare(`SELECT run FROM ${table}`).all()).results).toEqual(runs.map((run) => ({ run })));
  });
});
