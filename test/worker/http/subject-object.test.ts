import { env, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { PassObject } from '../../../src/pass-object/pass-object.ts';
import { Subject, type SubjectRequest } from '../../../src/subject-object/subject.ts';
import { SubjectObject } from '../../../src/subject-object/subject-object.ts';
import { SubjectStore } from '../../../src/subject-object/subject-store.ts';
import { hanging, UnreliableDatabase } from '../store/unreliable.ts';
import { aPass, aPassKey, UNSENT } from './a-pass.ts';
import { newGatekeeperNetwork } from './issuer.ts';

/** The object of a subject, whose alarms fire when a test wants it, and passes that answer late or not at all. */

const { PASSES, SUBJECTS, QUOTAS } = env as unknown as Env;
const CLIENT = 'acme';
const BY = { actor: { client: CLIENT }, requestId: '5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11' };
const LATER = 4_000_000_000;
const original = { ...methodsOf(PassObject.prototype) };

function methodsOf({ standing, issue, changeForSubject }: PassObject) {
  return { standing, issue, changeForSubject };
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(SubjectObject.prototype, 'alarm').mockResolvedValue();
  vi.spyOn(PassObject.prototype, 'hurry').mockResolvedValue();
});
afterEach(() => void vi.restoreAllMocks());

const nameOf = (object: PassObject) => (object as unknown as { readonly ctx: DurableObjectState }).ctx.id.name;
/** Objects share no promise. */
const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await pause(5);
};
const pause = (ms: number) => new Promise((end) => setTimeout(end, ms));
const changeTo = (change: Partial<SubjectRequest>): SubjectRequest => ({
  client: CLIENT,
  by: BY,
  rules: {},
  ...change,
});
const requestFor = (key: PassKey) => ({ key, client: CLIENT, contract: 'a', waits: false, by: BY });
const stateOf = async (key: PassKey) => (await PASSES.getByName(passName(key)).readPublication())?.state;
const alarmOf = ({ storage }: DurableObjectState) => storage.getAlarm();

/** Runs in the object of a new subject that has these passes. */
async function withSubject(
  members: number,
  test: (subject: Subject, keys: readonly PassKey[], state: DurableObjectState) => Promise<void>,
  gatekeeperNetwork = newGatekeeperNetwork(),
): Promise<void> {
  const keys = await Promise.all(Array.from({ length: members }, () => aPass({ gatekeeperNetwork, ...UNSENT })));
  await runInDurableObject(SUBJECTS.getByName(`${gatekeeperNetwork}/p`), async (_, state) => {
    const subject = new Subject(state, env as unknown as Env);
    for (const key of keys)
      expect(await subject.update(key, { subject: 'p', client: CLIENT, by: BY }, false, undefined, {})).toMatchObject({
        type: 'accepted',
      });
    await test(subject, keys, state);
  });
}

it('keeps a pass that got the subject while the answer of another one failed', () =>
  withSubject(2, async (subject, [unreachable, removed]) => {
    const [a, b] = [unreachable as PassKey, removed as PassKey];
    vi.spyOn(PassObject.prototype, 'standing').mockImplementation(async function (this: PassObject) {
      if (nameOf(this) === passName(a)) throw new Error('unreachable');
      await pause(200);
      return nameOf(this) === passName(b)
        ? { subject: 'other', counts: true, isOnChain: true, isFinal: false }
        : original.standing.call(this);
    });
    const refused = subject.issue(requestFor(aPassKey(a)), undefined, { subjectMaxPasses: 2 });
    const accepted = subject.update(b, { subject: 'p', client: CLIENT, by: BY }, false, undefined, {});
    expect(await refused).toMatchObject({ reason: 'temporarily_unavailable' });
    expect(await accepted).toMatchObject({ type: 'accepted' });
    await pause(300);
    expect(await subject.read()).toMatchObject({ passes: 2 });
  }));

it('keeps a pass to which an earlier request may still give the subject', () =>
  withSubject(1, async (subject, [member], { storage }) => {
    const key = aPassKey(member as PassKey);
    await PASSES.getByName(passName(key)).issue(requestFor(key));
    // A request before a crash has got no answer.
    const admittedUntil = Date.now() + 10_000;
    new SubjectStore(storage, key.gatekeeperNetwork).put(key, { until: admittedUntil });
    for (const name of ['p', null])
      expect(await subject.update(key, { subject: name, client: CLIENT, by: BY }, false, undefined, {})).toMatchObject({
        type: 'accepted',
      });
    const earlier = { subject: 'p', via: 'p', client: CLIENT, by: BY, admittedUntil };
    expect(await PASSES.getByName(passName(key)).update(earlier)).toMatchObject({ type: 'accepted' });
    const issued = subject.issue(requestFor(aPassKey(key)), undefined, { subjectMaxPasses: 2 });
    expect(await issued).toMatchObject({ reason: 'subject_limit_reached' });
  }));

