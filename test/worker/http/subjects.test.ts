import { env, runInDurableObject } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { PassObject } from '../../../src/pass-object/pass-object.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { aPass, aPassKey, STATES, UNSENT } from './a-pass.ts';
import {
  aMember,
  change,
  issue,
  jsonOf,
  newApi,
  on,
  patch,
  pathOf,
  recordOf,
  send,
  setRules,
  update,
  walletsOf,
} from './a-subject.ts';
import { itemOf, resultsOf } from './bulk.ts';
import { aPartner } from './issuer.ts';
import { anOperator } from './operator.ts';

/** The partner's own name for a person, and the rules for it, in every route. */

const { DB, PASSES, SUBJECTS } = env as unknown as Env;
beforeAll(() => void vi.spyOn(console, 'error').mockReturnValue());

describe('the name of a subject', async () => {
  const api = await newApi();
  const aKey = () => aPassKey(api);

  it.each([
    'a',
    'p-7f3c',
    'x'.repeat(64),
    'a/b',
    '/',
    'a.b',
    '...',
    '%',
    '%2F',
    '%2e',
    '?a#b',
    '"\\\'',
    '{"subject":""}}}',
    '~!',
    'null',
  ])('may be %j, in requests, filters and paths', async (subject) => {
    const key = aKey();
    const { status, record } = await issue(api, key, { subject });
    expect([status, record.subject]).toEqual([202, subject]);
    expect((await recordOf(api, key)).subject).toBe(subject);
    expect(await walletsOf(api, subject)).toEqual([key.wallet]);
    expect(await jsonOf(api, pathOf(subject))).toMatchObject({
      subject,
      state: 'ACTIVE',
      passes: { REQUESTED: 1 },
      requests: [],
      records: [{ walletAddress: key.wallet, subject }],
    });
    await change(api, subject, { state: 'FROZEN' });
    expect(await recordOf(api, key)).toMatchObject({ state: 'FROZEN', subject });
  });

  it.each(['', 'x'.repeat(65), 'a b', ' a', 'ä', 'a\u0000', 'a\n', '.', '..', 4711, ['a'], true])(
    'may not be %j',
    async (given) => {
      const subject = given as string;
      const key = aKey();
      expectProblem(await issue(api, key, { subject }), 'invalid_request', { pointer: '/subject' });
      expectProblem(await update(api, key, { subject }), 'invalid_request', { pointer: '/subject' });
      expectProblem(await api.search({ filter: { subject } }), 'invalid_request', { pointer: '/filter/subject' });
      expect(await resultsOf(api, 'POST', [itemOf(key, { subject })])).toMatchObject([{ status: 400 }]);
      expectProblem(await api.fetch(on(key), key.wallet), 'pass_not_found');
      if (typeof subject === 'string' && subject.length > 2)
        expectProblem(await api.call('GET', pathOf(subject)), 'invalid_request', { pointer: '/subject' });
    },
  );

  it('cannot be searched together with another field', async () => {
    expectProblem(await api.search({ filter: { subject: 'a', state: 'ACTIVE' } }), 'invalid_request', {
      pointer: '/filter/subject',
    });
    expectProblem(await api.search({ filter: { subject: 'a', reference: 'b' } }), 'invalid_request', {
      pointer: '/filter/reference',
    });
  });

  it('belongs to one gatekeeper network: another one finds nothing, and changes nothing', async () => {
    const stranger = await newApi();
    const key = aKey();
    await issue(api, key, { subject: 'mine' });
    expectProblem(await stranger.call('GET', pathOf('mine')), 'subject_not_found');
    expectProblem(await patch(stranger, pathOf('mine'), { state: 'FROZEN' }), 'subject_not_found');
    expectProblem(await stranger.call('DELETE', pathOf('mine')), 'subject_not_found');
    expect(await recordOf(api, key)).toMatchObject({ state: 'REQUESTED' });
    // A subject that nobody has leaves nothing in its object.
    const stored = await runInDurableObject(
      SUBJECTS.getByName(`${stranger.gatekeeperNetwork}/mine`),
      (_, { storage }) => storage.list(),
    );
    expect(stored.size).toBe(0);
  });
});

