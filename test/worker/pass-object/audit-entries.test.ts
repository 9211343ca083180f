import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import type { AuditEntry } from '../../../src/audit/entry.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import type { StoredPass } from '../../../src/pass-object/stored-pass.ts';
import { defaultContract } from '../../default-contract.ts';
import { eventually } from '../../eventually.ts';
import { freshWallet } from '../chain/ethereum/node.ts';
import { configureObject, keepAlive } from '../configure-object.ts';
import { newGatekeeperNetwork } from '../http/issuer.ts';
import { withoutTimers } from '../without-timers.ts';
import { CONFIRMED, recorded, recordIn, SENT, type Stub } from './a-pass-object.ts';

/** The entries of a pass in the audit trail: each change has exactly one, whatever stops the object or the trail. */

const { PASSES, AUDITS } = env as Env;
const by = (reason?: string) => ({
  actor: { client: 'acme', sub: 'alice' },
  requestId: crypto.randomUUID(),
  ...(reason !== undefined && { reason }),
});

function aPassWithTrail(isKept = true) {
  const key: PassKey = {
    gatekeeperNetwork: newGatekeeperNetwork(),
    chain: 'ethereum',
    network: 'sepolia',
    wallet: freshWallet(),
  };
  const object: Stub = PASSES.getByName(passName(key));
  if (isKept) keepAlive(object);
  const trail = AUDITS.getByName(key.gatekeeperNetwork);
  const issue = (requester = by()) =>
    object.issue({ key, contract: defaultContract(key), client: 'acme', waits: false, by: requester });
  return { key, object, trail, issue };
}

type Trail = ReturnType<typeof aPassWithTrail>['trail'];

const entriesIn = async (trail: Trail) =>
  (await trail.read({ limit: 1_000 })).entries.map(({ text }) => JSON.parse(text) as AuditEntry);
const pendingIn = (object: Stub) =>
  runInDurableObject(object, (_, { storage }) => {
    const rows = [...storage.kv.list({ prefix: 'audit:' })].length;
    const { entries, sent } = storage.kv.get('pass') as StoredPass;
    return { last: entries?.last, appended: sent.entriesInTrail, inPass: entries?.pending.length, rows };
  });

/** A trail that fails until the mode changes. */
function anUnreliableTrail(mode: { current: 'works' | 'refuses' | 'loses the answer' | 'hangs' }) {
  const getByName = (name: string) => ({
    append: async (entries: readonly AuditEntry[]) => {
      if (mode.current === 'refuses') throw new Error('the trail is away');
      while (mode.current === 'hangs') await scheduler.wait(10);
      await AUDITS.getByName(name).append(entries);
      if (mode.current === 'loses the answer') throw new Error('the answer is lost');
    },
  });
  return { AUDITS: { getByName } };
}

async function aPassWithUnreliableTrail(current: 'works' | 'refuses' | 'loses the answer' | 'hangs') {
  const made = aPassWithTrail();
  const mode = { current };
  await configureObject(made.object, anUnreliableTrail(mode));
  return { ...made, mode };
}

vi.spyOn(console, 'error').mockReturnValue();

