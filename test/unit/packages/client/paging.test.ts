import { describe, expect, it } from 'vitest';
import { createGatepass, type EventPage, PageRepeated, type Pass } from '../../../../packages/client/src/gatepass.ts';

/** Pages of an answer that is not the next one, as from a cache that ignores the query, in the iterators of the client. */

/** The requests after which a reader that makes no progress is stopped, so that the test ends. */
const REQUESTS_MAX = 50;

/**
 * A client whose service answers the n-th request with the n-th body, and repeats the last ones in a circle. `onRequest` gets the
 * number of each request.
 */
function aClient(bodies: readonly unknown[], circle = 1, onRequest?: (number: number) => void) {
  let requests = 0;
  const gatepass = createGatepass({
    baseUrl: 'https://api.example',
    token: async () => 'token',
    async fetch() {
      requests += 1;
      onRequest?.(requests);
      if (requests > REQUESTS_MAX) return Response.json({}, { status: 400 });
      const index = requests - 1;
      const start = bodies.length - circle;
      return Response.json(bodies[index < start ? index : start + ((index - start) % circle)]);
    },
  });
  return { gatepass, requests: () => requests };
}

async function read<Item>(items: AsyncIterable<Item>) {
  const found: Item[] = [];
  try {
    for await (const item of items) found.push(item);
    return { found };
  } catch (fault) {
    return { found, fault };
  }
}

const page = (sequences: readonly number[], next: number, more: boolean) =>
  ({ events: sequences.map((sequence) => ({ sequence })), next, more }) as unknown as EventPage;
const recordsOf = (...ids: string[]) => ({ records: ids.map((id) => ({ id }) as Pass) });

describe('events()', () => {
  it.each<[string, EventPage[], number, number[], number]>([
    ['repeats itself', [page([1, 2], 2, true)], 1, [1, 2], 2],
    ['repeats itself at the end of the feed', [page([1, 2], 2, false)], 1, [1, 2], 2],
    ['repeats an empty page that has more', [page([], 2, true)], 1, [], 2],
    ['goes in a circle with another', [page([1, 2], 2, true), page([3, 4], 4, true)], 2, [1, 2, 3, 4], 3],
    ['goes back', [page([1, 2], 2, true), page([3, 4], 1, true)], 1, [1, 2], 2],
    ['has its events behind its own cursor', [page([1, 2], 2, true), page([3, 4], 3, true)], 1, [1, 2], 2],
    ['has events before the cursor', [page([1, 2], 2, true), page([2, 3], 3, true)], 1, [1, 2], 2],
  ])('ends with an error as soon as a page %s', async (_, pages, circle, sequences, count) => {
    const { gatepass, requests } = aClient(pages, circle);
    const { found, fault } = await read(gatepass.events({ pollSeconds: 0.001 }));
    expect(fault).toBeInstanceOf(PageRepeated);
    expect(String(fault)).toMatch(/cache/);
    expect(found.map(({ sequence }) => sequence)).toEqual(sequences);
    expect(requests()).toBe(count);
  });

  it('waits at an empty end of the feed, and passes over pages that a filter leaves empty', async () => {
    const end = page([], 9, false);
    const pages = [page([1], 5, true), page([], 8, true), page([9], 9, false), end, end, end];
    const stop = new AbortController();
    const { gatepass } = aClient(pages, 1, (number) => {
      if (number === 9) stop.abort(new Error('enough'));
    });
    const { signal } = stop;
    const { found, fault } = await read(gatepass.events({ types: ['pass.issued'], pollSeconds: 0.001, signal }));
    expect(found.map(({ sequence }) => sequence)).toEqual([1, 9]);
    expect(fault).toMatchObject({ message: 'enough' });
  });
});

describe('one page', () => {
  it('is refused if it is not the page after the cursor, so that loops of callers end too', async () => {
    const { gatepass } = aClient([page([1, 2], 2, true)]);
    await expect(gatepass.eventPage({ after: 2 })).rejects.toBeInstanceOf(PageRepeated);
    expect(await gatepass.eventPage({ after: 0 })).toMatchObject({ next: 2 });
    expect(await gatepass.eventPage()).toMatchObject({ next: 2 });
    const { gatepass: newest } = aClient([page([], 7, false)]);
    expect(await newest.newestSequence()).toBe(7);
    expect(await newest.eventPage({ after: 7 })).toMatchObject({ events: [], next: 7 });
  });
});

describe('passes()', () => {
  it.each<[string, ReturnType<typeof recordsOf>[], number, string[], number]>([
    ['repeats itself', [recordsOf('d', 'c')], 1, ['d', 'c'], 2],
    ['goes in a circle with another', [recordsOf('d', 'c'), recordsOf('b', 'a')], 2, ['d', 'c', 'b', 'a'], 3],
  ])('ends with an error as soon as a page %s', async (_, pages, circle, ids, count) => {
    const { gatepass, requests } = aClient(pages, circle);
    const { found, fault } = await read(gatepass.passes({}, { pageSize: 2 }));
    expect(fault).toBeInstanceOf(PageRepeated);
    expect(found.map(({ id }) => id)).toEqual(ids);
    expect(requests()).toBe(count);
  });

  it('ends at a page that is not full', async () => {
    const { gatepass } = aClient([recordsOf('d', 'c'), recordsOf('b', 'a'), recordsOf()]);
    const { found, fault } = await read(gatepass.passes({}, { pageSize: 2 }));
    expect([found.map(({ id }) => id), fault]).toEqual([['d', 'c', 'b', 'a'], undefined]);
  });
});
