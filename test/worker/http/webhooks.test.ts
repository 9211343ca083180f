import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { webhookName } from '../../../src/message/hand-over.ts';
import { HOSTILE_TARGETS } from '../../hostile-targets.ts';
import { expectProblem } from '../../problem.ts';
import { commitsAndFails, failing, UnreliableDatabase } from '../store/unreliable.ts';
import { type Api, WITHOUT_LIMITS, workerWith } from './api.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { anOperator } from './operator.ts';
import { aUrl, create, idOfNew, jsonOf, patch } from './webhook-calls.ts';

/** The webhooks of a partner over HTTP. `test/worker/webhook-object` tests the deliveries. */

const { DB, WEBHOOKS } = env as Env;
const SECRET = /whsec_[A-Za-z0-9+/]{43}=/;

afterEach(() => void vi.restoreAllMocks());

const listed = async (api: Api): Promise<{ id: string }[]> => jsonOf(await api.call('GET', '/webhooks')).webhooks;

describe('POST /webhooks', () => {
  it('returns the webhook with its secret and its path, and no later reply shows the secret', async () => {
    const api = await aPartner();
    const created = await create(api, { types: ['pass.issued'], description: 'Staging' });
    const { secret, ...webhook } = jsonOf(created);
    expect(secret).toMatch(SECRET);
    expect(created.headers.get('location')).toBe(`/webhooks/${webhook.id}`);
    expect(webhook).toMatchObject({
      types: ['pass.issued'],
      description: 'Staging',
      status: 'enabled',
      cursor: 0,
      waiting: 0,
    });
    const replies = [
      await api.call('GET', '/webhooks'),
      await api.call('GET', `/webhooks/${webhook.id}`),
      await api.call('GET', `/webhooks/${webhook.id}/deliveries`),
      await patch(api, webhook.id, { description: 'Production' }),
      await api.call('POST', `/webhooks/${webhook.id}/test`),
      await api.post(`/webhooks/${webhook.id}/replay`, { after: 0 }),
      await (await anOperator()).call('GET', '/admin/webhooks'),
    ];
    for (const { status, text } of replies) {
      expect(status, text).toBeLessThan(300);
      expect(text).not.toMatch(/whsec_/);
    }
  });

  it('creates five webhooks of a gatekeeper network, however many requests come at once', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const partners = await Promise.all([aPartner({ gatekeeperNetwork }), aPartner({ gatekeeperNetwork })]);
    const answers = await Promise.all(partners.flatMap((api) => Array.from({ length: 6 }, () => create(api))));
    const created = answers.filter(({ status }) => status === 201).map((answer) => jsonOf(answer).id);
    expect(created).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectProblem(answer, 'webhook_limit_reached');
    for (const api of partners) expect((await listed(api)).map(({ id }) => id).toSorted()).toEqual(created.toSorted());
    expect((await partners[0]?.call('DELETE', `/webhooks/${created[0]}`))?.status).toBe(204);
    expect((await create(partners[1] as Api)).status).toBe(201);
  });

  it('begins with the event after the newest one', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const api = await aPartner({ gatekeeperNetwork });
    await DB.prepare('INSERT INTO feeds (gatekeeper_network, sequence) VALUES (?, 7)').bind(gatekeeperNetwork).run();
    expect(jsonOf(await create(api))).toMatchObject({ cursor: 7 });
  });

  it.each([
    ['fails', failing('D1_ERROR: no')],
    ['commits and then fails', commitsAndFails],
  ])('leaves no webhook behind if the database %s', async (_, manner) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const api = await aPartner();
    const db = new UnreliableDatabase();
    const names: string[] = [];
    const getByName = (name: string) => {
      names.push(name);
      return WEBHOOKS.getByName(name);
    };
    const other = api.through(workerWith({ ...TRUSTING, DB: db.asD1, WEBHOOKS: { getByName } }));
    // The creation writes last.
    const { prepare } = db;
    db.prepare = (sql) => {
      if (sql.includes('INSERT INTO feeds')) db.manner = manner;
      return prepare.call(db, sql);
    };
    expect((await create(other)).status).toBe(503);
    expect(names).not.toEqual([]);
    for (const name of names) expect(await WEBHOOKS.getByName(name).read()).toBeUndefined();
    // No place is lost either.
    for (let number = 0; number < 5; number += 1) await idOfNew(api);
    expect(await listed(api)).toHaveLength(5);
  });

  it.each([
    ['a URL that is no text', { url: 7 }, '/url'],
    ['a URL that is too long', { url: `https://hooks.partner.io/${'a'.repeat(2_000)}` }, '/url'],
    ['a URL with an address', { url: 'https://10.0.0.1/' }, '/url'],
    ['no URL', { url: undefined }, '/url'],
    ['no types', { types: [] }, '/types'],
    ['an unknown type', { types: ['pass.unknown'] }, '/types/0'],
    ['types that are no list', { types: 'pass.issued' }, '/types'],
    ['null as the types', { types: null }, '/types'],
    ['a description that is too long', { description: 'a'.repeat(201) }, '/description'],
    ['a description with NUL', { description: 'a\0' }, '/description'],
    ['a description with ESC', { description: '\u001b[2J' }, '/description'],
    ['a description with a C1 control', { description: '\u009b' }, '/description'],
    ['a description with an override of the direction', { description: 'a\u202eb' }, '/description'],
    ['a description with a lone surrogate', { description: '\ud83d' }, '/description'],
    ['a secret of the partner', { secret: 'whsec_mine' }, '/secret'],
  ])('refuses %s', async (_, body, pointer) => {
    const api = await aPartner();
    const { errors } = expectProblem(await create(api, body), 'invalid_request');
    expect(errors?.map((error) => error.pointer)).toEqual([pointer]);
    expect(await listed(api)).toEqual([]);
  });
});

