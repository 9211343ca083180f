import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { openStore } from '../../../src/store/store.ts';
import { expectProblem } from '../../problem.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { aPass, aPassKey, STATES, type State, UNSENT } from './a-pass.ts';
import { QUEUE_THAT_FAILS, WITHOUT_LIMITS, workerWith } from './api.ts';
import { itemOf, resultsOf } from './bulk.ts';
import { aPartner, TRUSTING } from './issuer.ts';
import { moveAll } from './move-all.ts';
import { anOperator } from './operator.ts';

/** The partner's own name for a pass, in every route. */

const { DB, PASSES } = env as unknown as Env;
const SEPOLIA = 'ethereum/sepolia';
const send = workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });
const api = await aPartner({ send });
const { gatekeeperNetwork } = api;
beforeAll(() => void vi.spyOn(console, 'error').mockReturnValue());

const aKey = () => aPassKey({ gatekeeperNetwork });
const inState = (state: State) => aPass({ gatekeeperNetwork, state, ...UNSENT });
const on = ({ chain, network }: PassKey) => `${chain}/${network}`;
const issue = (key: PassKey, body: object = {}) => api.issue(on(key), key.wallet, body);
const update = (key: PassKey, body: object) => api.update(on(key), key.wallet, body);
const fetched = async (key: PassKey) => (await api.fetch(on(key), key.wallet)).record;
const found = async (reference: string, client = api) =>
  (await client.search({ filter: { reference } })).records.map(({ walletAddress }) => walletAddress);
const jsonOf = async (path: string) => JSON.parse((await api.call('GET', path)).text);
const eventsAfter = async (after: number) => (await jsonOf(`/events?after=${after}&limit=1000`)).events;
const newestSequence = async () => (await jsonOf('/events?after=newest')).next as number;
const names = new Set<string>();
/** Returns a reference that no other test uses. */
const aReference = () => {
  names.add(`order-${names.size}`);
  return `order-${names.size - 1}`;
};

describe('a reference', () => {
  const family = '👨‍👩‍👧‍👦';
  it.each([
    'a',
    'order-4711',
    'a b',
    'x'.repeat(128),
    '😀'.repeat(128),
    `${family.repeat(18)}xx`,
    'ä',
    '見出し',
    "'; DROP TABLE passes; --",
    '%',
    '"\\u0000"',
    'null',
    '=1+1',
    '{"reference":""}}}',
  ])('may be %j', async (text) => {
    const key = aKey();
    const { status, record } = await issue(key, { reference: text });
    expect([status, record.reference]).toEqual([202, text]);
    expect((await fetched(key)).reference).toBe(text);
    expect(await found(text)).toEqual([key.wallet]);
    await update(key, { reference: null });
  });

  it.each([
    ['', 'length'],
    ['x'.repeat(129), 'length'],
    ['😀'.repeat(129), 'length'],
    [' a', 'length'],
    ['a\u00a0', 'length'],
    ['a\u0000b', 'hidden'],
    ['a\nb', 'hidden'],
    ['a\u001bb', 'hidden'],
    ['a\u0085b', 'hidden'],
    ['a\u202eb', 'hidden'],
    ['a\u2067b', 'hidden'],
    ['a\u200fb', 'hidden'],
    ['a\u2028b', 'hidden'],
    ['a\ud800b', 'hidden'],
    ['a\udc00b', 'hidden'],
    [4711, 'text'],
    [['a'], 'array'],
    [{ a: 1 }, 'text'],
    [true, 'text'],
  ] as [string, string][])('may not be %j', async (reference, rule) => {
    const detail = {
      length: 'must have 1 to 128 characters, and no space at its ends',
      hidden: 'must not contain control characters, line breaks or marks of the writing direction',
      text: 'must be a string',
      array: 'must not be an array',
    }[rule];
    const [named, unnamed] = [await inState('ACTIVE'), aKey()];
    const before = await fetched(named);
    const expected = { errors: [{ pointer: '/reference', detail }] };
    expect(expectProblem(await issue(unnamed, { reference }), 'invalid_request')).toMatchObject(expected);
    expect(expectProblem(await update(named, { reference }), 'invalid_request')).toMatchObject(expected);
    expect(expectProblem(await api.search({ filter: { reference } }), 'invalid_request')).toMatchObject({
      errors: [{ pointer: '/filter/reference', detail }],
    });
    const refused = { status: 400, problem: { errors: [{ pointer: '/items/0/reference', detail }] } };
    expect(await resultsOf(api, 'POST', [itemOf(unnamed, { reference })])).toMatchObject([refused]);
    expect(await resultsOf(api, 'PATCH', [itemOf(named, { reference })])).toMatchObject([refused]);
    expect(await fetched(named)).toEqual(before);
    expectProblem(await api.fetch(on(unnamed), unnamed.wallet), 'pass_not_found');
  });

  it('may not be null in an issuance or in a filter, and not twice in a body', async () => {
    expectProblem(await issue(aKey(), { reference: null }), 'invalid_request', { pointer: '/reference' });
    expectProblem(await api.search({ filter: { reference: null } }), 'invalid_request', {
      pointer: '/filter/reference',
    });
    const { wallet } = aKey();
    const twice = `{"walletAddress":"${wallet}","reference":"a","reference":"b"}`;
    expectProblem(await api.postText(`/pass/${SEPOLIA}`, twice), 'invalid_json');
  });

  it.each([{ state: 'ACTIVE' }, { walletAddress: aKey().wallet }, { chain: { type: 'ethereum', network: 'sepolia' } }])(
    'cannot be searched together with %j',
    async (other) => {
      const refused = expectProblem(await api.search({ filter: { reference: 'a', ...other } }), 'invalid_request');
      expect(refused).toMatchObject({
        errors: [{ pointer: '/filter/reference', detail: 'cannot be combined with other fields' }],
      });
    },
  );
});