describe('the subject of a pass', async () => {
  const api = await newApi();

  it('matches a repeated issuance without one and with the same one, and is never replaced', async () => {
    const key = aPassKey(api);
    const { record } = await issue(api, key, { subject: 'kept' });
    for (const body of [{}, { subject: 'kept' }]) expect((await issue(api, key, body)).record).toEqual(record);
    expectProblem(await issue(api, key, { subject: 'other' }), 'subject_differs');
    expectProblem(await update(api, key, { subject: 'other' }), 'subject_differs');
    expect(await recordOf(api, key)).toEqual(record);
    expectProblem(await api.call('GET', pathOf('other')), 'subject_not_found');
  });

  it.each(STATES)('is set and removed by PATCH if the pass is %s, with an event of the feed each', async (state) => {
    const key = await aPass({ gatekeeperNetwork: api.gatekeeperNetwork, state, ...UNSENT });
    const subject = `set-${state}`;
    expectProblem(
      await issue(api, key, { subject }),
      state === 'FROZEN' ? 'pass_frozen' : state === 'REVOKED' ? 'pass_revoked' : 'subject_differs',
    );
    const { updated } = await update(api, key, { subject });
    expect(updated).toMatchObject({ subject, state });
    expect(updated.events.at(-1)).toMatchObject({ eventType: 'SUBJECT_CHANGED' });
    expect((await update(api, key, { subject })).updated).toEqual(updated);
    expect(await walletsOf(api, subject)).toEqual([key.wallet]);
    const { events } = await jsonOf(api, '/events?limit=1000');
    expect(events.at(-1)).toMatchObject({ type: 'pass.subject_changed', data: { pass: { subject } } });
    const { updated: removed } = await update(api, key, { subject: null });
    expect(removed).not.toHaveProperty('subject');
    expect(await walletsOf(api, subject)).toEqual([]);
    expectProblem(await api.call('GET', pathOf(subject)), 'subject_not_found');
    expect((await update(api, key, { subject: `${subject}-2` })).updated).toMatchObject({ subject: `${subject}-2` });
  });

  it('is removed from events, database, object and audit trail', async () => {
    const SECRET = 'secret-of-jane';
    const key = await aMember(api, SECRET);
    await update(api, key, { state: 'FROZEN', reference: 'kept-reference' });
    await update(api, key, { subject: null });
    const object = PASSES.getByName(passName(key));
    const stored: unknown[] = [
      await jsonOf(api, '/events?limit=1000'),
      await object.readPublication(),
      await jsonOf(api, '/audit?limit=1000'),
    ];
    for (const table of ['passes', 'events']) stored.push((await DB.prepare(`SELECT * FROM ${table}`).all()).results);
    expect(JSON.stringify(stored)).not.toContain(SECRET);
    expect(JSON.stringify(stored)).toContain('kept-reference');
    const { entries } = await jsonOf(api, `/audit?pass=${(await recordOf(api, key)).id}&limit=1000`);
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['pass.set_subject']),
    );
  });

  it('may be in many items of a bulk request, which its object admits one by one', async () => {
    const issueOne = PassObject.prototype.issue;
    const slow = vi.spyOn(PassObject.prototype, 'issue').mockImplementation(async function (this: PassObject, ...call) {
      await new Promise((end) => setTimeout(end, 1_000));
      return issueOne.apply(this, call);
    });
    const items = Array.from({ length: 6 }, () => itemOf(aPassKey(api), { subject: 'many' }));
    const results = await resultsOf(api, 'POST', items);
    slow.mockRestore();
    expect(results.map(({ status }) => status)).toEqual(items.map(() => 202));
  });

  it('is in bulk requests, and its change is refused if the state is', async () => {
    const [one, other] = [aPassKey(api), aPassKey(api)];
    const items = [itemOf(one, { subject: 'bulk' }), itemOf(other, { subject: 'bulk' })];
    for (const results of [await resultsOf(api, 'POST', items), await resultsOf(api, 'POST', items)])
      expect(results.map(({ status, record }) => [status, record?.subject])).toEqual([
        [202, 'bulk'],
        [202, 'bulk'],
      ]);
    expect((await walletsOf(api, 'bulk')).toSorted()).toEqual([one.wallet, other.wallet].toSorted());
    const revoked = await aPass({ gatekeeperNetwork: api.gatekeeperNetwork, state: 'REVOKED', ...UNSENT });
    expectProblem(await update(api, revoked, { state: 'FROZEN', subject: 'bulk' }), 'pass_revoked');
    expect(await recordOf(api, revoked)).not.toHaveProperty('subject');
    expectProblem(await update(api, aPassKey(api), { subject: 'bulk' }), 'pass_not_found');
    expect((await jsonOf(api, pathOf('bulk'))).passes).toEqual({ REQUESTED: 2 });
  });
});

