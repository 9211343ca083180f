import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { signerNameOf } from '../../../src/config/signers.ts';
import { beginReconciliation } from '../../../src/consumer/run-schedule.ts';
import { sendReconcile } from '../../../src/message/queue.ts';
import { newSandbox } from '../../../src/network/sandbox.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { readRowsOnNetwork } from '../../../src/store/all-shards.ts';
import { type Publication, publishPasses } from '../../../src/store/passes.ts';
import { lastRun, reconcileFirst } from '../../../src/store/runs.ts';
import { sepolia } from '../chain/ethereum/node.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { recording } from '../store/recorder.ts';
import { aProjection } from '../store/rows.ts';
import { bindings } from './deliver.ts';
import { aMessage, aQueue, NIGHT, reconcileWith } from './reconciliation-night.ts';

/** The passes of a network whose watcher has missed changes come before all others. */

const { DB } = bindings;
const databases = { DB, [SECOND]: second };
const SINCE = (NIGHT + 10) * 1000;
vi.spyOn(console, 'log').mockReturnValue();
vi.spyOn(console, 'error').mockReturnValue();

afterAll(() => DB.exec('DELETE FROM runs'));
// No run closes a gap for some time after a move: another file may have moved a gatekeeper network.
beforeAll(() => Promise.all([DB, second].map((db) => db.exec('DELETE FROM moves'))));
beforeEach(async () => {
  for (const db of [DB, second]) await db.exec('DELETE FROM passes');
  await DB.exec('DELETE FROM runs');
});

/** Passes of that network in a gatekeeper network, with ids from a number on. */
const rowsOn = (network: string, gatekeeperNetwork: string, from: number, count: number): Publication[] =>
  Array.from({ length: count }, (_, n) => aProjection(from + n, { network, gatekeeperNetwork }));
const nameOf = ({ key }: { readonly key: PassKey }) => `${key.network} ${key.gatekeeperNetwork} ${key.wallet}`;

/** Runs reconciliation messages with recorded visits of passes and closed gaps. */
function aReconciler() {
  const visited: string[] = [];
  const closed: unknown[] = [];
  const begun: unknown[] = [];
  const { bodies, env } = aQueue();
  let fault: Error | undefined;
  const changed = {
    ...env,
    PASSES: {
      getByName: (name: string) => ({
        inspect: async () => {
          const [gatekeeperNetwork, , network, wallet] = name.split('/');
          visited.push(`${network} ${gatekeeperNetwork} ${wallet}`);
        },
      }),
    },
    SIGNERS: { getByName: () => ({ listPassesAfter: async () => [] }) },
    WATCHERS: {
      getByName: (network: string) => ({
        begin: async (passesSince: number) => void begun.push([network, passesSince]),
        closeUnservedGaps: async (until: number) => {
          if (fault !== undefined) throw fault;
          closed.push([network, until]);
        },
      }),
    },
  } as unknown as Env;
  return {
    visited,
    closed,
    begun,
    bodies,
    env: changed,
    fail: (with_: Error | undefined) => {
      fault = with_;
    },
    /** Delivers messages until none is left, or that many. */
    async deliver(most = Number.POSITIVE_INFINITY, maxSlices?: number) {
      for (let left = most; left > 0 && bodies.length > 0; left -= 1) {
        const { told, message } = aMessage(bodies.shift());
        await reconcileWith(changed, [message], maxSlices);
        if (told.retried) return 'retried';
      }
      return 'acked';
    },
    /** Asks for the network, and sends the message. */
    async first(network: string, since = SINCE) {
      await sendReconcile(env.PASS_QUEUE, await reconcileFirst(DB, network, since));
    },
  };
}

describe('the watch of a network with passes', () => {
  it('begins with the run if it has not begun, unless the network has no endpoints or only simulated passes', async () => {
    await publishPasses(DB, [
      ...rowsOn('sepolia', 'a', 0, 130),
      ...rowsOn('polygonMainnet', 'a', 200, 1),
      ...rowsOn('baseSepolia', newSandbox(), 300, 1),
    ]);
    const { deliver, begun, env } = aReconciler();
    await beginReconciliation(NIGHT * 1000, env.PASS_QUEUE);
    await deliver();
    expect(new Set(begun.map((each) => JSON.stringify(each)))).toEqual(new Set(['["sepolia",0]']));
  });
});

