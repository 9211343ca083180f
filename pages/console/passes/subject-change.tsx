import type { Subject } from '../api/records.ts';
import { Confirm } from '../layout/confirm.tsx';
import { Foreign } from '../layout/format.tsx';
import { ExpiryField, ReasonField, sendChange } from './change.tsx';

/** The changes of all passes of a person, each of which asks first. */

const CHANGES = {
  ACTIVE: ['freeze', 'renew', 'revoke'],
  FROZEN: ['unfreeze', 'renew', 'revoke'],
} as const;
export type SubjectChange = (typeof CHANGES)['ACTIVE' | 'FROZEN'][number];

/** Returns the changes that the subject allows. A revocation is final. */
export const subjectChangesOf = ({ state }: Pick<Subject, 'state'>): readonly SubjectChange[] =>
  Object.hasOwn(CHANGES, state) ? CHANGES[state as keyof typeof CHANGES] : [];

export const SUBJECT_TEXTS: Readonly<Record<SubjectChange, { readonly verb: string; readonly detail: string }>> = {
  freeze: {
    verb: 'Freeze',
    detail: 'dApps refuse all wallets, and no further wallet gets a pass, until you unfreeze it.',
  },
  unfreeze: { verb: 'Unfreeze', detail: 'dApps accept the wallets again that this freeze has frozen.' },
  renew: { verb: 'Renew', detail: 'All passes get the new expiry.' },
  revoke: { verb: 'Revoke', detail: 'A revocation is final. No wallet of this person can ever get a pass again.' },
};

interface ConfirmSubjectChangeProps {
  readonly change: SubjectChange;
  readonly value: Subject;
  readonly path: string;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

export function ConfirmSubjectChange({ change, value, path, onDone, onCancel }: ConfirmSubjectChangeProps) {
  const { verb, detail } = SUBJECT_TEXTS[change];
  const count = Object.values(value.passes).reduce((sum, each) => sum + each, 0);
  return (
    <Confirm
      title={`${verb} this person?`}
      verb={verb}
      isFinal={change === 'revoke'}
      action={(form, signal) => sendChange(change, path, form, signal)}
      onDone={onDone}
      onCancel={onCancel}
    >
      <p>
        Subject <Foreign>{value.subject}</Foreign>, {count === 1 ? '1 pass' : `${count} passes`}.
      </p>
      <p>{detail}</p>
      {(change === 'freeze' || change === 'revoke') && <ReasonField />}
      {change === 'renew' && <ExpiryField />}
    </Confirm>
  );
}