describe('the entries of a pass', () => {
  it('say who requested what, when and why, and what it was before', async () => {
    const { key, object, trail, issue } = aPassWithTrail();
    const [issuance, freeze, revocation] = [by(), by('case 4711'), by()];
    await issue(issuance);
    await recorded(object, SENT, CONFIRMED);
    await object.update({ client: 'acme', state: 'FROZEN', expiry: 1_900_000_000, by: freeze });
    await object.update({ client: 'globex', state: 'REVOKED', by: { ...revocation, actor: { client: 'globex' } } });
    await runDurableObjectAlarm(object);
    await eventually(async () => expect(await entriesIn(trail)).toHaveLength(3));
    const { id } = recordIn((await object.readPublication()) ?? { record: '' });
    const target = { pass: id, chain: { type: 'ethereum', network: 'sepolia' }, walletAddress: key.wallet };
    const common = { at: expect.stringMatching(/Z$/), actor: freeze.actor, target, outcome: { type: 'done' } };
    const active = { state: 'ACTIVE', client: 'acme' };
    const frozen = { state: 'FROZEN', expiryTimestamp: 1_900_000_000, client: 'acme' };
    expect(await entriesIn(trail)).toMatchObject([
      { ...common, key: `${id}/1`, action: 'pass.issue', requestId: issuance.requestId, after: active },
      {
        ...common,
        key: `${id}/2`,
        action: 'pass.freeze',
        requestId: freeze.requestId,
        before: active,
        after: frozen,
        reason: 'case 4711',
      },
      {
        ...common,
        key: `${id}/3`,
        action: 'pass.revoke',
        actor: { client: 'globex' },
        before: frozen,
        after: { state: 'REVOKED' },
      },
    ]);
    expect((await entriesIn(trail))[0]).not.toHaveProperty('before');
  });

  it('are missing for a request that changes nothing or is refused, and for a reading that nobody requested', async () => {
    const { object, trail, issue } = aPassWithTrail();
    await issue();
    await issue();
    await recorded(object, SENT, CONFIRMED);
    await object.update({ client: 'acme', state: 'ACTIVE', by: by() });
    await object.adopt({ final: { state: 'FROZEN', asOf: 120 } });
    expect(await object.update({ client: 'acme', expiry: 1, by: by() })).toMatchObject({ type: 'accepted' });
    await object.update({ client: 'acme', state: 'REVOKED', by: by() });
    expect(await object.update({ client: 'acme', state: 'ACTIVE', by: by() })).toMatchObject({
      reason: 'pass_revoked',
    });
    await object.update({ client: 'acme', state: 'REVOKED', by: by() });
    await eventually(async () => expect(await pendingIn(object)).toMatchObject({ last: 3 }));
    await runDurableObjectAlarm(object);
    const actions = async () => (await entriesIn(trail)).map(({ action }) => action);
    await eventually(async () => expect(await actions()).toEqual(['pass.issue', 'pass.set_expiry', 'pass.revoke']));
  });

  it('name a sync that changed something', async () => {
    const { object, trail, issue } = aPassWithTrail();
    await issue();
    await recorded(object, SENT, CONFIRMED);
    await object.adopt({ final: { state: 'FROZEN', asOf: 120 } }, [], by());
    await object.adopt({ final: { state: 'FROZEN', asOf: 121 } }, [], by());
    await eventually(async () => expect(await entriesIn(trail)).toHaveLength(2));
    expect((await entriesIn(trail))[1]).toMatchObject({
      action: 'pass.sync',
      before: { onChainState: 'ACTIVE' },
      after: { onChainState: 'FROZEN', state: 'FROZEN' },
    });
  });

  it('name the request in every event that it caused', async () => {
    const { object, issue } = aPassWithTrail();
    const [issuance, freeze, late] = [by(), by(), by()];
    await issue(issuance);
    await recorded(object, SENT, CONFIRMED);
    await object.update({ client: 'acme', state: 'FROZEN', by: freeze });
    const taken = await object.pinStep();
    // A later request does not take over the events of the step under way.
    await object.update({ client: 'acme', expiry: 1_900_000_000, by: late });
    const status = { type: 'confirmed', transaction: '0xbb', onChain: { state: 'FROZEN', asOf: 130 } } as const;
    await object.recordAnswers([{ step: taken?.step?.id ?? '', revision: 1, status }]);
    const { events } = recordIn((await object.readPublication()) ?? { record: '' });
    expect(events.map(({ eventType, requestId }) => [eventType, requestId])).toEqual([
      ['TOKEN_ISSUED_INITIATED', issuance.requestId],
      ['TOKEN_ISSUED', issuance.requestId],
      ['TOKEN_FROZEN_INITIATED', freeze.requestId],
      ['TOKEN_FROZEN', freeze.requestId],
    ]);
    await object.adopt({ final: { state: 'ACTIVE', asOf: 140 } }, [], by());
    expect(recordIn((await object.readPublication()) ?? { record: '' }).events.at(-1)).toMatchObject({ byOthers: {} });
    expect(recordIn((await object.readPublication()) ?? { record: '' }).events.at(-1)).not.toHaveProperty('requestId');
  });
});

