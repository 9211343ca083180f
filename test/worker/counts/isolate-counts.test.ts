import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { keyOf, partsOf } from '../../../src/counts/counted.ts';
import { type Batch, IsolateCounts } from '../../../src/counts/counts.ts';
import { HOUR_MS } from '../../../src/lib/units.ts';
import { eventually } from '../../eventually.ts';

const A = keyOf('refusals', ['a']);

/** A metrics object that records the batches, and fails or hangs as the test wants. */
function aReceiver() {
  const batches: Batch[] = [];
  const state = { isAway: false, losesAnswers: false, holds: Promise.resolve() };
  const add = async (batch: Batch) => {
    if (state.isAway) throw new Error('the object is away');
    batches.push(batch);
    await state.holds;
    if (state.losesAnswers) throw new Error('the answer got lost');
  };
  const METRICS = { getByName: () => ({ add }) } as unknown as Env['METRICS'];
  return { batches, state, env: { ...env, METRICS } as Env };
}

const soon = (check: () => void) => eventually(check, 5);

describe('the counts of an isolate', () => {
  it('are sent together after some time, and then only further ones', async () => {
    const { batches, env } = aReceiver();
    const counts = new IsolateCounts(20);
    for (let requests = 0; requests < 5; requests += 1) {
      counts.add(A, 1);
      counts.sendSoon(env);
    }
    expect(batches).toEqual([]);
    await soon(() => expect(batches).toMatchObject([{ n: 1, counts: { [A]: 5 } }]));
    counts.sendSoon(env);
    counts.add(A, 2);
    counts.sendSoon(env);
    await soon(() => expect(batches).toMatchObject([{ n: 1 }, { n: 2, counts: { [A]: 2 } }]));
    expect(new Set(batches.map(({ isolate }) => isolate)).size).toBe(1);
  });

  it('are kept while the object is away, and added later', async () => {
    const { batches, state, env } = aReceiver();
    const counts = new IsolateCounts(0);
    state.isAway = true;
    counts.add(A, 1);
    counts.sendSoon(env);
    await soon(() => {
      counts.sendSoon(env);
      expect(counts.isAway).toBe(true);
    });
    counts.add(A, 3);
    state.isAway = false;
    await soon(() => {
      counts.sendSoon(env);
      expect(batches.reduce((sum, { counts: { [A]: n = 0 } }) => sum + n, 0)).toBe(4);
    });
  });

  it('are sent again unchanged if the answer gets lost, so that the object can tell', async () => {
    const { batches, state, env } = aReceiver();
    const counts = new IsolateCounts(0);
    state.losesAnswers = true;
    counts.add(A, 1);
    counts.sendSoon(env);
    await soon(() => expect(batches).toHaveLength(1));
    counts.add(A, 1);
    await soon(() => {
      counts.sendSoon(env);
      expect(batches).toHaveLength(2);
    });
    expect(batches[1]).toEqual(batches[0]);
  });

  it('are sent without another event, also those that an event counts while a batch is on its way', async () => {
    const { batches, state, env } = aReceiver();
    const counts = new IsolateCounts(20);
    const held = Promise.withResolvers<void>();
    state.holds = held.promise;
    counts.add(A, 1);
    counts.sendSoon(env);
    await soon(() => expect(batches).toHaveLength(1));
    counts.add(A, 2);
    counts.sendSoon(env);
    held.resolve();
    await soon(() =>
      expect(batches).toMatchObject([
        { n: 1, counts: { [A]: 1 } },
        { n: 2, counts: { [A]: 2 } },
      ]),
    );
    expect(counts.size).toBe(0);
  });

  it('of an object are sent at once, and between two sendings they stay until its next event', async () => {
    const { batches, env } = aReceiver();
    const counts = new IsolateCounts(HOUR_MS);
    const addNow = (by: number) => {
      counts.add(A, by);
      counts.sendNow(env);
    };
    vi.useFakeTimers({ toFake: ['Date'] });
    const began = Date.now();
    addNow(1);
    await soon(() => expect(batches).toMatchObject([{ n: 1, counts: { [A]: 1 } }]));
    // Lets the answer arrive.
    await scheduler.wait(0);
    vi.setSystemTime(began + HOUR_MS - 1);
    addNow(2);
    expect(counts.size).toBe(1);
    vi.setSystemTime(began + HOUR_MS);
    addNow(4);
    await soon(() => expect(batches).toMatchObject([{ n: 1 }, { n: 2, counts: { [A]: 6 } }]));
    vi.useRealTimers();
  });

  it('are bounded, however long the object is away', () => {
    const counts = new IsolateCounts(0);
    for (let index = 0; index < 20_000; index += 1) counts.add(keyOf('refusals', [`${index}`]), 1);
    expect(counts.isFull).toBe(true);
    expect(counts.size).toBe(5_000);
  });

  it('do not disturb anything if the deployment has no metrics object', () => {
    const counts = new IsolateCounts(0);
    counts.add(A, 1);
    expect(() => counts.sendSoon({ METRICS: undefined as never })).not.toThrow();
  });
});

it('a key has the name and the labels of its count', () => {
  const labels = ['/pass/:chain', 'GET', '2xx', 'a "partner"\\'];
  expect(partsOf(keyOf('requests', labels))).toEqual({ name: 'requests', labels });
});
