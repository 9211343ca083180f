import { describe, expect, it } from 'vitest';
import type { Subject } from '../../../pages/console/api/records.ts';
import { describeRequest, describeSubject, kindOfSubject } from '../../../pages/console/passes/subject-words.ts';

/** The answer of the console about a person with several wallets. */

const aSubject = (state: string, passes: number, next?: string) =>
  ({
    subject: 'p-1',
    state,
    passes: {},
    requests: [],
    records: Array(passes).fill({}),
    ...(next && { next }),
  }) as Subject;

describe('the answer for all wallets', () => {
  it.each([
    ['ACTIVE', 2, 2, 'accepted', 'dApps accept 2 of 2 wallets of this person.'],
    ['ACTIVE', 1, 2, 'accepted', 'dApps accept 1 of 2 wallets of this person.'],
    ['ACTIVE', 1, 1, 'accepted', 'dApps accept 1 of 1 wallet of this person.'],
    ['ACTIVE', 0, 1, 'refused', 'dApps refuse all wallets of this person.'],
    ['FROZEN', 0, 2, 'refused', 'This person is frozen: dApps refuse all wallets.'],
    ['FROZEN', 1, 2, 'waiting', 'This person is frozen, and the chain follows: dApps accept 1 of 2 wallets still.'],
    ['REVOKED', 0, 1, 'refused', 'This person is revoked: dApps refuse all wallets.'],
  ])('of the state %s, with %i of %i accepted', (state, accepted, passes, kind, text) => {
    const subject = aSubject(state, passes);
    expect([kindOfSubject(subject, accepted), describeSubject(subject, accepted)]).toEqual([kind, text]);
  });

  it('speaks of the newest ones only if the list is longer', () => {
    const subject = aSubject('FROZEN', 100, 'next');
    expect(describeSubject(subject, 0)).toBe('This person is frozen: dApps refuse the newest 100 wallets.');
    expect(describeSubject({ ...subject, state: 'ACTIVE' }, 7)).toBe(
      'dApps accept 7 of the newest 100 wallets of this person.',
    );
  });
});

describe('the progress of a change', () => {
  const request = { state: 'FROZEN', total: 300, done: 12, refused: {} };
  it.each([
    [request, 'The freeze is under way: 12 of 300 passes have followed.'],
    [{ ...request, state: 'REVOKED' }, 'The revocation is under way: 12 of 300 passes have followed.'],
    [{ ...request, state: 'ACTIVE' }, 'The end of the freeze is under way: 12 of 300 passes have followed.'],
    [{ total: 2, done: 1, refused: {} }, 'The new expiry is under way: 1 of 2 passes have followed.'],
    [{ ...request, finishedAt: 'a time' }, ''],
    [
      { ...request, finishedAt: 'a time', refused: { subject_limit_reached: 1, quota_reached: 2 } },
      'The freeze has ended, and 3 passes could not follow.',
    ],
  ])('%j is said in words', (shown, text) => {
    expect(describeRequest(shown)).toBe(text);
  });
});
