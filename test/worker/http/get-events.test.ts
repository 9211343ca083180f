import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FEED_TYPES, type FeedType } from '../../../src/pass/vocabulary.ts';
import { deleteEvents } from '../../../src/store/feed.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { expectProblem } from '../../problem.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { ReplicatedDatabase } from '../store/replicated-database.ts';
import { aFedProjection } from '../store/rows.ts';
import { failing, hanging, UnreliableDatabase } from '../store/unreliable.ts';
import { type Api, QUEUE_THAT_FAILS, workerWith } from './api.ts';
import { aPartner, TRUSTING } from './issuer.ts';

/** The event feed as a partner reads it. */

const { DB } = env as Env;
const quiet = workerWith({ ...TRUSTING, PASS_QUEUE: QUEUE_THAT_FAILS });
const errors = vi.spyOn(console, 'error').mockReturnValue();
beforeEach(() => void errors.mockClear());

interface Page {
  readonly events: readonly { id: string; sequence: number; type: string; data?: { pass: { state: string } } }[];
  readonly next: number;
  readonly more: boolean;
}
const ask = (api: Api, query = '', bookmark?: string) =>
  api.call('GET', `/events${query}`, { headers: bookmark === undefined ? {} : { 'gatepass-bookmark': bookmark } });
const pageOf = async (api: Api, query?: string, bookmark?: string) => {
  const answer = await ask(api, query, bookmark);
  expect(answer.status, answer.text).toBe(200);
  return JSON.parse(answer.text) as Page;
};
const sequencesOf = ({ events }: Page) => events.map(({ sequence }) => sequence);

let passes = 0;
/** Publishes a new pass with these events. */
async function feed({ gatekeeperNetwork }: { gatekeeperNetwork: string }, types: readonly FeedType[], db = DB) {
  passes += 1;
  const publication = aFedProjection(passes, types, { gatekeeperNetwork });
  await publishPasses(db, [publication]);
  return publication;
}

