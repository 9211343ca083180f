import type { Subject, SubjectProgress } from '../api/records.ts';

/** The answer about a person with several wallets, in words. */

/** Returns the color of the answer. */
export function kindOfSubject({ state }: Pick<Subject, 'state'>, accepted: number): 'accepted' | 'refused' | 'waiting' {
  if (accepted === 0) return 'refused';
  return state === 'ACTIVE' ? 'accepted' : 'waiting';
}

const walletsIn = (count: number) => (count === 1 ? '1 wallet' : `${count} wallets`);

/** Says whether dApps accept the wallets of the person. A long list shows only some of them. */
export function describeSubject({ state, records, next }: Subject, accepted: number): string {
  const total = `${next === undefined ? '' : 'the newest '}${walletsIn(records.length)}`;
  const counted = `dApps accept ${accepted} of ${total}`;
  if (state === 'ACTIVE')
    return accepted === 0 ? 'dApps refuse all wallets of this person.' : `${counted} of this person.`;
  const end = state === 'REVOKED' ? 'revoked' : 'frozen';
  return accepted === 0
    ? `This person is ${end}: dApps refuse ${next === undefined ? 'all wallets' : total}.`
    : `This person is ${end}, and the chain follows: ${counted} still.`;
}

const CHANGES: Readonly<Record<string, string>> = {
  ACTIVE: 'The end of the freeze',
  FROZEN: 'The freeze',
  REVOKED: 'The revocation',
};

/** Says how far a change is; an empty text once all passes have followed. */
export function describeRequest({
  state,
  done,
  total,
  refused,
  finishedAt,
}: Pick<SubjectProgress, 'state' | 'done' | 'total' | 'refused' | 'finishedAt'>): string {
  const change = state === undefined ? 'The new expiry' : (CHANGES[state] ?? 'A change');
  if (finishedAt === undefined) return `${change} is under way: ${done} of ${total} passes have followed.`;
  const left = Object.values(refused).reduce((sum, count) => sum + count, 0);
  return left === 0 ? '' : `${change} has ended, and ${left === 1 ? '1 pass' : `${left} passes`} could not follow.`;
}