describe('a rule', async () => {
  it('allows a number of passes of a subject, and names those that count', async () => {
    const api = await newApi();
    await setRules(api, { subjectMaxPasses: 2 });
    const [a, b, c] = [aPassKey(api), aPassKey(api), aPassKey(api)];
    for (const key of [a, b]) expect((await issue(api, key, { subject: 'p' })).status).toBe(202);
    const refused = expectProblem(await issue(api, c, { subject: 'p' }), 'subject_limit_reached');
    const named = (key: PassKey) => ({ chain: { type: key.chain, network: key.network }, walletAddress: key.wallet });
    expect(refused).toMatchObject({ rule: { name: 'subjectMaxPasses', maximum: 2 } });
    const { rule } = refused as unknown as { rule: { passes: object[] } };
    expect(rule.passes).toHaveLength(2);
    expect(rule.passes).toEqual(expect.arrayContaining([named(a), named(b)]));
    // Repeats, other subjects and passes without one are free.
    expect((await issue(api, a, { subject: 'p' })).status).toBe(202);
    expect((await issue(api, c, { subject: 'q' })).status).toBe(202);
    expect((await issue(api, aPassKey(api))).status).toBe(202);
    const [bulk] = await resultsOf(api, 'POST', [itemOf(aPassKey(api), { subject: 'p' })]);
    expect([bulk?.status, bulk?.problem?.code]).toEqual([409, 'subject_limit_reached']);
    // Setting the subject counts too.
    const set = await aPass({ gatekeeperNetwork: api.gatekeeperNetwork, ...UNSENT });
    expectProblem(await update(api, set, { subject: 'p' }), 'subject_limit_reached');
    await update(api, a, { state: 'REVOKED' });
    expect((await update(api, set, { subject: 'p' })).status).toBe(200);
    expectProblem(await issue(api, aPassKey(api), { subject: 'p' }), 'subject_limit_reached');
    await update(api, set, { subject: null });
    expect((await issue(api, aPassKey(api), { subject: 'p' })).status).toBe(202);
  });

  it('may count on each network alone', async () => {
    const api = await newApi();
    await setRules(api, { subjectMaxPassesPerNetwork: 1, subjectMaxPasses: 2 });
    const key = aPassKey(api);
    expect((await issue(api, key, { subject: 'p' })).status).toBe(202);
    expect(expectProblem(await issue(api, aPassKey(api), { subject: 'p' }), 'subject_limit_reached')).toMatchObject({
      rule: { name: 'subjectMaxPassesPerNetwork' },
    });
    expect((await issue(api, aPassKey({ ...api, chain: 'solana' }), { subject: 'p' })).status).toBe(202);
  });

  it('does not count a pass that is rejected, revoked or expired, and refuses what would make it count again', async () => {
    const api = await newApi();
    const past = Math.floor(Date.now() / 1000) - 60;
    const future = past + 3_600;
    const expired = await aMember(api, 'p', 'ACTIVE', { expiry: past });
    const rejected = await aMember(api, 'p', 'REJECTED');
    await aMember(api, 'p', 'REVOKED');
    await setRules(api, { subjectMaxPasses: 1 });
    expect((await issue(api, aPassKey(api), { subject: 'p' })).status).toBe(202);
    for (const body of [{}, { subject: 'p' }]) {
      expectProblem(await issue(api, rejected, body), 'subject_limit_reached');
      expectProblem(await issue(api, expired, { ...body, expiryTimestamp: future }), 'subject_limit_reached');
    }
    expectProblem(await update(api, expired, { expiryTimestamp: future }), 'subject_limit_reached');
    const [item] = await resultsOf(api, 'PATCH', [itemOf(expired, { expiryTimestamp: future })]);
    expect(item?.problem?.code).toBe('subject_limit_reached');
    await setRules(api, { subjectMaxPasses: 2 });
    expect((await update(api, expired, { expiryTimestamp: future })).updated).toMatchObject({
      expiryTimestamp: future,
    });
    expectProblem(await issue(api, rejected), 'subject_limit_reached');
  });

  it('that allows fewer than exist leaves them, and refuses further ones', async () => {
    const api = await newApi();
    const keys = [aPassKey(api), aPassKey(api), aPassKey(api)];
    for (const key of keys) await issue(api, key, { subject: 'p' });
    await setRules(api, { subjectMaxPasses: 1 });
    for (const key of keys) expect((await issue(api, key, { subject: 'p' })).status).toBe(202);
    expectProblem(await issue(api, aPassKey(api), { subject: 'p' }), 'subject_limit_reached');
    for (const key of keys.slice(1)) await update(api, key, { state: 'REVOKED' });
    expectProblem(await issue(api, aPassKey(api), { subject: 'p' }), 'subject_limit_reached');
    await setRules(api, { subjectMaxPasses: null });
    expect((await issue(api, aPassKey(api), { subject: 'p' })).status).toBe(202);
  });

  it('may require a subject', async () => {
    const api = await newApi();
    const before = aPassKey(api);
    await issue(api, before);
    await setRules(api, { subjectRequired: true });
    expectProblem(await issue(api, aPassKey(api)), 'subject_required');
    expectProblem(await issue(api, before), 'subject_required');
    const [item] = await resultsOf(api, 'POST', [itemOf(aPassKey(api))]);
    expect([item?.status, item?.problem?.code]).toEqual([409, 'subject_required']);
    expect((await issue(api, aPassKey(api), { subject: 'p' })).status).toBe(202);
    const named = aPassKey(api);
    await issue(api, named, { subject: 'p' });
    expectProblem(await update(api, named, { subject: null }), 'subject_required');
    await setRules(api, { subjectRequired: false });
    expect((await issue(api, aPassKey(api))).status).toBe(202);
    expect((await update(api, named, { subject: null })).status).toBe(200);
  });

  it('concerns no event that a sandbox causes', async () => {
    const api = await aPartner({ gatekeeperNetwork: newSandbox(), send });
    await setRules(api, { subjectRequired: true });
    for (const type of ['pass.issued', 'pass.subject_changed'])
      expect((await api.post('/sandbox/trigger', { type })).status).toBe(202);
    await eventually(async () =>
      expect((await api.search({ filter: { subject: 'triggered' } })).records).toHaveLength(1),
    );
  });

  it('is set by the partner with the scope for it, or by the operator, and each change has an entry', async () => {
    const api = await newApi();
    const { gatekeeperNetwork } = api;
    const limited = await aPartner({ send, gatekeeperNetwork, scope: 'search:pass issue:pass update:pass' });
    expectProblem(await patch(limited, '/rules', { subjectMaxPasses: 1 }), 'insufficient_scope');
    expect(await jsonOf(limited, '/rules')).toEqual({});
    await setRules(api, { subjectMaxPasses: 3, subjectRequired: true, reason: 'one person' });
    expect(await jsonOf(limited, '/rules')).toEqual({ subjectMaxPasses: 3, subjectRequired: true });
    const operator = await anOperator({}, send);
    const { status, text } = await operator.call('PATCH', `/admin/gatekeeper-networks/${gatekeeperNetwork}/rules`, {
      body: JSON.stringify({ subjectMaxPasses: null, subjectMaxPassesPerNetwork: 1 }),
      headers: { 'content-type': 'application/json' },
    });
    expect([status, JSON.parse(text).rules]).toEqual([200, { subjectRequired: true, subjectMaxPassesPerNetwork: 1 }]);
    const { entries } = await jsonOf(api, '/audit?action=rules.change');
    expect(entries).toMatchObject([{ reason: 'one person', before: {}, after: { subjectMaxPasses: 3 } }]);
    for (const body of [
      {},
      { reason: 'a' },
      { subjectMaxPasses: 0 },
      { subjectMaxPasses: 1_001 },
      { subjectRequired: 1 },
      { other: 1 },
    ])
      expectProblem(await patch(api, '/rules', body), 'invalid_request');
  });
});

it('the usage counts subjects and their active passes, if it is asked', async () => {
  const api = await newApi();
  for (const [subject, state] of [
    ['a', 'ACTIVE'],
    ['a', 'ACTIVE'],
    ['b', 'ACTIVE'],
    ['c', 'FROZEN'],
  ] as const)
    await aMember(api, subject, state);
  expect((await jsonOf(api, '/usage?subjects=true')).subjects).toEqual({ count: 2, passes: 3 });
  expect(await jsonOf(api, '/usage')).not.toHaveProperty('subjects');
  const operator = await anOperator({}, send);
  const { gatekeeperNetworks } = JSON.parse((await operator.call('GET', '/admin/usage?subjects=true')).text);
  expect(
    gatekeeperNetworks.find((each: { gatekeeperNetwork: string }) => each.gatekeeperNetwork === api.gatekeeperNetwork),
  ).toMatchObject({
    subjects: { count: 2, passes: 3 },
  });
});