describe('a network that comes first', () => {
  it('is read in all shards and gatekeeper networks at once, and then every pass', async () => {
    const theirs = [...rowsOn('baseSepolia', 'a', 0, 130), ...rowsOn('baseSepolia', 'c', 200, 3)];
    const ours = [...rowsOn('sepolia', 'a', 500, 130), ...rowsOn('sepolia', 'b', 700, 1)];
    const there = [...rowsOn('sepolia', 'd', 900, 120), ...rowsOn('baseSepolia', 'e', 1_200, 2)];
    await publishPasses(DB, [...theirs, ...ours]);
    await publishPasses(second, there);
    const { first, deliver, visited, closed } = aReconciler();
    await first('sepolia');
    expect(await deliver()).toBe('acked');
    const wanted = [...ours, ...there.slice(0, 120)].map(nameOf);
    expect(visited.slice(0, wanted.length).toSorted()).toEqual(wanted.toSorted());
    expect(visited.slice(wanted.length).toSorted()).toEqual([...theirs, ...ours, ...there].map(nameOf).toSorted());
    expect(closed).toEqual([['sepolia', SINCE]]);
    expect(await lastRun(DB)).toMatchObject({ run: 1, finished: expect.any(Number), position: '{"in":"rows"}' });
  });

  it('waits while a gatekeeper network moves, keeps its gap after that, and is read again in the next run', async () => {
    const ours = rowsOn('sepolia', 'b', 0, 150);
    await publishPasses(DB, ours);
    const moving =
      "INSERT INTO moves (gatekeeper_network, shard, step, stage, phase) VALUES ('moves', 'DB', 1, 2, 'copy')";
    await second.exec(moving);
    const { first, deliver, visited, closed, env } = aReconciler();
    await first('sepolia');
    await deliver();
    expect([visited, closed]).toEqual([[], []]);
    await second.exec("UPDATE moves SET phase = 'done', stage = 0");
    await first('sepolia');
    await deliver();
    // Some passes may have waited for the end of the move, without a row until then.
    expect([visited.length > 149, closed]).toEqual([true, []]);
    await second.exec('UPDATE moves SET updated = updated - 7300');
    const before = visited.length;
    await sendReconcile(env.PASS_QUEUE, NIGHT + 86_400);
    await deliver();
    await second.exec('DELETE FROM moves');
    expect(visited.slice(before, before + 150).toSorted()).toEqual(ours.map(nameOf).toSorted());
    expect(closed).toEqual([['sepolia', SINCE]]);
  });

  it('keeps its gap for a pass whose transaction may be in a block of it, and for no later one', async () => {
    const [row] = rowsOn('sepolia', 'b', 0, 1) as [Publication];
    await publishPasses(DB, [row]);
    const { first, deliver, closed, env } = aReconciler();
    const signedAt = (openSince: number) => {
      const inspection = {
        publication: row,
        signer: signerNameOf(sepolia()),
        isSettled: false,
        question: { known: { state: 'NONE' } },
      };
      const signer = {
        listPassesAfter: async () => [],
        observe: async () => [{ confirmed: { state: 'NONE' }, openSince }],
      };
      const pass = { inspect: async () => inspection, adopt: async () => ({ changed: false, publish: 'nothing' }) };
      Object.assign(env, { PASSES: { getByName: () => pass }, SIGNERS: { getByName: () => signer } });
    };
    signedAt(SINCE);
    await first('sepolia');
    await deliver();
    expect(closed).toEqual([]);
    signedAt(SINCE + 1);
    await sendReconcile(env.PASS_QUEUE, NIGHT + 86_400);
    await deliver();
    expect(closed).toEqual([['sepolia', SINCE]]);
  });

  it('interrupts an unfinished run, which continues where it was', async () => {
    const others = rowsOn('baseSepolia', 'a', 0, 250);
    const ours = rowsOn('sepolia', 'b', 500, 10);
    await publishPasses(DB, [...others, ...ours]);
    const { first, deliver, visited, env, bodies } = aReconciler();
    await beginReconciliation(NIGHT * 1000, env.PASS_QUEUE);
    await deliver(1);
    expect(visited).toEqual(others.slice(0, 100).map(nameOf));
    bodies.length = 0;
    await first('sepolia');
    await deliver();
    expect(visited.slice(100)).toEqual([...ours, ...others.slice(100), ...ours].map(nameOf));
    expect(await lastRun(DB)).toMatchObject({ run: 1, updated: NIGHT, finished: expect.any(Number) });
  });

  it('is visited once when its watcher asks twice, also in the middle of it, and again for a later gap', async () => {
    const ours = rowsOn('sepolia', 'b', 0, 150);
    await publishPasses(DB, ours);
    const { first, deliver, visited, closed, bodies } = aReconciler();
    await first('sepolia');
    await first('sepolia');
    await deliver(1);
    await first('sepolia');
    await first('sepolia', SINCE - 1);
    bodies.length = 1;
    // The rest of the first shard, and the second one.
    await deliver(2);
    expect(visited).toEqual(ours.map(nameOf));
    expect(closed).toEqual([['sepolia', SINCE]]);

    visited.length = 0;
    await first('sepolia', SINCE + 1);
    bodies.length = 1;
    await deliver(1);
    await first('sepolia', SINCE + 2);
    bodies.length = 1;
    await deliver(3);
    expect(visited).toEqual([...ours.slice(0, 100), ...ours].map(nameOf));
    expect(closed).toEqual([
      ['sepolia', SINCE],
      ['sepolia', SINCE + 2],
    ]);
  });

  it('keeps its place beside another network that comes first', async () => {
    const [sepolia, base] = [rowsOn('sepolia', 'a', 0, 120), rowsOn('baseSepolia', 'a', 200, 120)];
    await publishPasses(DB, [...sepolia, ...base]);
    const { first, deliver, visited, closed, bodies } = aReconciler();
    await Promise.all([first('sepolia'), first('baseSepolia')]);
    bodies.length = 1;
    await deliver(6);
    expect(visited.toSorted()).toEqual([...sepolia, ...base].map(nameOf).toSorted());
    expect(closed.toSorted()).toEqual([
      ['baseSepolia', SINCE],
      ['sepolia', SINCE],
    ]);
  });

  it('is visited in the next night when the message was lost', async () => {
    await publishPasses(DB, [...rowsOn('baseSepolia', 'a', 0, 3), ...rowsOn('sepolia', 'b', 10, 2)]);
    await reconcileFirst(DB, 'sepolia', SINCE);
    const { deliver, visited, closed, env } = aReconciler();
    await beginReconciliation((NIGHT + 86_400) * 1000, env.PASS_QUEUE);
    await deliver();
    expect(visited.map((name) => name.split(' ')[0])).toEqual([
      ...['sepolia', 'sepolia'],
      ...['baseSepolia', 'baseSepolia', 'baseSepolia', 'sepolia', 'sepolia'],
    ]);
    expect(closed).toEqual([['sepolia', SINCE]]);
  });

  it('is visited although the slices of the night are used up, and the rest of the run waits', async () => {
    await publishPasses(DB, [...rowsOn('baseSepolia', 'a', 0, 250), ...rowsOn('sepolia', 'b', 500, 150)]);
    const { first, deliver, visited, closed, env } = aReconciler();
    await beginReconciliation(NIGHT * 1000, env.PASS_QUEUE);
    await deliver(Number.POSITIVE_INFINITY, 1);
    expect(visited).toHaveLength(100);
    await first('sepolia');
    await deliver(Number.POSITIVE_INFINITY, 1);
    expect(visited).toHaveLength(250);
    expect(closed).toEqual([['sepolia', SINCE]]);
    expect(await lastRun(DB)).toMatchObject({ finished: null });
  });

  it('counts each slice once when its message arrives twice', async () => {
    await publishPasses(DB, rowsOn('sepolia', 'b', 0, 150));
    const { first, bodies, env } = aReconciler();
    await first('sepolia');
    const body = bodies.shift();
    await Promise.all([reconcileWith(env, [aMessage(body).message]), reconcileWith(env, [aMessage(body).message])]);
    expect(await lastRun(DB)).toMatchObject({ slices: 1, counts: { passes: 100 } });
    expect(bodies).toHaveLength(1);
  });

  it('stays first until its watcher answers that the gaps are closed', async () => {
    await publishPasses(DB, [...rowsOn('sepolia', 'b', 0, 2), ...rowsOn('baseSepolia', 'a', 10, 1)]);
    const { first, deliver, fail, visited, closed } = aReconciler();
    await first('sepolia');
    fail(new Error('the watcher does not answer'));
    expect(await deliver()).toBe('retried');
    expect(await lastRun(DB)).toMatchObject({ slices: 1 });
    fail(undefined);
    await first('sepolia');
    expect(await deliver()).toBe('acked');
    expect(closed).toEqual([['sepolia', SINCE]]);
    // The second shard has no row, so its slice repeats no pass.
    expect(visited).toHaveLength(2 + 3);
  });

  it('waits for the next run when a pass could not be read, and closes no gap before', async () => {
    const ours = rowsOn('sepolia', 'b', 0, 2);
    await publishPasses(DB, [...ours, ...rowsOn('baseSepolia', 'a', 10, 1)]);
    const { first, deliver, visited, closed, env, bodies } = aReconciler();
    const away = { ...env, PASSES: { getByName: () => ({ inspect: () => Promise.reject(new Error('away')) }) } };
    await first('sepolia');
    await reconcileWith(away as never, [aMessage(bodies.shift()).message]);
    await deliver(1);
    // The same need does not bring it to the front again, and the run continues with all others.
    await first('sepolia');
    await deliver();
    expect(visited).toHaveLength(3);
    expect([closed, (await lastRun(DB))?.finished]).toEqual([[], expect.any(Number)]);

    await beginReconciliation((NIGHT + 2 * 86_400) * 1000, env.PASS_QUEUE);
    await deliver(2);
    expect(visited.slice(3)).toEqual(ours.map(nameOf));
    expect(closed).toEqual([['sepolia', SINCE]]);
  });

  it.each([
    ['{"in":"a place of a later release","network":"sepolia"}'],
    ['{}'],
    ['{"in":"rows","after":7}'],
    ['{"in":"rows","first":[{"networks":["sepolia"]}]}'],
  ])('a run at the unknown position %s begins again', async (position) => {
    const passes = rowsOn('baseSepolia', 'a', 0, 3);
    await publishPasses(DB, passes);
    const { deliver, visited, env } = aReconciler();
    await DB.prepare(
      "INSERT INTO runs (kind, subject, started, updated, position) VALUES ('reconciliation', '', 1, 1, ?)",
    )
      .bind(position)
      .run();
    await beginReconciliation(NIGHT * 1000, env.PASS_QUEUE);
    expect(await deliver()).toBe('acked');
    expect(visited).toEqual(passes.map(nameOf));
    expect(await lastRun(DB)).toMatchObject({ run: 1, finished: expect.any(Number) });
  });
});

