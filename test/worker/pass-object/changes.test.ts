import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { OnChain } from '../../../src/pass/pass.ts';
import type { Accepted, RequestResult } from '../../../src/pass-object/pass-object.ts';
import { findPass, publishPasses } from '../../../src/store/passes.ts';
import { anActivePassObject, aPassObject, recorded, recordIn, type Stub } from './a-pass-object.ts';

/** What partners want of a pass that is there, and what the chain shows of it. */

const { DB } = env as Env;
const LATER = 1_900_000_000;

function granted(wish: RequestResult | undefined): Accepted {
  if (wish === undefined || 'refused' in wish) throw new Error(`not granted: ${JSON.stringify(wish)}`);
  return wish;
}

/** Everything that is stored, and when the alarm rings. */
const everything = (object: Stub) =>
  runInDurableObject(object, async (_, { storage }) => ({
    rows: [...storage.kv.list()],
    alarm: await storage.getAlarm(),
  }));

/** A look that showed the token in that state. */
const shown = (onChain: Omit<OnChain, 'asOf'>): OnChain => ({ ...onChain, asOf: 120 });
const typesIn = (projection: { record: string }) => recordIn(projection).events.map(({ eventType }) => eventType);

describe('a change that is wanted', () => {
  it('is stored together with an alarm', async () => {
    const { object, alarm } = await anActivePassObject();
    await runDurableObjectAlarm(object);
    expect(await alarm()).toBeNull();
    const { publication, changed, settled } = granted(await object.update({ state: 'FROZEN', expiry: LATER }));
    expect([changed, settled]).toEqual([true, false]);
    expect(recordIn(publication)).toMatchObject({ state: 'FROZEN', expiryTimestamp: LATER, onChainState: 'ACTIVE' });
    expect(await object.readPublication()).toEqual(publication);
    expect(Math.round((((await alarm()) ?? 0) - Date.now()) / 1000)).toBe(10);
  });

  it('reaches the read model by the alarm, when nobody else has seen to it', async () => {
    const { object, key, alarm } = await anActivePassObject();
    await object.update({ state: 'FROZEN' });
    expect(await findPass(DB, key)).toBeUndefined();
    await runDurableObjectAlarm(object);
    expect(recordIn((await findPass(DB, key)) ?? { record: '{}' })).toMatchObject({ state: 'FROZEN' });
    expect(await alarm()).not.toBeNull();
  });

  it('is not overwritten in the read model by what was projected late', async () => {
    const { object, key } = await anActivePassObject();
    const old = await object.readPublication();
    const { publication } = granted(await object.update({ state: 'FROZEN' }));
    await publishPasses(DB, [publication]);
    await publishPasses(DB, old ? [old] : []);
    expect((await findPass(DB, key))?.record).toBe(publication.record);
  });

  it.each([[{ state: 'ACTIVE' }], [{}]] as const)('and is so already writes nothing: %j', async (wish) => {
    const { object } = await anActivePassObject();
    const before = await everything(object);
    expect(granted(await object.update(wish))).toMatchObject({ changed: false, settled: true });
    expect(await everything(object)).toEqual(before);
  });

  it('and cannot be writes nothing', async () => {
    const { object } = await anActivePassObject();
    await object.update({ state: 'REVOKED' });
    const before = await everything(object);
    expect(await object.update({ state: 'ACTIVE' })).toEqual({ refused: 'pass_revoked' });
    expect(await object.update({ expiry: LATER })).toEqual({ refused: 'pass_revoked' });
    expect(await everything(object)).toEqual(before);
  });

  it('of a pass that is not there leaves no trace', async () => {
    const { object } = aPassObject();
    expect(await object.update({ state: 'FROZEN' })).toBeUndefined();
    expect(await object.adoptReading(shown({ state: 'ACTIVE' }))).toBeUndefined();
    expect(await everything(object)).toEqual({ rows: [], alarm: null });
  });

  it('waits for the step that is pinned, which is told that it was superseded', async () => {
    const { object } = await anActivePassObject();
    await object.update({ state: 'FROZEN' });
    const first = await object.pinStep();
    expect(first?.step).toMatchObject({ kind: 'freeze', superseded: false, known: { state: 'ACTIVE', asOf: 100 } });
    await object.update({ state: 'ACTIVE' });
    expect((await object.pinStep())?.step).toEqual({ ...first?.step, superseded: true });
    const withdrawn = await recorded(object, { type: 'withdrawn' });
    expect(withdrawn?.needsStep).toBe(false);
    expect(withdrawn && typesIn(withdrawn.publication).slice(2)).toEqual([
      'TOKEN_FROZEN_INITIATED',
      'TOKEN_FROZEN_FAILED',
    ]);
    expect(await object.pinStep()).toMatchObject({ step: undefined });
  });

  it('and was sent, before it was superseded: its transaction is known to be void', async () => {
    const { object } = await anActivePassObject();
    await object.update({ state: 'FROZEN' });
    // Expired on its way, waits to be signed anew, and is not wanted any more.
    await recorded(object, { type: 'sent', transaction: '0xbb' }, { type: 'waiting' });
    await object.update({ state: 'ACTIVE' });
    const step = (await object.pinStep())?.step?.id ?? '';
    const withdrawn = await object.recordAnswers([{ step, revision: 3, status: { type: 'withdrawn' } }]);
    expect(withdrawn && recordIn(withdrawn.publication).events.slice(2)).toMatchObject([
      { eventType: 'TOKEN_FROZEN_INITIATED', transaction: { identifier: '0xbb', status: 'failed' } },
      { eventType: 'TOKEN_FROZEN_FAILED', reason: 'superseded' },
    ]);
  });
});

