import { env, runInDurableObject } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { passName } from '../../../src/pass/pass.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { SECOND } from '../setup/second-database.ts';
import { aPass, aPassKey, UNSENT } from './a-pass.ts';
import {
  aMember,
  change,
  followed,
  issue,
  jsonOf,
  newApi,
  patch,
  pathOf,
  recordOf,
  send,
  setRules,
  update,
  walletsOf,
} from './a-subject.ts';
import { WITHOUT_LIMITS, workerWith } from './api.ts';
import { TRUSTING } from './issuer.ts';
import { moveAll } from './move-all.ts';
import { anOperator } from './operator.ts';

/** The changes of all passes of a subject, also while rows are lost, restored and moved. */

const { DB, PASSES, QUOTAS } = env as unknown as Env;
beforeAll(() => void vi.spyOn(console, 'error').mockReturnValue());

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
