import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { type FeedPage, nameEvents, readFeed } from '../../../src/store/feed.ts';
import { correctRow, type Publication, publishPasses } from '../../../src/store/passes.ts';
import { findPass, type Search, searchPasses } from '../../../src/store/search.ts';
import { recording } from './recorder.ts';
import { aFedProjection, aProjection, idOf } from './rows.ts';

/** The reference of a pass in the read model and in the feed, and the rows that it costs. */

const { DB } = env as Env;

let passes = 700_000;
const newPass = () => {
  passes += 1;
  return passes;
};
let networks = 0;
const newNetwork = () => {
  networks += 1;
  return `references${networks}`;
};

/** Returns the publication with another reference in its record, and in its events as a pass object stores them. */
function named(publication: Publication, reference: string | undefined): Publication {
  const record = JSON.stringify({ ...JSON.parse(publication.record), reference });
  const events = publication.events.map((event) => {
    const { data, ...rest } = JSON.parse(event.body);
    const pass = { ...data.pass, ...(reference !== undefined && { reference: '' }) };
    return { ...event, body: JSON.stringify({ ...rest, data: { ...data, pass } }) };
  });
  return { ...publication, record, events };
}

/** Publishes the passes, and returns the rows that the database wrote. */
async function write(...publications: Publication[]): Promise<number> {
  const { db, ran } = recording(DB);
  await publishPasses(db, publications);
  return ran.reduce((sum, { meta }) => sum + meta.rows_written, 0);
}

async function search(wanted: Partial<Search>) {
  const { db, ran } = recording(DB);
  const { passes: records } = await searchPasses(db, { gatekeeperNetwork: 'ours', limit: 20, skip: 0, ...wanted });
  return { ids: records.map(({ record }) => JSON.parse(record).id as string), rowsRead: ran[0]?.meta.rows_read };
}

async function eventsOf(gatekeeperNetwork: string, types?: ['pass.frozen']) {
  const page = (await readFeed(DB, { gatekeeperNetwork, after: 0, limit: 100, types })) as FeedPage;
  return page.events.map(({ body }) => JSON.parse(body));
}

describe('the rows that a pass with a reference writes', () => {
  it('are one more when it is new, and none more for each later version', async () => {
    // The first row of an empty table counts twice.
    await write(aProjection(newPass()));
    const [without, number] = [newPass(), newPass()];
    const versions = [
      { version: 1, state: 'REQUESTED' },
      { version: 2, state: 'REQUESTED' },
      { version: 3, state: 'ACTIVE' },
      { version: 4, state: 'ACTIVE' },
    ] as const;
    const more: number[] = [];
    for (const version of versions) {
      const plain = await write(aProjection(without, version));
      more.push((await write(named(aProjection(number, version), 'order-4711'))) - plain);
    }
    expect(more).toEqual([1, 0, 0, 0]);
  });

  it('are three more for the version that changes the reference: the row again, and the index', async () => {
    const [without, number] = [newPass(), newPass()];
    await write(aProjection(without), named(aProjection(number), 'order-1'));
    const plain = await write(aProjection(without, { version: 2 }));
    expect((await write(named(aProjection(number, { version: 2 }), 'order-2'))) - plain).toBeLessThanOrEqual(3);
  });
});

describe('the row of a pass', () => {
  const found = async (reference: string) => (await search({ reference })).ids;

  it('has the reference of its record, whatever version and whatever statement wrote it', async () => {
    const number = newPass();
    const version = (version: number, reference?: string) => named(aProjection(number, { version }), reference);
    await write(version(2, 'row-a'));
    expect(await found('row-a')).toEqual([idOf(number)]);
    await write(version(1, 'row-b'));
    expect([await found('row-a'), await found('row-b')]).toEqual([[idOf(number)], []]);
    await write(named(aProjection(number, { version: 3, state: 'FROZEN' }), 'row-c'));
    expect([await found('row-a'), await found('row-c')]).toEqual([[], [idOf(number)]]);
    await correctRow(DB, version(2, 'row-d'), 3);
    expect([await found('row-c'), await found('row-d')]).toEqual([[], [idOf(number)]]);
    await write(version(4));
    expect(await found('row-d')).toEqual([]);
    expect((await findPass(DB, version(4).key))?.record).toBe(version(4).record);
  });

  it('has the reference of the new pass object if its wallet got a new id', async () => {
    const [first, second] = [newPass(), newPass()];
    const { wallet } = aProjection(first).key;
    await write(named(aProjection(first), 'lost'));
    await write(named(aProjection(second, { wallet }), 'found'));
    expect([await found('lost'), await found('found')]).toEqual([[], [idOf(second)]]);
  });
});