describe('a repeated issuance', () => {
  it('matches without a reference and with the same one, and is refused with another', async () => {
    const key = aKey();
    const reference = aReference();
    const { record } = await issue(key, { reference });
    for (const body of [{}, { reference }]) expect((await issue(key, body)).record).toEqual(record);
    expectProblem(await issue(key, { reference: `${reference}.` }), 'reference_differs');
    expect(await fetched(key)).toEqual(record);
  });

  it('is refused if the pass has none, also after it was removed', async () => {
    const [never, removed] = [aKey(), aKey()];
    const reference = aReference();
    await issue(never);
    await issue(removed, { reference });
    await update(removed, { reference: null });
    for (const key of [never, removed]) expectProblem(await issue(key, { reference }), 'reference_differs');
    expect(await found(reference)).toEqual([]);
  });

  it('in a bulk request is the same, and two items with different references are refused', async () => {
    const [one, other] = [aKey(), aKey()];
    const reference = aReference();
    const items = [itemOf(one, { reference }), itemOf(other)];
    for (const [first, second] of [await resultsOf(api, 'POST', items), await resultsOf(api, 'POST', items)]) {
      expect([first?.status, first?.record?.reference]).toEqual([202, reference]);
      expect(second?.record).not.toHaveProperty('reference');
    }
    const [differs] = await resultsOf(api, 'POST', [itemOf(one, { reference: 'other' })]);
    expect([differs?.status, differs?.problem?.code]).toEqual([409, 'reference_differs']);
    const both = [itemOf(one, { reference }), itemOf(one, { reference: 'other' })];
    expectProblem(await api.post('/passes', { items: both }), 'invalid_request', { pointer: '/items/0' });
  });
});

