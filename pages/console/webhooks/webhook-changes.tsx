import { call, post } from '../api/call.ts';
import type { Webhook } from '../api/records.ts';
import { Confirm } from '../layout/confirm.tsx';
import { Field, textIn } from '../layout/field.tsx';
import { EventTypes, typesIn } from './event-types.tsx';

/** The dialogs that change a webhook. */

export const pathOf = ({ id }: Webhook) => `webhooks/${encodeURIComponent(id)}`;

interface ConfirmProps {
  readonly webhook: Webhook;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

export function ConfirmReplay({ webhook, onDone, onCancel }: ConfirmProps) {
  const action = (form: FormData, signal: AbortSignal) =>
    post(`${pathOf(webhook)}/replay`, { after: Number(textIn(form, 'after')) }, signal);
  return (
    <Confirm title="Deliver events again?" verb="Replay" action={action} onDone={onDone} onCancel={onCancel}>
      <p>
        The webhook <code class="whole">{webhook.url}</code> gets every event after this sequence again.
      </p>
      <Field label="After the sequence">
        <input name="after" type="number" min="0" required defaultValue={Math.max(0, webhook.cursor - 10)} />
      </Field>
    </Confirm>
  );
}

export function ConfirmDelete({ webhook, onDone, onCancel }: ConfirmProps) {
  const action = (_: FormData, signal: AbortSignal) => call('DELETE', pathOf(webhook), { signal });
  return (
    <Confirm title="Delete this webhook?" verb="Delete" isFinal action={action} onDone={onDone} onCancel={onCancel}>
      <p>
        The service no longer delivers events to <code class="whole">{webhook.url}</code>.
      </p>
    </Confirm>
  );
}

export function ConfirmEdit({ webhook, onDone, onCancel }: ConfirmProps) {
  const { url, description = '', types } = webhook;
  const action = (form: FormData, signal: AbortSignal) => {
    const changed = {
      ...(textIn(form, 'url') !== url && { url: textIn(form, 'url') }),
      ...(textIn(form, 'description') !== description && { description: textIn(form, 'description') }),
      types: typesIn(form),
    };
    return call('PATCH', pathOf(webhook), { body: changed, signal });
  };
  return (
    <Confirm title="Change this webhook" verb="Save" action={action} onDone={onDone} onCancel={onCancel}>
      <Field label="URL" hint="Events that wait go to the new URL.">
        <input name="url" type="url" required defaultValue={url} />
      </Field>
      <Field label="Description">
        <input name="description" maxLength={200} required={description !== ''} defaultValue={description} />
      </Field>
      <EventTypes chosen={types} />
    </Confirm>
  );
}

interface RotateProps extends ConfirmProps {
  readonly onSecret: (secret: string) => void;
}

export function ConfirmRotate({ webhook, onSecret, ...listeners }: RotateProps) {
  const action = async (_: FormData, signal: AbortSignal) => {
    const { secret } = await post<{ readonly secret: string }>(`${pathOf(webhook)}/rotate-secret`, undefined, signal);
    onSecret(secret);
  };
  return (
    <Confirm title="Make a new secret?" verb="Rotate the secret" action={action} {...listeners}>
      <p>
        The webhook <code class="whole">{webhook.url}</code> gets a new secret. For 24 hours, each delivery has a
        signature of both secrets. Your receiver needs the new one within that time.
      </p>
    </Confirm>
  );
}
