import { useState } from 'preact/hooks';
import { get, post } from '../api/call.ts';
import type { Webhook } from '../api/records.ts';
import { Field, onSubmit, textIn } from '../layout/field.tsx';
import { useAction, useLoad } from '../layout/load.ts';
import { Empty, Problem, Skeleton, View } from '../layout/view.tsx';
import { EventTypes, typesIn } from './event-types.tsx';
import { Secret } from './secret.tsx';
import { WebhookCard } from './webhook-card.tsx';

const REFRESH_MS = 5_000;

/** Adds, tests and removes webhooks, and shows their last deliveries. */
export function WebhooksView() {
  const { value, error, reload } = useLoad(
    (signal) => get<{ readonly webhooks: readonly Webhook[] }>('webhooks', signal),
    'webhooks',
    REFRESH_MS,
  );
  return (
    <View title="Webhooks">
      <Problem error={error} retry={reload} />
      <AddWebhook onAdded={reload} />
      {value?.webhooks.map((webhook) => (
        <WebhookCard key={webhook.id} webhook={webhook} reload={reload} />
      ))}
      {value?.webhooks.length === 0 && <Empty text="There are no webhooks." />}
      {value === undefined && error === undefined && <Skeleton />}
    </View>
  );
}

function AddWebhook({ onAdded }: { readonly onAdded: () => void }) {
  const [secret, setSecret] = useState<string>();
  const { run, isRunning, error } = useAction(async (form: FormData) => {
    const description = textIn(form, 'description');
    const types = typesIn(form);
    const body = { url: textIn(form, 'url'), ...(description && { description }), ...(types && { types }) };
    setSecret((await post<{ readonly secret: string }>('webhooks', body)).secret);
    onAdded();
  });
  return (
    <section aria-labelledby="add">
      <h2 id="add">Add a webhook</h2>
      <form onSubmit={onSubmit(run)}>
        <div class="row">
          <Field label="URL">
            <input name="url" type="url" required />
          </Field>
          <Field label="Description (optional)">
            <input name="description" maxLength={200} />
          </Field>
          <button type="submit" class="primary" disabled={isRunning}>
            Add
          </button>
        </div>
        <details>
          <summary>Only some events</summary>
          <EventTypes />
        </details>
      </form>
      <Problem error={error} />
      {secret && <Secret secret={secret}>Your receiver verifies each delivery with it.</Secret>}
    </section>
  );
}