describe('the rows of a network', () => {
  /** Walks over all pages. Returns the ids, and the rows that each page read. */
  async function walk(network: string, limit: number, maxVisits?: number) {
    const ids: string[] = [];
    const reads: number[] = [];
    let place: Parameters<typeof readRowsOnNetwork>[2] | undefined = {};
    while (place !== undefined) {
      const { db, ran } = recording(DB);
      const page: Awaited<ReturnType<typeof readRowsOnNetwork>> = await readRowsOnNetwork(
        { DB: db },
        network,
        place,
        limit,
        maxVisits,
      );
      expect(page.rows.length).toBeLessThanOrEqual(limit);
      expect(page.rows.every(({ key }) => key.network === network)).toBe(true);
      ids.push(...page.rows.map(({ id }) => id));
      reads.push(ran.reduce((sum, { meta }) => sum + (meta.rows_read ?? 0), 0));
      place = page.next;
    }
    return { ids, reads };
  }

  it('are each read once, whatever the size of the page and the number of gatekeeper networks', async () => {
    const states = ['ACTIVE', 'FROZEN', 'REVOKED', 'REQUESTED', 'REJECTED'] as const;
    const passes = Array.from({ length: 60 }, (_, n) =>
      aProjection(n, {
        gatekeeperNetwork: `gatekeeper-${(n * 7) % 11}`,
        network: n % 3 === 0 ? 'baseSepolia' : 'sepolia',
        state: states[n % 5] as 'ACTIVE',
      }),
    );
    await publishPasses(DB, passes);
    const wanted = passes.flatMap(({ key, id }) => (key.network === 'sepolia' ? id : [])).toSorted();
    for (const limit of [1, 2, 3, 7, 100]) {
      for (const visits of [1, 2, 5, undefined]) {
        expect((await walk('sepolia', limit, visits)).ids.toSorted(), `${limit} ${visits}`).toEqual(wanted);
      }
    }
    expect(await readRowsOnNetwork(databases, 'sepolia', { shard: SECOND }, 100)).toEqual({
      rows: [],
      next: undefined,
    });
  });

  it('cost a bounded read per page among 10,000 gatekeeper networks without a pass there', async () => {
    const others = Array.from({ length: 10_000 }, (_, n) =>
      aProjection(n, { network: 'baseSepolia', gatekeeperNetwork: `other-${String(n).padStart(5, '0')}` }),
    );
    const ours = [...rowsOn('sepolia', 'other-04999', 20_000, 150), ...rowsOn('sepolia', 'zzz', 30_000, 5)];
    await publishPasses(DB, [...others, ...ours]);
    const { ids, reads } = await walk('sepolia', 100);
    expect(ids).toEqual(ours.map(({ id }) => id));
    expect(reads.length).toBeLessThanOrEqual(13);
    // Two rows of each gatekeeper network, the rows of the page, and what the merge of the states reads ahead.
    expect(Math.max(...reads)).toBeLessThanOrEqual(2 * 1_000 + 100 + 10);
  });
});
