import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createGatepass, type FeedEvent } from '../../../packages/client/src/gatepass.ts';
import { FEED_TYPES, type FeedType } from '../../../src/pass/vocabulary.ts';
import { deleteEvents } from '../../../src/store/feed.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { eventually } from '../../eventually.ts';
import { aFedProjection } from '../store/rows.ts';
import { aPartner, aToken, trustingWorker } from './issuer.ts';

/** The client reads the feed of the real service. */

const { DB } = env as Env;
const HUGE_SECONDS = 2 ** 40;

let passes = 0;

/** A client of a new partner. It lists the queries that it sends. */
async function aReader() {
  const { clientId, gatekeeperNetwork } = await aPartner();
  const queries: string[] = [];
  const gatepass = createGatepass({
    baseUrl: 'https://api.example',
    token: () => aToken({ client_id: clientId }),
    async fetch(url, init) {
      queries.push(new URL(url).search);
      return trustingWorker(new Request(url, init));
    },
  });
  /** Publishes a new pass with these events. */
  const feed = async (...types: FeedType[]) => {
    passes += 1;
    await publishPasses(DB, [aFedProjection(passes, types, { gatekeeperNetwork })]);
  };
  const deleteOldest = (count: number) => deleteEvents(DB, [gatekeeperNetwork], HUGE_SECONDS, count);
  return { gatepass, queries, feed, deleteOldest };
}

async function sequencesOf(events: AsyncIterable<FeedEvent>): Promise<number[]> {
  const found: number[] = [];
  for await (const { sequence } of events) found.push(sequence);
  return found;
}

describe('events()', () => {
  it('reads all pages in order, and stops at the end if it does not follow', async () => {
    const { gatepass, queries, feed } = await aReader();
    await feed('pass.issued', 'pass.frozen', 'pass.unfrozen', 'pass.frozen', 'pass.revoked');
    expect(await sequencesOf(gatepass.events({ pageSize: 2, follow: false }))).toEqual([1, 2, 3, 4, 5]);
    expect(queries).toEqual(['?limit=2', '?after=2&limit=2', '?after=4&limit=2']);
  });

  it('continues after the sequence that the caller stored', async () => {
    const { gatepass, feed } = await aReader();
    await feed('pass.issued', 'pass.frozen', 'pass.unfrozen');
    let stored = 0;
    for await (const { sequence } of gatepass.events()) {
      stored = sequence;
      if (sequence === 2) break;
    }
    expect(await sequencesOf(gatepass.events({ after: stored, follow: false }))).toEqual([3]);
  });

  it('follows the feed from the newest event until the signal aborts', async () => {
    const { gatepass, queries, feed } = await aReader();
    await feed('pass.issued');
    const stop = new AbortController();
    const events = gatepass.events({ after: 'newest', pollSeconds: 0.02, signal: stop.signal });
    const next = events.next();
    await eventually(() => expect(queries.length).toBeGreaterThan(2));
    await feed('pass.issued', 'pass.revoked');
    expect((await next).value).toMatchObject({ sequence: 2, type: 'pass.issued' });
    expect((await events.next()).value).toMatchObject({ sequence: 3, type: 'pass.revoked' });
    const last = events.next();
    stop.abort(new Error('enough'));
    await expect(last).rejects.toThrow('enough');
    expect(queries.slice(0, 2)).toEqual(['?after=newest&limit=1000', '?after=1&limit=1000']);
  });

  it('returns only events of the wanted types and notices, and passes over the others', async () => {
    const { gatepass, queries, feed } = await aReader();
    await feed(...FEED_TYPES);
    const types = ['pass.issued', 'pass.expired'] as const;
    expect(await sequencesOf(gatepass.events({ types, pageSize: 1, follow: false }))).toEqual([1, 11, 12]);
    expect(queries[0]).toBe('?type=pass.issued,pass.expired&limit=1');
  });

  it('throws cursor_expired with the oldest sequence, from which it can continue', async () => {
    const { gatepass, feed, deleteOldest } = await aReader();
    await feed('pass.issued', 'pass.frozen', 'pass.unfrozen');
    await deleteOldest(2);
    const fault = await sequencesOf(gatepass.events({ after: 0 })).catch((thrown) => thrown);
    expect(fault).toMatchObject({ name: 'GatepassProblem', status: 410, code: 'cursor_expired', oldest: 3 });
    expect(await sequencesOf(gatepass.events({ after: fault.oldest - 1, follow: false }))).toEqual([3]);
    expect(await sequencesOf(gatepass.events({ follow: false }))).toEqual([3]);
  });
});

describe('a cache between client and service', () => {
  it('ends the iterator with an error instead of an endless loop', async () => {
    const { clientId, gatekeeperNetwork } = await aPartner();
    await publishPasses(DB, [
      aFedProjection(901, ['pass.issued', 'pass.frozen', 'pass.revoked'], { gatekeeperNetwork }),
    ]);
    let kept: Promise<Response> | undefined;
    let requests = 0;
    const gatepass = createGatepass({
      baseUrl: 'https://api.example',
      token: () => aToken({ client_id: clientId }),
      async fetch(url, init) {
        requests += 1;
        if (requests > 20) throw new TypeError('the test stops an endless loop');
        kept ??= trustingWorker(new Request(url, init));
        return (await kept).clone();
      },
      retries: { times: 0 },
    });
    const found: number[] = [];
    const reading = (async () => {
      for await (const { sequence } of gatepass.events({ pageSize: 2, pollSeconds: 0 })) found.push(sequence);
    })();
    await expect(reading).rejects.toMatchObject({ name: 'PageRepeated' });
    expect([found, requests]).toEqual([[1, 2], 2]);
  });
});

describe('one page', () => {
  it('has the cursor of the next page, which is beyond the last event if there is a filter', async () => {
    const { gatepass, feed } = await aReader();
    await feed('pass.issued', 'pass.frozen', 'pass.unfrozen');
    expect(await gatepass.eventPage({ types: ['pass.issued'] })).toMatchObject({
      events: [{ sequence: 1, type: 'pass.issued', data: { pass: { chain: expect.any(Object) } } }],
      next: 3,
      more: false,
    });
    expect(await gatepass.eventPage({ limit: 2 })).toMatchObject({ next: 2, more: true });
    expect(await gatepass.eventPage({ after: 2 })).toMatchObject({ next: 3, more: false });
  });

  it('newestSequence is 0 for an empty feed, and the last sequence otherwise', async () => {
    const { gatepass, feed } = await aReader();
    expect(await gatepass.newestSequence()).toBe(0);
    await feed('pass.issued', 'pass.frozen');
    expect(await gatepass.newestSequence()).toBe(2);
  });
});
