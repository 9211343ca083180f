import type { Subject } from '../api/records.ts';
import { Foreign } from '../layout/format.tsx';
import { AskFirst, type AskProps, TEXTS } from './change.tsx';

/** The changes of all passes of a person, each of which asks first. */

const CHANGES = {
  ACTIVE: ['freeze', 'renew', 'revoke'],
  FROZEN: ['unfreeze', 'renew', 'revoke'],
} as const;
export type SubjectChange = (typeof CHANGES)['ACTIVE' | 'FROZEN'][number];

/** Returns the changes that the subject allows. A revocation is final. */
export const subjectChangesOf = ({ state }: Pick<Subject, 'state'>): readonly SubjectChange[] =>
  Object.hasOwn(CHANGES, state) ? CHANGES[state as keyof typeof CHANGES] : [];

const DETAILS: Readonly<Record<SubjectChange, string>> = {
  freeze: 'dApps refuse all wallets, and no further wallet gets a pass, until you unfreeze it.',
  unfreeze: 'dApps accept the wallets again that this freeze has frozen.',
  renew: 'All passes get the new expiry.',
  revoke: 'A revocation is final. No wallet of this person can ever get a pass again.',
};

export function ConfirmSubjectChange({ value, ...ask }: AskProps<SubjectChange> & { readonly value: Subject }) {
  const count = Object.values(value.passes).reduce((sum, each) => sum + each, 0);
  return (
    <AskFirst title={`${TEXTS[ask.change].verb} this person?`} {...ask}>
      <p>
        Subject <Foreign>{value.subject}</Foreign>, {count === 1 ? '1 pass' : `${count} passes`}.
      </p>
      <p>{DETAILS[ask.change]}</p>
    </AskFirst>
  );
}