describe('a search for a reference', () => {
  it('finds exactly it, as a text, in one gatekeeper network', async () => {
    const texts = ['%', '_', '1', '1.0', 'a', 'A', 'ä', 'a\u0308', "'", '"', '\\', '\u{1F600}', 'null', '🧑🏽‍🚀'];
    const [ours, theirs] = [newNetwork(), newNetwork()];
    const numbers = texts.map(() => newPass());
    const inNetwork = (gatekeeperNetwork: string) =>
      texts.map((text, index) => named(aProjection(numbers[index] as number, { gatekeeperNetwork }), text));
    await write(...inNetwork(ours), ...inNetwork(theirs));
    for (const [index, reference] of texts.entries()) {
      const { ids } = await search({ gatekeeperNetwork: ours, reference });
      expect(ids, reference).toEqual([idOf(numbers[index] as number)]);
    }
    expect((await search({ gatekeeperNetwork: newNetwork(), reference: 'a' })).ids).toEqual([]);
  });

  it('costs its page at any depth, also if many passes have the same reference', async () => {
    const gatekeeperNetwork = newNetwork();
    const numbers = Array.from({ length: 300 }, newPass);
    await write(...numbers.map((number) => named(aProjection(number, { gatekeeperNetwork }), 'campaign')));
    const newestFirst = numbers.map(idOf).toReversed();
    for (const depth of [0, 100, 290]) {
      const after = newestFirst[depth - 1];
      const { ids, rowsRead } = await search({ gatekeeperNetwork, reference: 'campaign', after });
      expect(ids).toEqual(newestFirst.slice(depth, depth + 20));
      // Each pass counts once in the index and once in the table.
      expect(rowsRead).toBeLessThanOrEqual(2 * 20 + 2);
    }
  });
});

describe('an event of a pass with a reference', () => {
  it('shows the newest one, and none once it is removed; an earlier event shows none', async () => {
    const gatekeeperNetwork = newNetwork();
    const number = newPass();
    const at = (version: number, reference?: string) => {
      const fed = aFedProjection(number, Array(version).fill('pass.frozen'), { gatekeeperNetwork, version });
      const publication = named({ ...fed, events: fed.events.slice(-1) }, reference);
      return { ...publication, version };
    };
    const shown = async () => (await eventsOf(gatekeeperNetwork)).map(({ data }) => data.pass.reference);
    const plain = at(1);
    await write(plain);
    expect(await eventsOf(gatekeeperNetwork)).toEqual([JSON.parse(plain.events[0]?.body ?? '')]);
    await write(at(2, 'order-1'));
    expect(await shown()).toEqual([undefined, 'order-1']);
    await write(at(3, 'order-2'));
    expect(await shown()).toEqual([undefined, 'order-2', 'order-2']);
    expect(JSON.stringify(await eventsOf(gatekeeperNetwork, ['pass.frozen']))).toContain('order-2');
    await write(at(4));
    expect(await shown()).toEqual([undefined, undefined, undefined, undefined]);
    for (const { data } of await eventsOf(gatekeeperNetwork)) expect(data.pass).not.toHaveProperty('reference');
    const { results } = await DB.prepare('SELECT body FROM events WHERE gatekeeper_network = ?')
      .bind(gatekeeperNetwork)
      .all();
    expect(JSON.stringify(results)).not.toContain('order-');
  });

  it('is the same event except for the reference, in each row that a reader gets', async () => {
    const gatekeeperNetwork = newNetwork();
    const publication = named(aFedProjection(newPass(), ['pass.issued'], { gatekeeperNetwork }), 'a"\\😀');
    await write(publication);
    const stored = publication.events[0]?.body ?? '';
    const [event] = await eventsOf(gatekeeperNetwork);
    expect(event).toEqual({
      ...JSON.parse(stored),
      data: { ...JSON.parse(stored).data, pass: { ...JSON.parse(stored).data.pass, reference: 'a"\\😀' } },
    });
    // The store inserts further members after the id.
    const bodies = [stored, '{"id":"deleted.1"}', stored.replace(',', ',"sequence":7,'), '{}'];
    const answered = await nameEvents(DB, { gatekeeperNetwork, bodies });
    expect(answered.map((body) => JSON.parse(body).data?.pass.reference)).toEqual([
      'a"\\😀',
      undefined,
      'a"\\😀',
      undefined,
    ]);
    expect([answered[1], answered[3]]).toEqual([bodies[1], bodies[3]]);
    const elsewhere = await nameEvents(DB, { gatekeeperNetwork: newNetwork(), bodies: [stored] });
    expect(JSON.parse(elsewhere[0] ?? '').data.pass).not.toHaveProperty('reference');
  });

  it('costs a page of the feed one more row read; an event of another pass costs none', async () => {
    const gatekeeperNetwork = newNetwork();
    const plain = Array.from({ length: 50 }, () => aFedProjection(newPass(), ['pass.issued'], { gatekeeperNetwork }));
    const others = plain.slice(0, 3).map((_, index) => {
      return named(aFedProjection(newPass(), ['pass.issued'], { gatekeeperNetwork }), `order-${index}`);
    });
    const rowsRead = async () => {
      const { db, ran } = recording(DB);
      await readFeed(db, { gatekeeperNetwork, after: 0, limit: 100 });
      return ran.reduce((sum, { meta }) => sum + meta.rows_read, 0);
    };
    await write(...plain);
    const before = await rowsRead();
    expect(before).toBeLessThanOrEqual(50 + 5);
    await write(...others);
    expect((await rowsRead()) - before).toBeLessThanOrEqual(2 * others.length);
  });
});
