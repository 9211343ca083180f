import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../../src/counts/counted.ts';
import type { Batch } from '../../../src/counts/counts.ts';
import { LABELED_MAX } from '../../../src/metrics-object/busiest.ts';
import { eventually } from '../../eventually.ts';

const { METRICS } = env as Env;

const anObject = () => METRICS.getByName(crypto.randomUUID());
const requestsOf = (partner: string) => keyOf('requests', ['/pass', 'GET', '2xx', partner]);
const aBatch = (counts: Batch['counts'], batch: Partial<Batch> = {}): Batch => ({
  isolate: crypto.randomUUID(),
  n: 1,
  counts,
  ...batch,
});

/** Returns the keys that the object stores from now on. */
async function recordPuts(object: ReturnType<typeof anObject>): Promise<readonly string[]> {
  const puts: string[] = [];
  await runInDurableObject(object, (_, { storage: { kv } }) => {
    const put = kv.put.bind(kv);
    kv.put = (key, value) => {
      put(key, value);
      puts.push(key);
    };
  });
  return puts;
}

async function restart(object: ReturnType<typeof anObject>): Promise<void> {
  await runInDurableObject(object, (_, { storage }) => storage.sync());
  await evictDurableObject(object);
}

describe('the metrics object', () => {
  it('adds up the counts of many isolates that send at once', async () => {
    const object = anObject();
    const refusals = keyOf('refusals', ['rate_limited']);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => object.add(aBatch({ [refusals]: 2, [requestsOf('acme')]: index + 1 }))),
    );
    expect((await object.read()).counts).toEqual({ [refusals]: 100, [requestsOf('acme')]: 1_275 });
  });

  it('adds a batch once, however often it arrives, and the next batch of the isolate too', async () => {
    const object = anObject();
    const isolate = crypto.randomUUID();
    for (const n of [1, 1, 2, 1, 2]) await object.add(aBatch({ [requestsOf('')]: 5 }, { isolate, n }));
    expect((await object.read()).counts).toEqual({ [requestsOf('')]: 10 });
  });

  it('labels a hundred partners, and counts the requests of the others together', async () => {
    const object = anObject();
    const counts = Object.fromEntries(
      Array.from({ length: LABELED_MAX + 20 }, (_, index) => [requestsOf(`p${index}`), 1_000 - index]),
    );
    await object.add(aBatch(counts));
    const sums = await object.read();
    expect(sums.partners).toHaveLength(LABELED_MAX);
    expect(Object.keys(sums.counts)).toHaveLength(LABELED_MAX + 1);
    const others = Array.from({ length: 20 }, (_, index) => 900 - index).reduce((sum, each) => sum + each, 0);
    expect(sums.counts[requestsOf('other')]).toBe(others);
  });

  it('ends the sums of a partner that others displace, and adds them to nothing', async () => {
    const object = anObject();
    await object.add(aBatch({ [requestsOf('small')]: 1 }));
    await object.add(
      aBatch(Object.fromEntries(Array.from({ length: LABELED_MAX }, (_, index) => [requestsOf(`p${index}`), 50]))),
    );
    await object.add(aBatch({ [requestsOf('small')]: 1 }));
    const { counts } = await object.read();
    expect(counts[requestsOf('small')]).toBeUndefined();
    expect(counts[requestsOf('other')]).toBe(1);
  });

  it('keeps a bounded number of sums, and still adds to the sums that it has', async () => {
    const object = anObject();
    const flood = Object.fromEntries(
      Array.from({ length: 30_000 }, (_, index) => [keyOf('refusals', [`${index}`]), 1]),
    );
    await object.add(aBatch(flood));
    await object.add(aBatch({ [keyOf('refusals', ['0'])]: 1, [keyOf('refusals', ['new'])]: 1 }));
    const { counts } = await object.read();
    expect(Object.keys(counts)).toHaveLength(20_000);
    expect(counts[keyOf('refusals', ['0'])]).toBe(2);
  });

  it('writes one row for all batches of some seconds, and has the sums after a restart', async () => {
    const object = anObject();
    const isolate = crypto.randomUUID();
    const puts = await recordPuts(object);
    for (let n = 1; n <= 20; n += 1) await object.add(aBatch({ [requestsOf('acme')]: 1 }, { isolate, n }));
    await eventually(() => expect(puts).toEqual(['sums']));
    await restart(object);
    expect(await object.read()).toMatchObject({ counts: { [requestsOf('acme')]: 20 }, partners: ['acme'] });
    await object.add(aBatch({ [requestsOf('acme')]: 1 }, { isolate, n: 20 }));
    expect((await object.read()).counts).toEqual({ [requestsOf('acme')]: 20 });
  });

  it('can store the sums of as many partners as it keeps, with ids as long as they can be', async () => {
    const object = anObject();
    const puts = await recordPuts(object);
    const partners = Array.from({ length: 1_000 }, (_, index) => `${index}`.padEnd(256, 'x'));
    await object.add(aBatch(Object.fromEntries(partners.map((each) => [requestsOf(each), 1]))));
    const ofPartner = (partner: string) =>
      Array.from({ length: 200 }, (_, index) => [keyOf('requests', [`/route/${index}`, 'GET', '2xx', partner]), 1]);
    const { partners: labeled } = await object.read();
    await object.add(aBatch(Object.fromEntries(labeled.flatMap(ofPartner))));
    const { counts } = await object.read();
    expect(Object.keys(counts).length).toBeGreaterThan(1_000);
    await eventually(() => expect(puts).toEqual(['sums']));
    await restart(object);
    expect((await object.read()).counts).toEqual(counts);
  });
});