describe('what the chain shows', () => {
  it('is stored together with an alarm, and reaches the read model by it', async () => {
    const { object, key, alarm } = await anActivePassObject();
    await runDurableObjectAlarm(object);
    const synced = await object.adoptReading(shown({ state: 'REVOKED' }));
    expect(synced).toMatchObject({ changed: true, settled: true });
    expect(await alarm()).not.toBeNull();
    await runDurableObjectAlarm(object);
    expect(recordIn((await findPass(DB, key)) ?? { record: '{}' })).toMatchObject({ state: 'REVOKED' });
    expect(await alarm()).toBeNull();
  });

  it.each<[string, OnChain]>([
    ['what is known', shown({ state: 'ACTIVE' })],
    ['the past', { ...shown({ state: 'FROZEN' }), asOf: 99 }],
  ])('writes nothing where it is %s', async (_, found) => {
    const { object } = await anActivePassObject();
    const before = await everything(object);
    expect(await object.adoptReading(found)).toMatchObject({ changed: false });
    expect(await everything(object)).toEqual(before);
  });

  it('writes nothing while a step is under way, whoever of them comes first', async () => {
    const { object } = await anActivePassObject();
    await object.update({ state: 'FROZEN' });
    const [taken, synced] = await Promise.all([object.pinStep(), object.adoptReading(shown({ state: 'REVOKED' }))]);
    const { state } = recordIn((await object.readPublication()) ?? { record: '{}' });
    // Both are one turn each: either the step is pinned and finds out itself, or there is none any more.
    expect([taken?.step?.kind, synced?.changed, state]).toEqual(
      synced?.changed ? [undefined, true, 'REVOKED'] : ['freeze', false, 'FROZEN'],
    );
  });

  it('of a change of ours is ours, however late the look comes', async () => {
    const { object } = await anActivePassObject();
    const look = shown({ state: 'ACTIVE' });
    await object.update({ state: 'FROZEN' });
    const onChain = { state: 'FROZEN', asOf: 121 } as const;
    await recorded(object, { type: 'confirmed', transaction: '0xbb', onChain });
    expect(await object.adoptReading(look)).toMatchObject({ changed: false });
    expect(recordIn((await object.readPublication()) ?? { record: '{}' })).toMatchObject({
      state: 'FROZEN',
      onChainState: 'FROZEN',
    });
  });
});