describe('a trail that fails', () => {
  it.each(['refuses', 'hangs'] as const)('that %s delays no change, and gets its entries later', async (failure) => {
    const { object, trail, issue, mode } = await aPassWithUnreliableTrail(failure);
    await withoutTimers(async () => {
      await issue();
      await object.update({ client: 'acme', state: 'REVOKED', by: by() });
    });
    expect(await entriesIn(trail)).toEqual([]);
    expect(await pendingIn(object)).toMatchObject({ last: 2, appended: 0, inPass: 2 });
    mode.current = 'works';
    await eventually(async () => {
      await runDurableObjectAlarm(object);
      expect((await entriesIn(trail)).map(({ action }) => action)).toEqual(['pass.issue', 'pass.revoke']);
    }, 500);
  });

  it('whose answers are lost gets each entry once', async () => {
    const { object, trail, issue, mode } = await aPassWithUnreliableTrail('loses the answer');
    await issue();
    await runDurableObjectAlarm(object);
    await object.update({ client: 'acme', state: 'REVOKED', by: by() });
    await runDurableObjectAlarm(object);
    mode.current = 'works';
    await runDurableObjectAlarm(object);
    expect((await entriesIn(trail)).map(({ action }) => action)).toEqual(['pass.issue', 'pass.revoke']);
  });

  it('for long loses no entry: the later ones have rows of their own, until the trail has them', async () => {
    const { object, trail, issue, mode } = await aPassWithUnreliableTrail('refuses');
    await configureObject(object, { ...anUnreliableTrail(mode), PASS_DAILY_CHANGES: '9999' });
    await issue();
    for (let n = 1; n <= 120; n += 1) await object.update({ client: 'acme', expiry: 1_900_000_000 + n, by: by() });
    expect(await pendingIn(object)).toEqual({ last: 121, appended: 0, inPass: 50, rows: 71 });
    mode.current = 'works';
    await runDurableObjectAlarm(object);
    await object.update({ client: 'acme', state: 'REVOKED', by: by() });
    await runDurableObjectAlarm(object);
    expect(await entriesIn(trail)).toHaveLength(122);
    const { id } = recordIn((await object.readPublication()) ?? { record: '' });
    expect((await entriesIn(trail)).map(({ key }) => key)).toEqual(
      Array.from({ length: 122 }, (_, n) => `${id}/${n + 1}`),
    );
    await object.update({ client: 'acme', state: 'REVOKED', by: by() });
    await runDurableObjectAlarm(object);
    expect(await pendingIn(object)).toMatchObject({ rows: 0 });
  });

  it('loses no entry if the pass is restored to an earlier time and counts its changes again', async () => {
    const { object, trail, issue } = aPassWithTrail(false);
    const setExpiry = (expiry: number) => object.update({ client: 'acme', expiry, by: by() });
    await issue();
    await setExpiry(1_900_000_000);
    await eventually(async () => expect(await entriesIn(trail)).toHaveLength(2));
    const backup = await runInDurableObject(object, (_, { storage }) => storage.kv.get('pass'));
    await setExpiry(1_900_000_001);
    await eventually(async () => expect(await entriesIn(trail)).toHaveLength(3));
    await runInDurableObject(object, (_, { storage }) => storage.kv.put('pass', backup));
    await evictDurableObject(object);
    await object.update({ client: 'acme', state: 'REVOKED', by: by() });
    await eventually(async () => expect(await entriesIn(trail)).toHaveLength(4));
    expect((await entriesIn(trail)).map(({ action }) => action)).toEqual([
      'pass.issue',
      'pass.set_expiry',
      'pass.set_expiry',
      'pass.revoke',
    ]);
  });

  it('keeps the alarm of a settled pass until it has the entry', async () => {
    const { object, trail, issue, mode } = await aPassWithUnreliableTrail('works');
    const alarm = () => runInDurableObject(object, (_, { storage }) => storage.getAlarm());
    await issue();
    await recorded(object, SENT, CONFIRMED);
    await runDurableObjectAlarm(object);
    expect(await alarm()).toBeNull();
    mode.current = 'refuses';
    await object.adopt({ final: { state: 'FROZEN', asOf: 120 } }, [], by());
    const { version, eventsInFeed } = (await object.readPublication()) ?? { version: 0, eventsInFeed: 0 };
    await object.markPublished({ version, eventsInFeed });
    expect(await alarm()).not.toBeNull();
    mode.current = 'works';
    await runDurableObjectAlarm(object);
    expect(await alarm()).toBeNull();
    expect(await entriesIn(trail)).toHaveLength(2);
  });
});