it('refuses a request whose turn comes when its caller may have given it up', () =>
  withSubject(1, async (subject, [member]) => {
    let [hasArrived, lands] = [false, false];
    const issue = vi.spyOn(PassObject.prototype, 'issue').mockImplementation(async function (
      this: PassObject,
      ...call
    ) {
      hasArrived = true;
      await until(() => lands);
      return original.issue.apply(this, call);
    });
    const [first, second] = [aPassKey(member as PassKey), aPassKey(member as PassKey)];
    const issued = [first, second].map((key) => subject.issue(requestFor(key), undefined, {}));
    await until(() => hasArrived);
    const later = Date.now() + 16_000;
    vi.spyOn(Date, 'now').mockReturnValue(later);
    lands = true;
    for (const result of await Promise.all(issued)) expect(result).toMatchObject({ reason: 'temporarily_unavailable' });
    expect(issue).toHaveBeenCalledTimes(1);
  }));

describe('a rule', () => {
  it('asks a pass that does not count once a minute, and at once after its renewal', () =>
    withSubject(2, async (subject, [member]) => {
      const key = member as PassKey;
      const standing = vi.spyOn(PassObject.prototype, 'standing');
      standing.mockResolvedValue({ subject: 'p', counts: false, isOnChain: false, isFinal: false });
      vi.spyOn(PassObject.prototype, 'issue').mockResolvedValue({ type: 'refused', reason: 'pass_revoked' });
      const asked = async () => {
        standing.mockClear();
        const issued = await subject.issue(requestFor(aPassKey(key)), undefined, { subjectMaxPasses: 1 });
        expect(issued).toMatchObject({ reason: 'pass_revoked' });
        return standing.mock.calls.length;
      };
      expect(await asked()).toBe(2);
      expect(await asked()).toBe(0);
      await subject.update(key, { expiry: LATER, client: CLIENT, by: BY }, false, undefined, {});
      expect(await asked()).toBe(1);
      const later = Date.now() + 61_000;
      vi.spyOn(Date, 'now').mockReturnValue(later);
      expect(await asked()).toBe(2);
    }));

  it('counts a pass whose revocation the chain does not have yet', () =>
    withSubject(1, async (subject, [member]) => {
      const revoked = member as PassKey;
      const object = PASSES.getByName(passName(revoked));
      const issue = () => subject.issue(requestFor(aPassKey(revoked)), undefined, { subjectMaxPasses: 1 });
      await object.update({ state: 'REVOKED', client: CLIENT, by: BY });
      expect(await issue()).toMatchObject({ reason: 'subject_limit_reached' });
      const step = (await object.pinStep())?.step?.id as string;
      await object.recordAnswers([{ step, revision: 1, status: { type: 'found', onChain: { state: 'REVOKED' } } }]);
      expect(await issue()).toMatchObject({ type: 'accepted' });
      // It never counts again, so it is asked no more.
      const asked = vi.spyOn(PassObject.prototype, 'standing');
      expect(await issue()).toMatchObject({ reason: 'subject_limit_reached' });
      expect(asked.mock.contexts.map((each) => nameOf(each as PassObject))).not.toContain(passName(revoked));
    }));

  it('asks no other pass if the pass counts already', () =>
    withSubject(3, async (subject, [member]) => {
      const asked = vi.spyOn(PassObject.prototype, 'standing');
      await subject.update(member as PassKey, { expiry: LATER, client: CLIENT, by: BY }, false, undefined, {
        subjectMaxPasses: 1,
      });
      expect(asked).toHaveBeenCalledTimes(1);
    }));
});