it('a URL is stored in its normal form, at creation and at a change', async () => {
  const api = await aPartner();
  const odd = `${aUrl()}/\u202egpj.exe?é`;
  const normal = URL.parse(odd)?.href;
  expect(normal).not.toContain('\u202e');
  const created = jsonOf(await create(api, { url: odd }));
  expect(created.url).toBe(normal);
  expect(jsonOf(await patch(api, created.id, { url: `${odd}2` })).url).toBe(`${normal}2`);
  expect(jsonOf(await api.call('POST', `/webhooks/${created.id}/test`))).toMatchObject({ delivered: true });
});

it('a URL whose normal form is longer than a URL may be is refused, at creation and at a change', async () => {
  const api = await aPartner();
  const url = `${aUrl()}/${'é'.repeat(400)}`;
  const errors = [
    { pointer: '/url', detail: 'must have at most 2000 characters, with other letters than ASCII encoded' },
  ];
  for (const refused of [await create(api, { url }), await patch(api, await idOfNew(api), { url })])
    expect(jsonOf(refused)).toMatchObject({ code: 'invalid_request', errors });
});

it('a replay beyond the daily budget answers 429 with the numbers, until midnight', async () => {
  const api = await aPartner();
  const id = await idOfNew(api);
  const { gatekeeperNetwork } = api;
  await runInDurableObject(WEBHOOKS.getByName(webhookName(gatekeeperNetwork, id)), (_, { storage }) =>
    storage.kv.put('webhook', { ...(storage.kv.get('webhook') as object), cursor: 100_000 }),
  );
  await DB.prepare('UPDATE feeds SET sequence = 100000 WHERE gatekeeper_network = ?').bind(gatekeeperNetwork).run();
  await DB.prepare("INSERT INTO events VALUES (?, 1, 1, 'pass.issued', '{}')").bind(gatekeeperNetwork).run();
  const refused = await api.post(`/webhooks/${id}/replay`, { after: 0 });
  expect(expectProblem(refused, 'replay_quota_reached').detail).toContain('100100 events');
  const seconds = 86_400 - (Math.floor(Date.now() / 1000) % 86_400);
  expect(Math.abs(Number(refused.headers.get('retry-after')) - seconds)).toBeLessThan(60);
  expect(jsonOf(await api.call('GET', `/webhooks/${id}`)).cursor).toBe(100_000);
});

describe('a hostile URL', () => {
  const isLoopback = (url: string) => /^(localhost|\[::1\]|127\.[\d.]+)$/.test(URL.parse(url)?.hostname ?? '');
  /** A developer's machine allows loopback. A unit test shows that a deployment refuses all of them. */
  const refused = Object.entries(HOSTILE_TARGETS).filter(([, url]) => !/^https?:/.test(url) || !isLoopback(url));

  it('is refused at creation and at a change', async () => {
    const api = await aPartner({ send: workerWith({ ...TRUSTING, ...WITHOUT_LIMITS }) });
    const id = await idOfNew(api);
    for (const [trick, url] of refused) {
      for (const answer of [await create(api, { url }), await patch(api, id, { url })]) {
        expect(answer.status, trick).toBe(400);
        expect(expectProblem(answer, 'invalid_request').errors?.[0]?.pointer, trick).toBe('/url');
      }
    }
    expect(await listed(api)).toHaveLength(1);
    expect(refused.length).toBeGreaterThanOrEqual(60);
  });
});

