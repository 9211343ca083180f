import { env, runInDurableObject } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { PassObject } from '../../../src/pass-object/pass-object.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { SECOND } from '../setup/second-database.ts';
import { aPass, aPassKey, STATES, type State, UNSENT } from './a-pass.ts';
import { QUEUE_THAT_FAILS, WITHOUT_LIMITS, workerWith } from './api.ts';
import { itemOf, resultsOf } from './bulk.ts';
import { aPartner, TRUSTING } from './issuer.ts';
import { moveAll } from './move-all.ts';
import { anOperator } from './operator.ts';

/** The partner's own name for a person, and the rules for it, in every route. */

const { DB, PASSES, QUOTAS, SUBJECTS } = env as unknown as Env;
const send = workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });
const newApi = () => aPartner({ send });
type Client = Awaited<ReturnType<typeof newApi>>;
beforeAll(() => void vi.spyOn(console, 'error').mockReturnValue());

const on = ({ chain, network }: PassKey) => `${chain}/${network}`;
const issue = (api: Client, key: PassKey, body: object = {}) => api.issue(on(key), key.wallet, body);
const update = (api: Client, key: PassKey, body: object) => api.update(on(key), key.wallet, body);
const recordOf = async (api: Client, key: PassKey) => (await api.fetch(on(key), key.wallet)).record;
const pathOf = (subject: string) => `/subjects/${encodeURIComponent(subject)}`;
const jsonOf = async (api: Client, path: string) => JSON.parse((await api.call('GET', path)).text);
const patch = (api: Client, path: string, body: object) =>
  api.call('PATCH', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const setRules = async (api: Client, rules: object) => expect((await patch(api, '/rules', rules)).status).toBe(200);
const walletsOf = async (api: Client, subject: string) =>
  (await api.search({ filter: { subject } })).records.map(({ walletAddress }) => walletAddress);

/** Changes a subject, and waits until all its passes have followed. */
async function change(api: Client, subject: string, body: object) {
  const { status, text } = await patch(api, pathOf(subject), body);
  expect(status).toBe(202);
  await followed(api, subject);
  return JSON.parse(text);
}
const followed = (api: Client, subject: string) =>
  eventually(async () => {
    const { requests } = await jsonOf(api, pathOf(subject));
    for (const request of requests) expect(request).toHaveProperty('finishedAt');
    return requests;
  });

/** Makes a pass in a state, with a subject, whose changes are never sent. */
async function aMember(api: Client, subject: string, state: State = 'ACTIVE', more: object = {}): Promise<PassKey> {
  const key = await aPass({ gatekeeperNetwork: api.gatekeeperNetwork, state, ...UNSENT, ...more });
  expect((await update(api, key, { subject })).status).toBe(200);
  return key;
}

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

describe('a frozen subject', async () => {
  const api = await newApi();

  it('freezes what is active, keeps its passes frozen, and unfreezes only what it has frozen', async () => {
    const [active, frozen, revoked, rejected] = [
      await aMember(api, 'f'),
      await aMember(api, 'f', 'FROZEN'),
      await aMember(api, 'f', 'REVOKED'),
      await aMember(api, 'f', 'REJECTED'),
    ];
    const requested = aPassKey(api);
    await issue(api, requested, { subject: 'f' });
    const accepted = await change(api, 'f', { state: 'FROZEN', reason: 'case 1' });
    expect(accepted).toMatchObject({
      subject: 'f',
      state: 'FROZEN',
      passes: 5,
      requests: [{ state: 'FROZEN', total: 5, done: 0 }],
    });
    expect(await jsonOf(api, pathOf('f'))).toMatchObject({
      state: 'FROZEN',
      passes: { FROZEN: 3, REVOKED: 1, REJECTED: 1 },
      requests: [{ total: 5, done: 5, refused: {} }],
    });
    expectProblem(await update(api, active, { state: 'ACTIVE' }), 'subject_frozen');
    expectProblem(await update(api, frozen, { state: 'ACTIVE' }), 'subject_frozen');
    expectProblem(await update(api, active, { subject: null }), 'subject_frozen');
    expectProblem(await issue(api, aPassKey(api), { subject: 'f' }), 'subject_frozen');
    expectProblem(await issue(api, rejected), 'subject_frozen');
    expectProblem(await issue(api, active), 'pass_frozen');
    const set = await aPass({ gatekeeperNetwork: api.gatekeeperNetwork, ...UNSENT });
    expectProblem(await update(api, set, { subject: 'f' }), 'subject_frozen');
    // A reference, a freeze and a revocation are free, also with the name that the pass has.
    expect((await update(api, frozen, { state: 'FROZEN', subject: 'f' })).status).toBe(200);
    expect((await update(api, revoked, { state: 'REVOKED', subject: 'f' })).status).toBe(200);
    expect((await update(api, active, { reference: 'r' })).status).toBe(200);
    expect((await update(api, requested, { state: 'REVOKED' })).status).toBe(200);
    await change(api, 'f', { state: 'ACTIVE' });
    const states = await Promise.all(
      [active, frozen, revoked, rejected, requested].map(async (key) => (await recordOf(api, key)).state),
    );
    expect(states).toEqual(['ACTIVE', 'FROZEN', 'REVOKED', 'REJECTED', 'REVOKED']);
    expect((await update(api, frozen, { state: 'ACTIVE' })).updated).toMatchObject({ state: 'ACTIVE' });
  });

  it('is frozen and revoked also on a day without room, and without the audit trail', async () => {
    const key = await aMember(api, 'lost');
    const quota = QUOTAS.getByName(api.gatekeeperNetwork);
    await quota.countChange('the first of the day', 1);
    const used = (changes: number) =>
      runInDurableObject(quota, (_, { storage }) =>
        storage.kv.put('day', { ...(storage.kv.get('day') as object), changes }),
      );
    const { changes = 0 } = await quota.usedToday();
    await used(1_000_000);
    expectProblem(await patch(api, pathOf('lost'), { expiryTimestamp: 4_000_000_000 }), 'room_quota_reached');
    await change(api, 'lost', { state: 'FROZEN' });
    expectProblem(await patch(api, pathOf('lost'), { state: 'ACTIVE' }), 'room_quota_reached');
    await used(changes);
    const fail = () => Promise.reject(new Error('no trail'));
    const noTrail = { getByName: () => ({ begin: fail, conclude: fail }) };
    const untrailed = api.through(workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, AUDITS: noTrail }));
    const byUntrailed = (method: string, body?: object) =>
      untrailed.call(method, pathOf('lost'), {
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
    expectProblem(await byUntrailed('PATCH', { state: 'ACTIVE' }), 'temporarily_unavailable');
    expect((await byUntrailed('PATCH', { state: 'FROZEN' })).status).toBe(202);
    expect((await byUntrailed('DELETE')).status).toBe(202);
    await followed(api, 'lost');
    expect((await recordOf(api, key)).state).toBe('REVOKED');
  });

  it('changes nothing by a repetition, which has no entry', async () => {
    await aMember(api, 'twice');
    await change(api, 'twice', { state: 'FROZEN' });
    await followed(api, 'twice');
    const seen = async () => [
      (await jsonOf(api, pathOf('twice'))).requests,
      (await jsonOf(api, '/audit?action=subject.change&limit=1000')).entries.length,
    ];
    const before = await seen();
    for (const _ of [1, 2]) expect((await patch(api, pathOf('twice'), { state: 'FROZEN' })).status).toBe(202);
    expect(await seen()).toEqual(before);
  });

  it('leaves a pass frozen that its partner has frozen meanwhile', async () => {
    const [own, other] = [await aMember(api, 'own'), await aMember(api, 'own')];
    await change(api, 'own', { state: 'FROZEN' });
    await change(api, 'own', { state: 'FROZEN' });
    expect((await update(api, own, { state: 'FROZEN' })).status).toBe(200);
    await change(api, 'own', { state: 'ACTIVE' });
    expect((await recordOf(api, own)).state).toBe('FROZEN');
    expect((await recordOf(api, other)).state).toBe('ACTIVE');
  });

  it('has one entry for the request and one for each pass, and no entry names it', async () => {
    const keys = [await aMember(api, 'audited-subject'), await aMember(api, 'audited-subject')];
    const { requests } = await change(api, 'audited-subject', { state: 'FROZEN', reason: 'case 2' });
    const { requestId } = requests[0];
    const entries = await eventually(async () => {
      const all = (await jsonOf(api, '/audit?limit=1000')).entries.filter(
        (entry: { requestId?: string }) => entry.requestId === requestId,
      );
      expect(all).toHaveLength(keys.length + 1);
      return all;
    });
    expect(entries.map(({ action }: { action: string }) => action).toSorted()).toEqual([
      'pass.freeze',
      'pass.freeze',
      'subject.change',
    ]);
    for (const entry of entries) expect(entry.reason).toBe('case 2');
    expect(JSON.stringify(entries)).not.toContain('audited-subject');
  });

  it('may be revoked, which is final', async () => {
    const [active, rejected] = [await aMember(api, 'r'), await aMember(api, 'r', 'REJECTED')];
    await change(api, 'r', { state: 'FROZEN' });
    const { status, text } = await api.call('DELETE', `${pathOf('r')}?reason=gone`);
    expect([status, JSON.parse(text).state]).toEqual([202, 'REVOKED']);
    await followed(api, 'r');
    for (const key of [active, rejected]) expect((await recordOf(api, key)).state).toBe('REVOKED');
    for (const body of [{ state: 'ACTIVE' }, { state: 'FROZEN' }, { expiryTimestamp: 4_000_000_000 }])
      expectProblem(await patch(api, pathOf('r'), body), 'subject_revoked');
    expectProblem(await issue(api, aPassKey(api), { subject: 'r' }), 'subject_revoked');
    expectProblem(await update(api, active, { subject: null }), 'subject_revoked');
    expectProblem(await issue(api, rejected), 'pass_revoked');
    expect((await api.call('DELETE', pathOf('r'))).status).toBe(202);
  });

  it('is renewed as a whole, as far as the rules allow', async () => {
    const past = Math.floor(Date.now() / 1000) - 60;
    const active = await aMember(api, 'n');
    const expired = await aMember(api, 'n', 'ACTIVE', { expiry: past });
    await setRules(api, { subjectMaxPasses: 1 });
    await change(api, 'n', { expiryTimestamp: 4_000_000_000 });
    expect((await recordOf(api, active)).expiryTimestamp).toBe(4_000_000_000);
    expect((await recordOf(api, expired)).expiryTimestamp).toBe(past);
    expect((await jsonOf(api, pathOf('n'))).requests).toMatchObject([
      { done: 2, refused: { subject_limit_reached: 1 } },
    ]);
    await setRules(api, { subjectMaxPasses: null });
    await change(api, 'n', { expiryTimestamp: 4_000_000_001 });
    expect((await recordOf(api, expired)).expiryTimestamp).toBe(4_000_000_001);
    expectProblem(await patch(api, pathOf('n'), { expiryTimestamp: past }), 'invalid_request', {
      pointer: '/expiryTimestamp',
    });
    for (const body of [
      {},
      { state: 'ACTIVE', expiryTimestamp: 4_000_000_000 },
      { state: 'REQUESTED' },
      { reference: 'a' },
    ])
      expectProblem(await patch(api, pathOf('n'), body), 'invalid_request');
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

it('a subject and the rules stay when rows are lost and restored, and a change reaches passes whose rows move', async () => {
  const api = await newApi();
  const { gatekeeperNetwork } = api;
  await setRules(api, { subjectMaxPasses: 2 });
  const [one, other] = [await aMember(api, 'moved'), await aMember(api, 'moved')];
  await DB.prepare('DELETE FROM passes WHERE gatekeeper_network = ?').bind(gatekeeperNetwork).run();
  expect(await walletsOf(api, 'moved')).toEqual([]);
  // The rules ask the pass objects, so a lost row makes no room.
  expectProblem(await issue(api, aPassKey(api), { subject: 'moved' }), 'subject_limit_reached');
  await change(api, 'moved', { state: 'FROZEN' });
  const operator = await anOperator({}, send);
  const objects = [one, other].map((key) => String(PASSES.idFromName(passName(key))));
  const rebuild = { shard: 'DB', start: true, objects, position: null };
  expect((await operator.post('/admin/rebuild', rebuild)).status).toBe(200);
  expect((await walletsOf(api, 'moved')).toSorted()).toEqual([one.wallet, other.wallet].toSorted());

  const exported = JSON.parse((await operator.call('GET', '/admin/partners/export?limit=100')).text);
  const rows = exported.gatekeeper_networks.filter(({ key }: { key: string }) => key === gatekeeperNetwork);
  expect(rows).toMatchObject([{ rules: '{"subjectMaxPasses":2}' }]);
  await DB.prepare(`UPDATE gatekeeper_networks SET rules = '{}' WHERE key = ?`).bind(gatekeeperNetwork).run();
  const partners = exported.partners.filter(
    (row: { gatekeeper_network: string }) => row.gatekeeper_network === gatekeeperNetwork,
  );
  expect((await operator.post('/admin/partners/import', { gatekeeper_networks: rows, partners })).status).toBe(200);
  expect(await jsonOf(api, '/rules')).toEqual({ subjectMaxPasses: 2 });
  const nulled = rows.map((row: object) => ({ ...row, rules: '{"subjectMaxPasses":null}' }));
  expect((await operator.post('/admin/partners/import', { gatekeeper_networks: nulled, partners })).status).toBe(400);

  const move = moveAll({ gatekeeperNetwork, to: SECOND, reason: 'a test' }, operator);
  await change(api, 'moved', { state: 'ACTIVE' });
  expect(JSON.parse((await move).text)).toMatchObject({ phase: 'done', passes: 2 });
  for (const key of [one, other]) expect((await recordOf(api, key)).state).toBe('ACTIVE');
  await eventually(async () => expect((await jsonOf(api, pathOf('moved'))).passes).toEqual({ ACTIVE: 2 }));
  await change(api, 'moved', { state: 'REVOKED' });
  await eventually(async () => expect((await jsonOf(api, pathOf('moved'))).passes).toEqual({ REVOKED: 2 }));
});