describe('a change of the state', () => {
  it('waits for one pass of a renewal, and the renewal continues after it', () =>
    withSubject(7, async (subject, keys) => {
      const asked: string[] = [];
      let isFrozen = false;
      vi.spyOn(PassObject.prototype, 'changeForSubject').mockImplementation(async function (this: PassObject, ...call) {
        const [{ state = 'renewed' }] = call;
        asked.push(state);
        if (asked.length === 1) await until(() => isFrozen);
        return original.changeForSubject.apply(this, call);
      });
      await subject.change(changeTo({ expiry: LATER }));
      const slice = subject.fireAlarm();
      await until(() => asked.length === 1);
      await subject.change(changeTo({ state: 'FROZEN' }));
      isFrozen = true;
      await slice;
      await subject.fireAlarm();
      expect(asked).toEqual(['renewed', ...keys.map(() => 'FROZEN')]);
      await vi.waitFor(
        async () => {
          await subject.fireAlarm();
          expect((await subject.read())?.requests).toMatchObject([{ done: keys.length }, { done: keys.length }]);
        },
        { timeout: 15_000, interval: 500 },
      );
    }));

  it('reaches an issuance that lands after its round at once', () =>
    withSubject(1, async (subject, [member], state) => {
      const key = aPassKey(member as PassKey);
      let [hasArrived, lands] = [false, false];
      vi.spyOn(PassObject.prototype, 'issue').mockImplementation(async function (this: PassObject, ...call) {
        hasArrived = true;
        await until(() => lands);
        return original.issue.apply(this, call);
      });
      const issued = subject.issue(requestFor(key), undefined, {});
      await until(() => hasArrived);
      await subject.change(changeTo({ state: 'FROZEN' }));
      await subject.fireAlarm();
      expect(await alarmOf(state)).toBeGreaterThan(Date.now() + 1_000);
      lands = true;
      expect(await issued).toMatchObject({ type: 'accepted' });
      expect(await alarmOf(state)).toBeLessThanOrEqual(Date.now());
      await subject.fireAlarm();
      expect(await stateOf(key)).toBe('FROZEN');
    }));

  it('keeps a removed pass removed', () =>
    withSubject(1, async (subject, [member]) => {
      const key = member as PassKey;
      await subject.change(changeTo({ state: 'FROZEN' }));
      await subject.fireAlarm();
      await subject.change(changeTo({ state: 'ACTIVE' }));
      let [hasFollowed, isRemoved] = [false, false];
      vi.spyOn(PassObject.prototype, 'changeForSubject').mockImplementation(async function (this: PassObject, ...call) {
        const result = await original.changeForSubject.apply(this, call);
        hasFollowed = true;
        await until(() => isRemoved);
        return result;
      });
      const slice = subject.fireAlarm();
      await until(() => hasFollowed);
      await subject.update(key, { subject: null, client: CLIENT, by: BY }, false, undefined, {});
      isRemoved = true;
      await slice;
      expect(await subject.read()).toMatchObject({ passes: 0 });
    }));

  it('that has not reached a frozen pass yet refuses to unfreeze it', () =>
    withSubject(1, async (subject, [member]) => {
      const key = member as PassKey;
      const object = PASSES.getByName(passName(key));
      await object.update({ state: 'FROZEN', client: CLIENT, by: BY });
      const unfreeze = { state: 'ACTIVE', client: CLIENT, by: BY } as const;
      await subject.change(changeTo({ state: 'FROZEN' }));
      expect(await object.update(unfreeze)).toEqual({ type: 'refused', reason: 'of_subject', subject: 'p' });
      expect(await subject.update(key, unfreeze, false, undefined, {})).toMatchObject({ reason: 'subject_frozen' });
      await subject.change(changeTo({ state: 'ACTIVE' }));
      await subject.fireAlarm();
      expect(await stateOf(key)).toBe('FROZEN');
      // No rule concerns it: the pass counts already.
      const standing = vi.spyOn(PassObject.prototype, 'standing');
      expect(await subject.update(key, unfreeze, false, undefined, { subjectMaxPasses: 1 })).toMatchObject({
        type: 'accepted',
      });
      expect(standing).not.toHaveBeenCalled();
    }));

  it('refuses a new wallet before a rule does, and asks no pass', () =>
    withSubject(1, async (subject, [member]) => {
      await subject.change(changeTo({ state: 'FROZEN' }));
      const standing = vi.spyOn(PassObject.prototype, 'standing');
      const issued = subject.issue(requestFor(aPassKey(member as PassKey)), undefined, { subjectMaxPasses: 1 });
      expect(await issued).toMatchObject({ reason: 'subject_frozen' });
      expect(standing).not.toHaveBeenCalled();
    }));

  it('that waits for the count of a day delays no renewal', () =>
    withSubject(1, async (subject, [member]) => {
      const quota = { clientId: crypto.randomUUID(), daily: 0 };
      await subject.change(changeTo({ state: 'FROZEN' }));
      await subject.fireAlarm();
      await subject.change(changeTo({ state: 'ACTIVE', quota }));
      await subject.fireAlarm();
      await subject.change(changeTo({ expiry: LATER }));
      await subject.fireAlarm();
      expect((await subject.read())?.requests).toMatchObject([{ done: 0 }, { done: 1, refused: {} }]);
      expect(await stateOf(member as PassKey)).toBe('FROZEN');
    }));

  it('counts a pass that is gone as done, and waits three seconds for one that does not answer', () =>
    withSubject(3, async (subject, [silent, gone]) => {
      const [a, b] = [silent as PassKey, gone as PassKey];
      await PASSES.getByName(passName(b)).update({ subject: null, via: 'p', client: CLIENT, by: BY });
      let isOver = false;
      vi.spyOn(PassObject.prototype, 'changeForSubject').mockImplementation(async function (this: PassObject, ...call) {
        if (nameOf(this) === passName(a)) await until(() => isOver);
        return original.changeForSubject.apply(this, call);
      });
      await subject.change(changeTo({ state: 'FROZEN' }));
      const begun = Date.now();
      await subject.fireAlarm();
      isOver = true;
      // Later rounds wait 20 seconds. A busy machine takes a few more than three.
      expect(Date.now() - begun).toBeLessThan(15_000);
      expect(await subject.read()).toMatchObject({ passes: 2, requests: [{ total: 3, done: 2, refused: {} }] });
    }));

  it('reaches by a repetition a pass that has refused it, and asks none if all have followed', () =>
    withSubject(1, async (subject, [key]) => {
      const pass = key as PassKey;
      const asked = vi.spyOn(PassObject.prototype, 'changeForSubject');
      asked.mockImplementationOnce(async function (this: PassObject, ...request) {
        const answer = await original.changeForSubject.call(this, { ...request[0], subject: 'p', state: undefined });
        return { ...answer, refused: 'issued_by_another_gatekeeper' } as typeof answer;
      });
      await subject.change(changeTo({ state: 'FROZEN' }));
      await subject.fireAlarm();
      expect(await subject.read()).toMatchObject({ requests: [{ refused: { issued_by_another_gatekeeper: 1 } }] });
      expect(await stateOf(pass)).toBe('ACTIVE');
      await subject.change(changeTo({ state: 'FROZEN' }));
      await subject.fireAlarm();
      expect(await stateOf(pass)).toBe('FROZEN');
      expect(await subject.change(changeTo({ state: 'FROZEN' }))).toMatchObject({ isRepeated: true });
      await subject.fireAlarm();
      expect(asked).toHaveBeenCalledTimes(2);
    }));

  it('reaches a pass that got the subject after it was asked', () =>
    withSubject(1, async (subject, [member]) => {
      vi.spyOn(PassObject.prototype, 'changeForSubject').mockResolvedValueOnce(undefined);
      await subject.change(changeTo({ state: 'FROZEN' }));
      await subject.fireAlarm();
      expect((await subject.read())?.requests).toMatchObject([{ done: 0 }]);
      await vi.waitFor(
        async () => {
          await subject.fireAlarm();
          expect(await stateOf(member as PassKey)).toBe('FROZEN');
        },
        { timeout: 15_000, interval: 500 },
      );
    }));

  it('waits for no database that hangs', () =>
    withSubject(1, async (_, [member], state) => {
      const logged = vi.spyOn(console, 'error').mockReturnValue();
      const database = new UnreliableDatabase();
      database.manner = hanging;
      const subject = new Subject(state, { ...(env as unknown as Env), DB: database.asD1 });
      await subject.change(changeTo({ state: 'FROZEN' }));
      await subject.fireAlarm();
      expect((await subject.read())?.requests).toMatchObject([{ done: 1, finishedAt: expect.any(String) }]);
      expect(await stateOf(member as PassKey)).toBe('FROZEN');
      // A publication is given up after ten seconds, which is logged.
      expect(logged).not.toHaveBeenCalledWith(expect.stringContaining('pass.publish_failed'));
    }));

  it('asks no pass to unfreeze if none was frozen', () =>
    withSubject(2, async (subject, keys, state) => {
      const asked = vi.spyOn(PassObject.prototype, 'changeForSubject');
      for (let times = 0; times < 2; times += 1) {
        const changed = await subject.change(changeTo({ state: 'ACTIVE' }));
        expect(changed).toMatchObject({ requests: [{ done: keys.length, finishedAt: expect.any(String) }] });
        await subject.fireAlarm();
      }
      expect([await alarmOf(state), asked.mock.calls.length]).toEqual([null, 0]);
    }));
});

it('the renewal of a sandbox counts toward its room', async () => {
  const gatekeeperNetwork = newSandbox();
  await withSubject(
    2,
    async (subject) => {
      const used = async () => (await QUOTAS.getByName(gatekeeperNetwork).usedToday()).changes;
      const before = await used();
      await subject.change(changeTo({ expiry: Math.floor(Date.now() / 1_000) + 3_600 }));
      await subject.fireAlarm();
      expect(await used()).toBe(before + 2);
    },
    gatekeeperNetwork,
  );
});