describe('a change of the reference alone', () => {
  it.each(STATES)('is accepted for a pass that is %s: it makes an event, and takes no step', async (state) => {
    const key = await inState(state);
    const before = await fetched(key);
    const sequence = await newestSequence();
    const reference = aReference();
    const { status, updated } = await update(key, { reference });
    expect([status, updated]).toEqual([
      200,
      {
        ...before,
        reference,
        events: [...before.events, { eventType: 'REFERENCE_CHANGED', timestamp: expect.any(Number) }],
      },
    ]);
    expect(await found(reference)).toEqual([key.wallet]);
    const events = (await eventsAfter(sequence)).filter(
      ({ type }: { type: string }) => type === 'pass.reference_changed',
    );
    const { events: _, ...snapshot } = updated;
    expect(events).toMatchObject([{ data: { event: { eventType: 'REFERENCE_CHANGED' }, pass: snapshot } }]);
    const object = PASSES.getByName(passName(key));
    expect((await object.inspect())?.isSettled).toBe(state !== 'REQUESTED');
    // Nothing changes a second time.
    expect((await update(key, { reference })).updated).toEqual(updated);
    const { updated: unnamed } = await update(key, { reference: null });
    expect(unnamed).not.toHaveProperty('reference');
    expect((await update(key, { reference: null })).updated).toEqual(unnamed);
    expect(await found(reference)).toEqual([]);
  });

  it('is accepted for an expired pass', async () => {
    const expiry = Math.floor(Date.now() / 1000) - 60;
    const key = await aPass({ gatekeeperNetwork, expiry, ...UNSENT });
    const reference = aReference();
    expect((await update(key, { reference })).updated).toMatchObject({ reference, expiryTimestamp: expiry });
  });

  it('counts as a change of the partner and of the pass', async () => {
    const limited = await aPartner({ send, gatekeeperNetwork, dailyChanges: 1 });
    const key = await inState('ACTIVE');
    const change = (reference: string) => limited.update(on(key), key.wallet, { reference });
    expect((await change('a')).status).toBe(200);
    expect((await change('a')).status).toBe(200);
    expectProblem(await change('b'), 'change_quota_reached');
    for (let n = 1; n < 24; n += 1) expect((await update(key, { reference: `change ${n}` })).status).toBe(200);
    expectProblem(await update(key, { reference: 'one more' }), 'pass_change_limit_reached');
    expect((await fetched(key)).reference).toBe('change 23');
  });

  it('needs the scope of a change, and a pass of the partner', async () => {
    const key = aKey();
    const reference = aReference();
    await issue(key, { reference });
    const issuer = await aPartner({ send, gatekeeperNetwork, scope: 'issue:pass search:pass' });
    expectProblem(await issuer.update(on(key), key.wallet, { reference: 'other' }), 'insufficient_scope');
    expectProblem(await issuer.issue(on(key), key.wallet, { reference: 'other' }), 'reference_differs');
    const stranger = await aPartner({ send });
    expectProblem(await stranger.update(on(key), key.wallet, { reference: 'other' }), 'pass_not_found');
    expect(await found(reference, stranger)).toEqual([]);
    expect(await found(reference)).toEqual([key.wallet]);
    // Another gatekeeper network may use the same reference for the same wallet.
    await stranger.issue(on(key), key.wallet, { reference });
    expect([await found(reference), await found(reference, stranger)]).toEqual([[key.wallet], [key.wallet]]);
  });

  it('of two at once: both are accepted, and the later one counts everywhere', async () => {
    const key = await inState('ACTIVE');
    const [a, b] = [aReference(), aReference()];
    const answers = await Promise.all([update(key, { reference: a }), update(key, { reference: b })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { reference, events } = await fetched(key);
    expect(events.slice(-2).map(({ eventType }) => eventType)).toEqual(['REFERENCE_CHANGED', 'REFERENCE_CHANGED']);
    expect(await found(reference as string)).toEqual([key.wallet]);
    expect(await found(reference === a ? b : a)).toEqual([]);
  });
});

describe('a change of the reference and the state', () => {
  it('is one change; if the state is refused, the reference stays', async () => {
    const [active, revoked] = [await inState('ACTIVE'), await inState('REVOKED')];
    const reference = aReference();
    const { updated } = await update(active, { state: 'FROZEN', reference });
    expect(updated).toMatchObject({ state: 'FROZEN', reference });
    expectProblem(await update(revoked, { state: 'FROZEN', reference }), 'pass_revoked');
    expect(await fetched(revoked)).not.toHaveProperty('reference');
    const results = await resultsOf(api, 'PATCH', [
      itemOf(active, { state: 'ACTIVE', reference: null }),
      itemOf(revoked, { reference }),
      itemOf(aKey(), { reference }),
    ]);
    expect(results.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(results[0]?.record).not.toHaveProperty('reference');
    expect(results[1]?.record).toMatchObject({ state: 'REVOKED', reference });
  });
});

describe('the removal of a reference', () => {
  const SECRET = 'jane.doe@example.com';

  it('removes it from the feed, the database, the pass object and the audit trail, also while events are pending', async () => {
    const key = await aPass({ gatekeeperNetwork, ...UNSENT });
    const sequence = await newestSequence();
    await update(key, { reference: SECRET });
    await update(key, { state: 'FROZEN' });
    await update(key, { reference: `${SECRET}.2` });
    const shown = (await eventsAfter(sequence)).map(({ data }: { data: { pass: object } }) => data.pass);
    expect(shown.length).toBeGreaterThanOrEqual(2);
    for (const pass of shown.slice(-2)) expect(pass).toMatchObject({ reference: `${SECRET}.2` });
    // The pass object has events that the feed lacks.
    const object = PASSES.getByName(passName(key));
    const unpublished = await object.update({ client: api.clientId, reference: `${SECRET}.3` });
    expect(unpublished).toMatchObject({ publication: { events: expect.arrayContaining([expect.anything()]) } });
    await object.update({ client: api.clientId, reference: null });
    await openStore(env).publishPasses([(await object.readPublication()) as never]);
    const stored: unknown[] = [await eventsAfter(0), (await object.readPublication()) ?? []];
    for (const table of ['passes', 'events']) stored.push((await DB.prepare(`SELECT * FROM ${table}`).all()).results);
    stored.push(await jsonOf('/audit?limit=1000'));
    expect(JSON.stringify(stored)).not.toContain(SECRET);
    const events = await eventsAfter(sequence);
    expect(events.at(-1)).toMatchObject({ type: 'pass.reference_changed' });
    for (const { data } of events)
      if (data.pass.id === (await fetched(key)).id) expect(data.pass).not.toHaveProperty('reference');
  });
});

it('a reference stays with its pass when a lost row is written again, and when the passes move to another database', async () => {
  const moved = await aPartner({ send });
  const key = aPassKey({ gatekeeperNetwork: moved.gatekeeperNetwork });
  const reference = aReference();
  await moved.issue(on(key), key.wallet, { reference });
  await DB.prepare('DELETE FROM passes WHERE gatekeeper_network = ?').bind(moved.gatekeeperNetwork).run();
  expect(await found(reference, moved)).toEqual([]);
  const object = PASSES.getByName(passName(key));
  const operator = await anOperator({}, send);
  const rebuild = { shard: 'DB', start: true, objects: [String(PASSES.idFromName(passName(key)))], position: null };
  expect((await operator.post('/admin/rebuild', rebuild)).status).toBe(200);
  expect(await found(reference, moved)).toEqual([key.wallet]);
  await object.update({ client: moved.clientId, reference: `${reference}.` });
  await openStore(env).publishPasses([(await object.readPublication()) as never]);

  const move = { gatekeeperNetwork: moved.gatekeeperNetwork, to: SECOND, reason: 'a test' };
  expect(JSON.parse((await moveAll(move, operator)).text)).toMatchObject({ phase: 'done', passes: 1 });
  expect(await found(`${reference}.`, moved)).toEqual([key.wallet]);
  const { events } = JSON.parse((await moved.call('GET', '/events')).text);
  expect(events.at(-1)).toMatchObject({
    type: 'pass.reference_changed',
    data: { pass: { reference: `${reference}.` } },
  });
  await moved.update(on(key), key.wallet, { reference: null });
  expect(await found(`${reference}.`, moved)).toEqual([]);
  const { results } = await second
    .prepare('SELECT reference FROM passes WHERE gatekeeper_network = ?')
    .bind(moved.gatekeeperNetwork)
    .all();
  expect(results).toEqual([{ reference: null }]);
  // The reconciliation waits after a move.
  await Promise.all([DB, second].map((db) => db.exec('DELETE FROM moves')));
});
