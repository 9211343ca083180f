import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PUBLIC_NETWORKS_MAX } from '../../../src/config/bindings.ts';
import { CONSOLE_CLIENT_ID, ORGANIZATION_CLAIM } from '../../../tools/localnet/oauth/people.ts';
import { CIVIC_CONTRACT } from '../../default-contract.ts';
import { expectProblem } from '../../problem.ts';
import { Api, workerWith } from './api.ts';
import { aToken, newClientId, newGatekeeperNetwork, TRUSTING, trustingWorker } from './issuer.ts';
import {
  aBody,
  added,
  change,
  desk,
  find,
  isSuspendedInSigner,
  jsonOf,
  lastEntry,
  OURS,
  switchChecks,
  trail,
} from './managed-partners.ts';
import { anOperator } from './operator.ts';
import { aWallet } from './wallets.ts';

/** The partners, as the operator manages them. The access matrix tests who may. */

describe('POST /admin/partners', () => {
  it('adds a partner with its gatekeeper network, whose first request succeeds', async () => {
    const body = aBody({
      ...{ networks: ['sepolia', 'devnet', 'sepolia'], dailyIssuances: 0, dailyChanges: 7, passLifetime: 60 },
      ...{ organization: "o'1", contracts: { sepolia: CIVIC_CONTRACT.toLowerCase() }, reason: 'a contract' },
    });
    const caller = new Api(await aToken({ client_id: body.clientId }), trustingWorker);
    expectProblem(await caller.search({}), 'client_unknown');
    const answer = await desk.post('/admin/partners', body);
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/admin/partners/${body.clientId}`]);
    const { contracts: _, reason, ...given } = { contracts: undefined, reason: '', ...body };
    const partner = {
      ...{ ...given, networks: ['sepolia', 'devnet'], contracts: { sepolia: CIVIC_CONTRACT }, shard: 'DB' },
      ...{ status: 'active', sandbox: false, publicVerify: false, rules: {}, createdAt: expect.any(Number) },
    };
    expect(jsonOf(answer)).toEqual(partner);
    expect(await find(body.clientId)).toEqual(partner);
    expect((await caller.search({})).status).toBe(200);
    const entry = await lastEntry();
    expect(entry).toMatchObject({ action: 'operator.add_partner', reason, actor: { client: 'ops' }, after: partner });
    expect(entry.requestId).toBe(answer.headers.get('x-request-id'));
  });

  it('keeps every character of a client id and a name, and finds the partner by the encoded id', async () => {
    const clientId = `O'Hara"; DROP TABLE partners; -- /%2F?#`;
    const name = `'; DROP TABLE partners; -- \\ % 護照 🛂`;
    await added({ clientId, name });
    expect(await find(clientId)).toMatchObject({ clientId, name });
    expect((await change(clientId, { name: "it's" })).status).toBe(200);
    expect(await find(clientId)).toMatchObject({ name: "it's" });
  });

  it('leaves the gatekeeper network in its shard, and adds contracts to those that are chosen', async () => {
    const { gatekeeperNetwork } = await added({ shard: 'DB_1', contracts: { sepolia: CIVIC_CONTRACT } });
    await switchChecks(gatekeeperNetwork, true);
    const second = await added({ gatekeeperNetwork, contracts: { mainnet: OURS, sepolia: CIVIC_CONTRACT } });
    const contracts = { mainnet: OURS, sepolia: CIVIC_CONTRACT };
    expect(await find(second.clientId)).toMatchObject({ shard: 'DB_1', contracts, publicVerify: true });
    const third = aBody({ gatekeeperNetwork });
    expectProblem(await desk.post('/admin/partners', { ...third, shard: 'DB' }), 'shard_differs');
    expectProblem(await desk.post('/admin/partners', { ...third, contracts: { sepolia: OURS } }), 'contract_differs');
    expectProblem(await desk.call('GET', `/admin/partners/${third.clientId}`), 'partner_not_found');
    expect((await desk.post('/admin/partners', { ...third, shard: 'DB_1' })).status).toBe(201);
  });

  it('refuses an existing client and a taken organization, and changes nothing', async () => {
    const first = await added({ organization: newClientId() });
    const other = aBody({ clientId: first.clientId });
    expectProblem(await desk.post('/admin/partners', other), 'partner_exists');
    const taken = aBody({ organization: (first as { organization?: string }).organization });
    expectProblem(await desk.post('/admin/partners', taken), 'organization_taken');
    for (const { gatekeeperNetwork } of [other, taken])
      expectProblem(await switchChecks(gatekeeperNetwork, true), 'gatekeeper_network_not_found');
    expect(await find(first.clientId)).toMatchObject({ gatekeeperNetwork: first.gatekeeperNetwork });
  });

  it('adds one of two partners with the same id, or with the same organization, at once', async () => {
    const same = aBody();
    const [organization, gatekeeperNetwork] = [newClientId(), newGatekeeperNetwork()];
    for (const bodies of [
      [same, { ...same, name: 'Two' }],
      [aBody({ organization }), aBody({ organization })],
      [aBody({ gatekeeperNetwork, shard: 'DB' }), aBody({ gatekeeperNetwork, shard: 'DB_1' })],
    ]) {
      const answers = await Promise.all(bodies.map((body) => desk.post('/admin/partners', body)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    }
  });

  it.each<[string, object, string]>([
    ['an empty id', { clientId: ' ' }, '/clientId'],
    ['a letter that no token has', { clientId: 'é' }, '/clientId'],
    ['a long id', { clientId: 'a'.repeat(257) }, '/clientId'],
    ['an id that is a path', { clientId: '..' }, '/clientId'],
    ['an id of another route', { clientId: 'export' }, '/clientId'],
    ['the id of the console', { clientId: 'console' }, '/clientId'],
    ['a line break in the name', { name: 'a\nb' }, '/name'],
    ['an escape sequence in the name', { name: 'a\u001b]0;x' }, '/name'],
    ['a long name', { name: 'a'.repeat(201) }, '/name'],
    ['a small slot', { gatekeeperNetwork: `${'1'.repeat(31)}2` }, '/gatekeeperNetwork'],
    ['no key', { gatekeeperNetwork: 'x' }, '/gatekeeperNetwork'],
    ['a shard that is not bound', { shard: 'DB_9' }, '/shard'],
    ['a binding that is no shard', { shard: 'PASS_QUEUE' }, '/shard'],
    ['an unknown network', { networks: ['nowhere'] }, '/networks/0'],
    ['no network', { networks: [] }, '/networks'],
    ['a negative quota', { dailyIssuances: -1 }, '/dailyIssuances'],
    ['a large quota', { dailyChanges: 5_000_001 }, '/dailyChanges'],
    ['no lifetime', { passLifetime: 0 }, '/passLifetime'],
    ['a missing limit', { dailyChanges: undefined }, '/dailyChanges'],
    ['a contract on Solana', { contracts: { devnet: OURS } }, '/contracts/devnet'],
    ['an inherited name of a network', { contracts: { constructor: OURS } }, '/contracts/constructor'],
    ['a wrong checksum', { contracts: { sepolia: OURS.replace('A', 'a') } }, '/contracts/sepolia'],
    ['a space at the end of the organization', { organization: 'a ' }, '/organization'],
    ['a hidden mark in the reason', { reason: 'a\u202e' }, '/reason'],
    ['a reason that no other action takes', { reason: 'a'.repeat(201) }, '/reason'],
    ['an unknown field', { status: 'suspended' }, '/status'],
  ])('refuses %s', async (_, fields, pointer) => {
    const answer = await desk.post('/admin/partners', aBody(fields));
    expectProblem(answer, 'invalid_request', { pointers: [pointer] });
  });
});

describe('PATCH /admin/partners/:client', () => {
  it('changes the named settings, keeps the others, and records both', async () => {
    const { clientId } = await added({ dailyChanges: 9, passLifetime: 60, organization: newClientId() });
    const before = await find(clientId);
    const settings = { networks: ['sepolia'], dailyIssuances: 0, passLifetime: null, organization: null };
    const answer = await change(clientId, { ...settings, reason: 'smaller' });
    const after = { ...before, ...settings };
    expect([answer.status, jsonOf(answer)]).toEqual([200, after]);
    expect(await find(clientId)).toEqual(after);
    expect(await lastEntry()).toMatchObject({
      ...{ action: 'operator.change_partner', reason: 'smaller', before, after, outcome: { type: 'done' } },
      target: { client: clientId, ...settings },
    });
  });

  it('refuses an unknown client, a taken organization and a body without a change, and leaves no entry', async () => {
    const [one, two] = [await added({ organization: newClientId() }), await added()];
    const { organization } = one as { organization?: string };
    const { sequence } = await lastEntry();
    expectProblem(await change('nobody', { status: 'active' }), 'partner_not_found');
    expectProblem(await change(two.clientId, { organization, name: 'Two' }), 'organization_taken');
    expectProblem(await change(two.clientId, { reason: 'none' }), 'invalid_request');
    expectProblem(await change(two.clientId, { status: 'gone' }), 'invalid_request', { pointers: ['/status'] });
    expectProblem(await change(two.clientId, { shard: 'DB_1' }), 'invalid_request', { pointers: ['/shard'] });
    expect(await find(two.clientId)).toMatchObject({ name: 'One', organization: null });
    expect((await lastEntry()).sequence).toBe(sequence);
    expect(jsonOf(await change(one.clientId, { organization, name: 'Own' }))).toMatchObject({ name: 'Own' });
  });

  it('suspends and resumes a partner, at once in this isolate', async () => {
    const { clientId } = await added();
    const caller = new Api(await aToken({ client_id: clientId }), trustingWorker);
    expect((await caller.search({})).status).toBe(200);
    expect(jsonOf(await change(clientId, { status: 'suspended' }))).toMatchObject({ status: 'suspended' });
    expectProblem(await caller.search({}), 'partner_suspended');
    await change(clientId, { status: 'active' });
    expect((await caller.search({})).status).toBe(200);
  });

  it('moves an organization to another partner, at once in this isolate', async () => {
    const organization = newClientId();
    const claims = { client_id: CONSOLE_CLIENT_ID, sub: 'alice', [ORGANIZATION_CLAIM]: organization };
    const member = new Api(await aToken(claims), trustingWorker);
    const partners = [await added({ organization }), await added()];
    const [one = '', two = ''] = partners.map(({ clientId }) => clientId);
    expect((await member.search({})).status).toBe(200);
    await change(one, { organization: null });
    expectProblem(await member.search({}), 'client_unknown');
    await change(two, { organization });
    expect((await member.search({})).status).toBe(200);
  });

  it('suspends and resumes a client in the signers before it answers', async () => {
    const { clientId } = await added();
    for (const status of ['suspended', 'active', 'suspended']) {
      await change(clientId, { status });
      expect(await isSuspendedInSigner(clientId)).toBe(status === 'suspended');
    }
  });

  it('gives each of two changes at once its own row before', async () => {
    const { clientId } = await added({ dailyChanges: 0 });
    const { sequence } = await lastEntry();
    await Promise.all([1, 2, 3, 4].map((dailyChanges) => change(clientId, { dailyChanges })));
    const { entries } = await trail().read({ after: sequence, limit: 4 });
    const steps = entries.map(({ text }) => JSON.parse(text)).map(({ before, after }) => [before, after]);
    const seen = steps.map((pair) => pair.map(({ dailyChanges }) => dailyChanges));
    // Each value is the end of one change, and the beginning of at most one.
    expect(seen.map(([, after]) => after).toSorted()).toEqual([1, 2, 3, 4]);
    expect(new Set(seen.map(([before]) => before)).size).toBe(4);
  });
});

describe('PATCH /admin/gatekeeper-networks/:gatekeeperNetwork', () => {
  it('switches public checks up to a bound, and records both states', async () => {
    const { gatekeeperNetwork: key } = await added();
    expect(jsonOf(await switchChecks(key, true))).toEqual({
      ...{ gatekeeperNetwork: key, sandbox: false, shard: 'DB', contracts: {}, publicVerify: true, rules: {} },
    });
    expect(await lastEntry()).toMatchObject({ before: { publicVerify: false }, after: { publicVerify: true } });
    expectProblem(await switchChecks(newGatekeeperNetwork(), true), 'gatekeeper_network_not_found');
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PUBLIC_NETWORKS_MAX})
       INSERT INTO gatekeeper_networks (key, public_verify) SELECT 'key ' || i, 1 FROM n`,
    ).run();
    expect((await switchChecks(key, true)).status).toBe(200);
    expect((await switchChecks(key, false)).status).toBe(200);
    expectProblem(await switchChecks(key, true), 'public_networks_limit_reached');
    await env.DB.exec("DELETE FROM gatekeeper_networks WHERE key LIKE 'key %'");
    expect((await switchChecks(key, true)).status).toBe(200);
  });

  it('switches public checks at once in this isolate', async () => {
    const { gatekeeperNetwork: key } = await added();
    const check = () => new Api(undefined, trustingWorker).call('GET', `/verify/${key}/ethereum/sepolia/${aWallet()}`);
    expectProblem(await check(), 'not_found');
    await switchChecks(key, true);
    expect((await check()).status).toBe(200);
    await switchChecks(key, false);
    expectProblem(await check(), 'not_found');
  });
});

describe('the lists', () => {
  it('shows all partners in pages, each once, to a reader too', async () => {
    const reader = await anOperator({ scope: 'admin:read' });
    for (let made = 0; made < 3; made += 1) await added();
    const ids: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page: { partners: { clientId: string }[]; next: string | null } = jsonOf(
        await reader.call('GET', `/admin/partners?limit=2${after === undefined ? '' : `&after=${after}`}`),
      );
      ids.push(...page.partners.map(({ clientId }) => clientId));
      after = page.next;
    }
    const { results } = await env.DB.prepare('SELECT client_id FROM partners ORDER BY client_id').all();
    expect(ids).toEqual(results.map(({ client_id }) => client_id));
    expectProblem(await reader.call('GET', '/admin/partners?limit=101'), 'invalid_request', { pointers: ['/limit'] });
  });
});

describe('without the database or the audit trail', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('answers 503, and records that the outcome of a change is unknown', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    const away = () => Promise.reject(new Error('D1_ERROR: away'));
    const statement = { bind: () => statement, all: away, first: away, run: away };
    const api = await anOperator({}, workerWith({ ...TRUSTING, DB: { prepare: () => statement, batch: away } }));
    expectProblem(await api.call('GET', '/admin/partners'), 'temporarily_unavailable');
    expectProblem(await api.call('GET', '/admin/partners/export'), 'temporarily_unavailable');
    const body = aBody();
    expectProblem(await api.post('/admin/partners', body), 'temporarily_unavailable');
    expect(await lastEntry()).toMatchObject({
      target: { clientId: body.clientId },
      outcome: { type: 'unknown', why: 'Error' },
    });
  });

  it('changes nothing without an entry in the trail', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    const { clientId } = await added();
    const away = () => Promise.reject(new Error('away'));
    const AUDITS = { getByName: () => ({ begin: away, conclude: away }) };
    const api = await anOperator({}, workerWith({ ...TRUSTING, AUDITS }));
    expectProblem(await change(clientId, { status: 'suspended' }, api), 'temporarily_unavailable');
    expect(await find(clientId)).toMatchObject({ status: 'active' });
  });
});
