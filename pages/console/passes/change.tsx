import type { ComponentChildren } from 'preact';
import type { Verdict } from '../../../src/pass/verdict.ts';
import { call } from '../api/call.ts';
import type { PassRecord } from '../api/records.ts';
import { Confirm } from '../layout/confirm.tsx';
import { Field, textIn } from '../layout/field.tsx';
import { useNow } from '../layout/load.ts';
import { verdictAt } from './verdict.tsx';

/** The changes of a pass, each of which asks first. */

export type Change = 'freeze' | 'unfreeze' | 'renew' | 'name' | 'person' | 'revoke';

/** The changes by the wanted state of the pass. */
const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  REQUESTED: ['revoke'],
  ACTIVE: ['freeze', 'renew', 'revoke'],
  FROZEN: ['unfreeze', 'renew', 'revoke'],
};

/** Whether somebody issued a token again after the revocation. */
const isLive = ({ state, onChainState }: PassRecord) =>
  state === 'REVOKED' && ['ACTIVE', 'FROZEN'].includes(onChainState);

/** Returns the changes that the pass allows. */
export const changesOf = (pass: PassRecord): readonly Change[] => [
  ...(CHANGES[pass.state] ?? (isLive(pass) ? (['revoke'] as const) : [])),
  'name',
  'person',
];

export const TEXTS: Readonly<Record<Change, { readonly verb: string; readonly detail: string }>> = {
  freeze: { verb: 'Freeze', detail: 'dApps refuse the wallet until you unfreeze the pass.' },
  unfreeze: { verb: 'Unfreeze', detail: 'dApps accept the wallet again.' },
  renew: { verb: 'Renew', detail: 'The pass gets the new expiry.' },
  name: {
    verb: 'Change the reference',
    detail: 'No transaction is sent. An empty field removes the reference, also from all events. Use no personal data.',
  },
  person: {
    verb: 'Change the subject',
    detail:
      'No transaction is sent. An empty field removes the subject, also from all events. Remove it before you enter another one. Use a random name, and no personal data.',
  },
  revoke: { verb: 'Revoke', detail: 'A revocation is final. The wallet can never get this pass again.' },
};

function detailOf(change: Change, verdict: Verdict): string {
  if (change === 'unfreeze' && !verdict.isAccepted && verdict.reasons.includes('expired'))
    return 'dApps still refuse the wallet: the pass has expired. Renew it too.';
  return TEXTS[change].detail;
}

/** The audit trail shows it. */
function reasonIn(form: FormData): { readonly reason?: string } {
  const reason = textIn(form, 'reason');
  return reason ? { reason } : {};
}

function sendChange(change: Change, path: string, form: FormData, signal: AbortSignal): Promise<unknown> {
  switch (change) {
    case 'freeze':
      return call('PATCH', path, { signal, body: { state: 'FROZEN', ...reasonIn(form) } });
    case 'unfreeze':
      return call('PATCH', path, { signal, body: { state: 'ACTIVE' } });
    case 'name':
      return call('PATCH', path, { signal, body: { reference: textIn(form, 'reference') || null } });
    case 'person':
      return call('PATCH', path, { signal, body: { subject: textIn(form, 'subject') || null } });
    case 'revoke':
      return call('DELETE', `${path}?${new URLSearchParams({ ...reasonIn(form) })}`, { signal });
    case 'renew':
      return call('PATCH', path, { signal, body: { expiryTimestamp: Date.parse(textIn(form, 'expiry')) / 1_000 } });
  }
}

const DAY_MS = 86_400_000;
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The reason of a freeze or a revocation. */
const ReasonField = () => (
  <Field label="Reason (optional)" hint="The audit trail shows it to your organization. Use no personal data.">
    <input name="reason" maxLength={200} autocomplete="off" />
  </Field>
);

/** The new expiry of a renewal. */
const ExpiryField = () => (
  <Field label="New expiry (UTC)">
    <input
      name="expiry"
      type="date"
      required
      min={dateOf(Date.now() + DAY_MS)}
      defaultValue={dateOf(Date.now() + 365 * DAY_MS)}
    />
  </Field>
);

export interface AskProps<Asked extends Change = Change> {
  readonly change: Asked;
  /** The path of a pass, or that of all passes of a person. */
  readonly path: string;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

interface AskedProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** Asks before a change, with the fields that it needs, and sends it. */
export function AskFirst({ title, children, change, path, ...ends }: AskProps & AskedProps) {
  return (
    <Confirm
      title={title}
      verb={TEXTS[change].verb}
      isFinal={change === 'revoke'}
      action={(form, signal) => sendChange(change, path, form, signal)}
      {...ends}
    >
      {children}
      {(change === 'freeze' || change === 'revoke') && <ReasonField />}
      {change === 'renew' && <ExpiryField />}
    </Confirm>
  );
}

export function ConfirmChange({ pass, ...ask }: AskProps & { readonly pass: PassRecord }) {
  const { change } = ask;
  const { verb } = TEXTS[change];
  const verdict = verdictAt(pass, useNow());
  return (
    <AskFirst title={change === 'name' || change === 'person' ? `${verb}?` : `${verb} this pass?`} {...ask}>
      <p>
        Wallet <code class="whole">{pass.walletAddress}</code> on {pass.chain.network}.
      </p>
      <p>{detailOf(change, verdict)}</p>
      {change === 'name' && (
        <Field label="Reference">
          <input name="reference" defaultValue={pass.reference ?? ''} autocomplete="off" spellcheck={false} />
        </Field>
      )}
      {change === 'person' && (
        <Field label="Subject">
          <input
            name="subject"
            defaultValue={pass.subject ?? ''}
            autocomplete="off"
            spellcheck={false}
            maxLength={64}
          />
        </Field>
      )}
    </AskFirst>
  );
}