describe('GET /events', () => {
  it('returns the events in order, page by page, with a bookmark', async () => {
    const api = await aPartner({ send: quiet });
    const { id } = await feed(api, ['pass.issued', 'pass.frozen', 'pass.unfrozen']);
    const first = await ask(api, '?limit=2');
    expect(first.headers.get('gatepass-bookmark')).toMatch(/^DB\./);
    const page = JSON.parse(first.text) as Page;
    expect(page).toMatchObject({
      events: [
        { id: `${id}.1`, sequence: 1, type: 'pass.issued' },
        { id: `${id}.2`, sequence: 2, type: 'pass.frozen' },
      ],
      next: 2,
      more: true,
    });
    expect(Object.keys(page.events[0] ?? {})).toEqual(['id', 'sequence', 'type', 'timestamp', 'data']);
    expect(await pageOf(api, '?after=2')).toMatchObject({ events: [{ sequence: 3 }], next: 3, more: false });
    expect(await pageOf(api, '?after=3')).toEqual({ events: [], next: 3, more: false });
    expect(await pageOf(api, '?after=999999999999999')).toEqual({ events: [], next: 999_999_999_999_999, more: false });
    expect(await pageOf(api, '?after=newest')).toEqual({ events: [], next: 3, more: false });
  });

  it('is empty for a partner whose passes never had an event, and ends at 0', async () => {
    const api = await aPartner({ send: quiet });
    expect(await pageOf(api)).toEqual({ events: [], next: 0, more: false });
    expect(await pageOf(api, '?after=newest')).toEqual({ events: [], next: 0, more: false });
  });

  it('returns only events of the wanted types and notices, and names the last sequence that it read', async () => {
    const api = await aPartner({ send: quiet });
    await feed(api, FEED_TYPES);
    expect(sequencesOf(await pageOf(api, '?type=pass.issued,pass.expired'))).toEqual([1, 11, 12]);
    expect(await pageOf(api, '?type=pass.issued&after=1')).toMatchObject({
      events: [{ sequence: 12, type: 'feed.restored' }],
      next: 14,
      more: false,
    });
    expect(await pageOf(api, '?type=pass.issued&after=12')).toEqual({ events: [], next: 14, more: false });
    expect(await pageOf(api, '?type=pass.frozen,pass.revoked&limit=1')).toMatchObject({
      events: [{ sequence: 3 }],
      next: 3,
      more: true,
    });
    expect((await pageOf(api, '?limit=1000')).events).toHaveLength(14);
  });

  it.each([
    ['?after=-1', '/after'],
    ['?after=', '/after'],
    ['?after=1.5', '/after'],
    ['?after=0x1', '/after'],
    ['?after=1e3', '/after'],
    ['?after=1234567890123456', '/after'],
    ['?after=Newest', '/after'],
    ['?after=%201', '/after'],
    ['?after=%D9%A1', '/after'],
    ['?limit=0', '/limit'],
    ['?limit=1001', '/limit'],
    ['?limit=ten', '/limit'],
    ['?type=', '/type'],
    ['?type=pass.issued,', '/type'],
    ['?type=pass.issued, pass.frozen', '/type'],
    ['?type=pass.melted', '/type'],
    ['?type=toString', '/type'],
    ['?gatekeeperNetwork=x', '/gatekeeperNetwork'],
    ['?after=1&after=2', ''],
  ])('refuses the query %s', async (query, pointer) => {
    const api = await aPartner({ send: quiet });
    const { errors: [error] = [] } = expectProblem(await ask(api, query), 'invalid_request', { pointers: [pointer] });
    if (pointer === '/type') for (const type of FEED_TYPES) expect(error?.detail).toContain(type);
  });

  it('refuses a cursor whose next events are deleted with the oldest sequence, from which a reader continues', async () => {
    const api = await aPartner({ send: quiet });
    await feed(api, ['pass.issued', 'pass.frozen', 'pass.unfrozen']);
    await deleteEvents(DB, [api.gatekeeperNetwork], 2 ** 40, 2);
    const { oldest = 0 } = expectProblem(await ask(api, '?after=1'), 'cursor_expired');
    expect(oldest).toBe(3);
    expect(sequencesOf(await pageOf(api, `?after=${oldest - 1}`))).toEqual([3]);
    expect(sequencesOf(await pageOf(api))).toEqual([3]);
    await deleteEvents(DB, [api.gatekeeperNetwork], 2 ** 40, 2);
    expect(expectProblem(await ask(api, '?after=2'), 'cursor_expired').oldest).toBe(4);
    expect(await pageOf(api, '?after=3')).toEqual({ events: [], next: 3, more: false });
    expect(await pageOf(api, '?after=newest')).toEqual({ events: [], next: 3, more: false });
  });

  it('shows each gatekeeper network its own events, under numbers that reveal nothing about others', async () => {
    const [ours, theirs] = [await aPartner({ send: quiet }), await aPartner({ send: quiet })];
    const both = [aFedProjection(9_001, ['pass.issued'], ours), aFedProjection(9_002, ['pass.issued'], theirs)];
    await publishPasses(DB, both);
    for (let count = 0; count < 5; count += 1) await feed(theirs, ['pass.issued', 'pass.revoked']);
    const before = await ask(ours);
    await feed(ours, ['pass.issued', 'pass.frozen']);
    expect(sequencesOf(JSON.parse(before.text))).toEqual([1]);
    const [own, other] = [await pageOf(ours), await pageOf(theirs)];
    expect([sequencesOf(own), own.next]).toEqual([[1, 2, 3], 3]);
    expect(other.next).toBe(11);
    expect(JSON.stringify(own)).not.toContain(theirs.gatekeeperNetwork);
    expect(JSON.stringify(other)).not.toContain(ours.gatekeeperNetwork);
    expect(await pageOf(ours, '?after=newest')).toMatchObject({ next: 3 });
  });

  it('reads the feed from the shard of the partner', async () => {
    const api = await aPartner({ shard: SECOND, send: quiet });
    await feed(api, ['pass.issued'], second);
    await expect(feed(api, ['pass.frozen', 'pass.frozen'], DB)).rejects.toThrow('gatekeeper_network_moves');
    const answer = await ask(api);
    expect(JSON.parse(answer.text)).toMatchObject({ events: [{ type: 'pass.issued' }], next: 1, more: false });
    expect(answer.headers.get('gatepass-bookmark')).toMatch(/^DB_1\./);
  });

  it.each([
    ['unavailable', failing('D1_ERROR: Network connection lost.')],
    ['hanging', hanging],
  ])('answers 503 while D1 is %s', async (_, manner) => {
    const database = new UnreliableDatabase();
    const api = await aPartner({ send: workerWith({ ...TRUSTING, DB: database }) });
    expect((await ask(api)).status).toBe(200);
    database.manner = manner;
    for (const query of ['', '?after=newest']) expectProblem(await ask(api, query), 'temporarily_unavailable');
  });
});

describe('the feed on a lagging replica', () => {
  it('skips no event: a late replica returns an earlier end, and a bookmark reads at least its version', async () => {
    const replicated = new ReplicatedDatabase();
    const api = await aPartner({ send: workerWith({ ...TRUSTING, PASS_QUEUE: QUEUE_THAT_FAILS, DB: replicated }) });
    const write = () => feed(api, ['pass.issued', 'pass.frozen'], replicated as unknown as D1Database);
    await write();
    await replicated.catchUp();
    await write();
    const late = await pageOf(api);
    expect([sequencesOf(late), late.next, late.more]).toEqual([[1, 2], 2, false]);
    expect(await pageOf(api, '?after=newest')).toMatchObject({ next: 2 });
    expect(await pageOf(api, '?after=4')).toEqual({ events: [], next: 4, more: false });

    const current = await ask(api, `?after=${late.next}`, 'first-primary');
    expect(sequencesOf(JSON.parse(current.text))).toEqual([3, 4]);
    const bookmark = current.headers.get('gatepass-bookmark') as string;
    expect(sequencesOf(await pageOf(api, '', bookmark))).toEqual([1, 2, 3, 4]);
    expect(await pageOf(api, '?after=newest', bookmark)).toMatchObject({ next: 4 });
    await replicated.catchUp();
    expect(sequencesOf(await pageOf(api, `?after=${late.next}`))).toEqual([3, 4]);
  });
});