describe('a webhook of another gatekeeper network', () => {
  it('does not exist on any route', async () => {
    const [ours, theirs] = await Promise.all([aPartner(), aPartner()]);
    const id = await idOfNew(theirs);
    const before = (await theirs.call('GET', `/webhooks/${id}`)).text;
    const answers = await Promise.all([
      ours.call('GET', `/webhooks/${id}`),
      ours.call('GET', `/webhooks/${id}/deliveries`),
      patch(ours, id, { status: 'disabled' }),
      ours.call('POST', `/webhooks/${id}/test`),
      ours.call('POST', `/webhooks/${id}/rotate-secret`),
      ours.post(`/webhooks/${id}/replay`, { after: 0 }),
      ours.call('DELETE', `/webhooks/${id}`),
    ]);
    for (const answer of answers) expectProblem(answer, 'webhook_not_found');
    expect(await listed(ours)).toEqual([]);
    expect((await theirs.call('GET', `/webhooks/${id}`)).text).toBe(before);
  });
});

describe('PATCH /webhooks/{id}', () => {
  it('changes only the given fields, and null means all types', async () => {
    const api = await aPartner();
    const { secret: _, ...webhook } = jsonOf(await create(api, { types: ['pass.issued'], description: 'a' }));
    const url = aUrl();
    expect(jsonOf(await patch(api, webhook.id, { url }))).toEqual({ ...webhook, url });
    const { types: __, ...withAllTypes } = { ...webhook, url };
    expect(jsonOf(await patch(api, webhook.id, { types: null }))).toEqual(withAllTypes);
    const disabled = { ...withAllTypes, status: 'disabled', disabledReason: 'partner' };
    expect(jsonOf(await patch(api, webhook.id, { status: 'disabled' }))).toEqual(disabled);
    expect(jsonOf(await patch(api, webhook.id, { status: 'enabled', description: 'b' }))).toEqual({
      ...withAllTypes,
      description: 'b',
    });
  });

  it.each([
    [{}, ''],
    [{ url: 'http://hooks.partner.io/' }, '/url'],
    [{ status: 'off' }, '/status'],
    [{ cursor: 1 }, '/cursor'],
  ])('refuses %j', async (body, pointer) => {
    const api = await aPartner();
    const { errors } = expectProblem(await patch(api, await idOfNew(api), body), 'invalid_request');
    expect(errors?.map((error) => error.pointer)).toEqual([pointer]);
  });
});

describe('the tests, replays and deliveries of a webhook', () => {
  it('are limited to one test and one replay per ten seconds', async () => {
    const api = await aPartner();
    const id = await idOfNew(api);
    const test = () => api.call('POST', `/webhooks/${id}/test`);
    const replay = () => api.post(`/webhooks/${id}/replay`, { after: 0 });
    expect(jsonOf(await test())).toMatchObject({ delivered: true, status: 204 });
    expect((await replay()).status).toBe(202);
    for (const refused of [await test(), await replay()]) {
      expectProblem(refused, 'rate_limited');
      expect(refused.headers.get('retry-after')).toBe('10');
    }
  });

  it('report a URL that nobody serves', async () => {
    const api = await aPartner();
    const { id } = jsonOf(await create(api, { url: 'http://127.0.0.1:1/' }));
    expect(jsonOf(await api.call('POST', `/webhooks/${id}/test`))).toEqual({
      delivered: false,
      durationMs: expect.any(Number),
      error: 'no connection, or it broke',
    });
  });

  it.each([{ after: -1 }, { after: 0.5 }, { after: '0' }, { after: 1 }, {}])('refuse to replay %j', async (body) => {
    const api = await aPartner();
    const { errors } = expectProblem(await api.post(`/webhooks/${await idOfNew(api)}/replay`, body), 'invalid_request');
    expect(errors?.[0]?.pointer).toBe('/after');
  });

  it.each(['after=x', 'limit=0', 'limit=1001', 'before=1'])('refuse the query %s', async (query) => {
    const api = await aPartner();
    expectProblem(await api.call('GET', `/webhooks/${await idOfNew(api)}/deliveries?${query}`), 'invalid_request');
  });
});

it('a request about no webhook stores nothing in its object', async () => {
  const api = await aPartner();
  const id = crypto.randomUUID();
  await patch(api, id, { status: 'enabled' });
  await api.call('DELETE', `/webhooks/${id}`);
  await WEBHOOKS.getByName(webhookName(api.gatekeeperNetwork, id)).wake();
  expectProblem(await api.call('GET', `/webhooks/${id}`), 'webhook_not_found');
  const row = await DB.prepare('SELECT 1 FROM feeds WHERE gatekeeper_network = ?').bind(api.gatekeeperNetwork).first();
  expect(row).toBeNull();
});
