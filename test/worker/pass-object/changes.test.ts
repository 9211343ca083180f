import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { OnChain } from '../../../src/pass/pass.ts';
import type { Accepted, UpdateResult } from '../../../src/pass-object/results.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { findPass } from '../../../src/store/search.ts';
import { anActivePassObject, aPassObject, recorded, recordIn, type Stub } from './a-pass-object.ts';

/** Requests for an existing pass, and readings of the chain. */

const { DB } = env as Env;
const LATER = 1_900_000_000;

afterEach(() => {
  vi.useRealTimers();
});

function acceptedOf(result: UpdateResult | undefined): Accepted {
  if (result?.type !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(result)}`);
  return result;
}

/** Returns all stored values and the time of the alarm. */
const everything = (object: Stub) =>
  runInDurableObject(object, async (_, { storage }) => ({
    rows: [...storage.kv.list()],
    alarm: await storage.getAlarm(),
  }));

/** Returns a reading with the token in that state. */
const shown = (onChain: Omit<OnChain, 'asOf'>): OnChain => ({ ...onChain, asOf: 120 });
const typesIn = (projection: { record: string }) => recordIn(projection).events.map(({ eventType }) => eventType);

describe('a wanted change', () => {
  it('stores a change together with an alarm', async () => {
    const { object, alarm } = await anActivePassObject();
    await runDurableObjectAlarm(object);
    expect(await alarm()).toBeNull();
    vi.useFakeTimers({ toFake: ['Date'] });
    const { publication, publish } = acceptedOf(
      await object.update({ client: 'acme', state: 'FROZEN', expiry: LATER }),
    );
    expect(publish).toBe('record-and-work');
    expect(recordIn(publication)).toMatchObject({ state: 'FROZEN', expiryTimestamp: LATER, onChainState: 'ACTIVE' });
    expect(await object.readPublication()).toEqual(publication);
    expect(Math.round((((await alarm()) ?? 0) - Date.now()) / 1000)).toBe(10);
  });

  it('publishes a change by the alarm when nobody else does', async () => {
    const { object, key, alarm } = await anActivePassObject();
    await object.update({ client: 'acme', state: 'FROZEN' });
    expect(await findPass(DB, key)).toBeUndefined();
    await runDurableObjectAlarm(object);
    expect(recordIn((await findPass(DB, key)) ?? { record: '{}' })).toMatchObject({ state: 'FROZEN' });
    expect(await alarm()).not.toBeNull();
  });

  it('does not overwrite a change in the read model with an older publication that arrives late', async () => {
    const { object, key } = await anActivePassObject();
    const old = await object.readPublication();
    const { publication } = acceptedOf(await object.update({ client: 'acme', state: 'FROZEN' }));
    await publishPasses(DB, [publication]);
    await publishPasses(DB, old ? [old] : []);
    expect((await findPass(DB, key))?.record).toBe(publication.record);
  });

  it.each([[{ state: 'ACTIVE' }], [{}]] as const)(
    'writes nothing for a change to the present wanted state: %j',
    async (request) => {
      const { object } = await anActivePassObject();
      const before = await everything(object);
      expect(acceptedOf(await object.update({ ...request, client: 'acme' }))).toMatchObject({ publish: 'nothing' });
      expect(await everything(object)).toEqual(before);
    },
  );

  it('writes nothing for a change that is refused', async () => {
    const { object } = await anActivePassObject();
    await object.update({ client: 'acme', state: 'REVOKED' });
    const before = await everything(object);
    expect(await object.update({ client: 'acme', state: 'ACTIVE' })).toEqual({
      type: 'refused',
      reason: 'pass_revoked',
    });
    expect(await object.update({ client: 'acme', expiry: LATER })).toEqual({ type: 'refused', reason: 'pass_revoked' });
    expect(await everything(object)).toEqual(before);
  });

  it('writes nothing for a change or a reading of a pass that does not exist', async () => {
    const { object } = aPassObject();
    expect(await object.update({ client: 'acme', state: 'FROZEN' })).toBeUndefined();
    expect(await object.adopt({ final: shown({ state: 'ACTIVE' }) })).toBeUndefined();
    expect(await everything(object)).toEqual({ rows: [], alarm: null });
  });

  it('lets a change wait for the pinned step, and marks that step as superseded', async () => {
    const { object } = await anActivePassObject();
    await object.update({ client: 'acme', state: 'FROZEN' });
    const first = await object.pinStep();
    expect(first?.step).toMatchObject({ kind: 'freeze', superseded: false, known: { state: 'ACTIVE', asOf: 100 } });
    await object.update({ client: 'acme', state: 'ACTIVE' });
    expect((await object.pinStep())?.step).toEqual({ ...first?.step, superseded: true });
    const withdrawn = await recorded(object, { type: 'withdrawn' });
    expect(withdrawn?.needsStep).toBe(false);
    expect(withdrawn && typesIn(withdrawn.publication).slice(2)).toEqual([
      'TOKEN_FROZEN_INITIATED',
      'TOKEN_FROZEN_FAILED',
    ]);
    expect(await object.pinStep()).toMatchObject({ step: undefined });
  });

  it('records the transaction of a withdrawn step that was sent as failed', async () => {
    const { object } = await anActivePassObject();
    await object.update({ client: 'acme', state: 'FROZEN' });
    // It expired, waits for another signature, and is superseded.
    await recorded(object, { type: 'sent', transaction: '0xbb' }, { type: 'waiting' });
    await object.update({ client: 'acme', state: 'ACTIVE' });
    const step = (await object.pinStep())?.step?.id ?? '';
    const withdrawn = await object.recordAnswers([{ step, revision: 3, status: { type: 'withdrawn' } }]);
    expect(withdrawn && recordIn(withdrawn.publication).events.slice(2)).toMatchObject([
      { eventType: 'TOKEN_FROZEN_INITIATED', transaction: { identifier: '0xbb', status: 'failed' } },
      { eventType: 'TOKEN_FROZEN_FAILED', reason: 'superseded' },
    ]);
  });
});

describe('a reading of the chain', () => {
  it('stores a reading together with an alarm, and publishes it by that alarm', async () => {
    const { object, key, alarm } = await anActivePassObject();
    await runDurableObjectAlarm(object);
    const synced = await object.adopt({ final: shown({ state: 'REVOKED' }) });
    expect(synced).toMatchObject({ changed: true, publish: 'record' });
    expect(await alarm()).not.toBeNull();
    await runDurableObjectAlarm(object);
    expect(recordIn((await findPass(DB, key)) ?? { record: '{}' })).toMatchObject({ state: 'REVOKED' });
    expect(await alarm()).toBeNull();
  });

  it.each<[string, OnChain]>([
    ['what is known', shown({ state: 'ACTIVE' })],
    ['the past', { ...shown({ state: 'FROZEN' }), asOf: 99 }],
  ])('writes nothing for a reading of %s', async (_, found) => {
    const { object } = await anActivePassObject();
    const before = await everything(object);
    expect(await object.adopt({ final: found })).toMatchObject({ changed: false });
    expect(await everything(object)).toEqual(before);
  });

  it('applies either the pinned step or the reading when both arrive at once', async () => {
    const { object } = await anActivePassObject();
    await object.update({ client: 'acme', state: 'FROZEN' });
    const [taken, synced] = await Promise.all([object.pinStep(), object.adopt({ final: shown({ state: 'REVOKED' }) })]);
    const { state } = recordIn((await object.readPublication()) ?? { record: '{}' });
    // Each is one turn: either the step is pinned and notices the change itself, or no step exists.
    expect([taken?.step?.kind, synced?.changed, state]).toEqual(
      synced?.changed ? [undefined, true, 'REVOKED'] : ['freeze', false, 'FROZEN'],
    );
  });

  it('ignores a late reading from before a change of our own', async () => {
    const { object } = await anActivePassObject();
    const look = shown({ state: 'ACTIVE' });
    await object.update({ client: 'acme', state: 'FROZEN' });
    const onChain = { state: 'FROZEN', asOf: 121 } as const;
    await recorded(object, { type: 'confirmed', transaction: '0xbb', onChain });
    expect(await object.adopt({ final: look })).toMatchObject({ changed: false });
    expect(recordIn((await object.readPublication()) ?? { record: '{}' })).toMatchObject({
      state: 'FROZEN',
      onChainState: 'FROZEN',
    });
  });
});
