import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/audit/entry.ts';
import type { WeighedAction } from '../../../src/audit-object/begun-actions.ts';
import { DAY_MS } from '../../../src/lib/units.ts';
import { anEntry, aTrail } from './a-trail.ts';

/** Which actions wait for a second person, and what a confirmation allows. */

type Trail = ReturnType<typeof aTrail>;

const ada: Actor = { client: 'console', sub: 'ada' };
const bob: Actor = { client: 'console', sub: 'bob' };

/** Begins an action. Returns its key. */
async function begin(trail: Trail, { action = 'operator.withdraw', actor = ada } = {}): Promise<string> {
  const key = crypto.randomUUID();
  await trail.begin(anEntry({ key, action, actor, requestId: key }));
  return key;
}

const weigh = async (trail: Trail, action: Partial<WeighedAction>, by: Parameters<typeof begin>[1] = {}) =>
  trail.weigh(await begin(trail, by), { input: '{}', limit: 0, left: 1, slice: 500, ...action });

/** Has an action wait. Returns its id. */
async function waiting(trail: Trail, action: Partial<WeighedAction>, by?: Parameters<typeof begin>[1]) {
  const approval = await weigh(trail, action, by);
  if (typeof approval !== 'object') throw new Error('the action does not wait');
  return approval.id;
}

describe('the number of items above which an action waits', () => {
  it('counts the items of a day, of all actors, for each action apart', async () => {
    const trail = aTrail();
    expect(await weigh(trail, { left: 2, limit: 3 })).toBeUndefined();
    expect(await weigh(trail, { left: 3, limit: 3 }, { action: 'operator.abandon' })).toBeUndefined();
    expect(await weigh(trail, { left: 2, limit: 3 }, { actor: bob })).toMatchObject({ count: 2 });
    expect(await weigh(trail, { left: 1, limit: 3 }, { actor: bob })).toBeUndefined();
    await runInDurableObject(trail, (_, { storage: { sql } }) => {
      sql.exec('UPDATE counted_action SET at_ms = at_ms - ?', DAY_MS);
    });
    expect(await weigh(trail, { left: 3, limit: 3 })).toBeUndefined();
  });

  it('counts what each slice of a long action does, so that the action continues', async () => {
    const trail = aTrail();
    for (const left of [5, 3, 1]) expect(await weigh(trail, { left, slice: 2, limit: 5 })).toBeUndefined();
    expect(await weigh(trail, { limit: 5 })).toMatchObject({ count: 1 });
  });

  it('does not count an action that waits', async () => {
    const trail = aTrail();
    await waiting(trail, { left: 9, limit: 3 });
    expect(await weigh(trail, { left: 3, limit: 3 })).toBeUndefined();
  });
});

describe('an approval', () => {
  it('is the same for the same request of the same person, and another one for every other', async () => {
    const trail = aTrail();
    const id = await waiting(trail, {});
    expect(await waiting(trail, {})).toBe(id);
    const others = [
      await waiting(trail, {}, { actor: bob }),
      await waiting(trail, {}, { actor: { client: 'program' } }),
      await waiting(trail, {}, { action: 'operator.abandon' }),
      await waiting(trail, { input: '{"client":"acme"}' }),
    ];
    expect(new Set([id, ...others]).size).toBe(5);
  });

  it('is refused while a hundred wait, and given once one of them is rejected', async () => {
    const trail = aTrail();
    const ids: string[] = [];
    for (let number = 0; number < 100; number++) ids.push(await waiting(trail, { input: `${number}` }));
    expect(await weigh(trail, { input: 'one more' })).toBe('too-many');
    expect(await waiting(trail, { input: '7' })).toBe(ids[7]);
    await trail.decideApproval(ids[0] ?? '', bob, false);
    expect(await weigh(trail, { input: 'one more' })).toMatchObject({ count: 1 });
  });

  it('allows only the action that was asked for, also if another one has the same input', async () => {
    const trail = aTrail();
    const input = '{"gatekeeperNetwork":"acme","reason":"stolen"}';
    const id = await waiting(trail, { input });
    expect(await trail.findConfirmed(await begin(trail), id, input)).toBe('unconfirmed');
    await trail.decideApproval(id, bob, true);
    expect(await trail.findConfirmed(await begin(trail, { action: 'operator.revoke' }), id, input)).toBe('differs');
    expect(await trail.findConfirmed(await begin(trail), id, '{}')).toBe('differs');
    expect(await trail.findConfirmed(await begin(trail), id, input)).toMatchObject({ id, confirmedBy: bob });
  });

  it('shrinks by each slice that is done, stays confirmed, and ends with the last one', async () => {
    const trail = aTrail();
    const id = await waiting(trail, { left: 5 });
    await trail.decideApproval(id, bob, true);
    await trail.spendApproval(id, 2, true);
    expect(await trail.listApprovals()).toMatchObject([{ id, count: 3, confirmedBy: bob }]);
    await trail.spendApproval(id, 3, false);
    expect(await trail.listApprovals()).toEqual([]);
  });
});
