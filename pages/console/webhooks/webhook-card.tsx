import { useState } from 'preact/hooks';
import type { components } from '../../../client/src/schema.ts';
import { call, get, post } from '../api/call.ts';
import type { Webhook } from '../api/records.ts';
import { Confirm } from '../layout/confirm.tsx';
import { Field, textIn } from '../layout/field.tsx';
import { Badge, eventName, Foreign, IsoTime, number } from '../layout/format.tsx';
import { List } from '../layout/list.tsx';
import { useAction } from '../layout/load.ts';
import { Empty, Problem } from '../layout/view.tsx';

type Delivery = components['schemas']['Delivery'];
type Tested = components['schemas']['TestedWebhook'];

const DELIVERIES_PAGE = 100;
const DELIVERIES_SHOWN = 20;

const pathOf = ({ id }: Webhook) => `webhooks/${encodeURIComponent(id)}`;

interface WebhookCardProps {
  readonly webhook: Webhook;
  readonly reload: () => void;
}

/** Shows a webhook with its changes and its last deliveries. */
export function WebhookCard({ webhook, reload }: WebhookCardProps) {
  const [asked, setAsked] = useState<'replay' | 'delete'>();
  const [deliveries, setDeliveries] = useState<readonly Delivery[]>();
  const [tested, setTested] = useState<Tested>();
  const path = pathOf(webhook);
  const isEnabled = webhook.status === 'enabled';
  const test = useAction(async () => setTested(await post(`${path}/test`)));
  const change = useAction(async (status: string) => {
    await call('PATCH', path, { body: { status } });
    reload();
  });
  const show = useAction(async () => setDeliveries(await lastDeliveries(path)));
  const close = () => setAsked(undefined);
  const done = () => {
    close();
    reload();
  };
  return (
    <section class="card" aria-label={`Webhook ${webhook.url}`}>
      <h2>
        <code class="whole">{webhook.url}</code> <Badge state={webhook.status} />
      </h2>
      <WebhookFacts {...webhook} />
      <div class="actions">
        <button type="button" disabled={test.isRunning} onClick={() => test.run()}>
          Test
        </button>
        <button type="button" disabled={show.isRunning} onClick={() => show.run()}>
          Last deliveries
        </button>
        <button type="button" onClick={() => setAsked('replay')}>
          Replay
        </button>
        <button
          type="button"
          disabled={change.isRunning}
          onClick={() => change.run(isEnabled ? 'disabled' : 'enabled')}
        >
          {isEnabled ? 'Disable' : 'Enable'}
        </button>
        <button type="button" class="danger" onClick={() => setAsked('delete')}>
          Delete
        </button>
      </div>
      <Problem error={test.error ?? change.error ?? show.error} />
      {tested && <p role="status">{describeTest(tested)}</p>}
      {deliveries && <Deliveries deliveries={deliveries} />}
      {asked === 'replay' && <ConfirmReplay webhook={webhook} onDone={done} onCancel={close} />}
      {asked === 'delete' && <ConfirmDelete webhook={webhook} onDone={done} onCancel={close} />}
    </section>
  );
}

const WebhookFacts = (webhook: Webhook) => (
  <dl class="facts">
    {webhook.description && (
      <>
        <dt>Description</dt>
        <dd>
          <Foreign>{webhook.description}</Foreign>
        </dd>
      </>
    )}
    <dt>Events</dt>
    <dd>{webhook.types?.map(eventName).join(', ') ?? 'all'}</dd>
    <dt>Position</dt>
    <dd>
      {number(webhook.cursor)}, {number(webhook.waiting)} waiting
    </dd>
    <dt>Last success</dt>
    <dd>{webhook.lastSuccessAt ? <IsoTime text={webhook.lastSuccessAt} /> : 'never'}</dd>
    {webhook.failingSince && (
      <>
        <dt>Failing since</dt>
        <dd>
          <IsoTime text={webhook.failingSince} />
        </dd>
      </>
    )}
    {webhook.disabledReason && (
      <>
        <dt>Disabled</dt>
        <dd>{webhook.disabledReason}</dd>
      </>
    )}
  </dl>
);

function describeTest({ delivered, status, durationMs, error }: Tested): string {
  const answer = status === undefined ? error : `status ${status}`;
  return `${delivered ? 'The test was delivered' : 'The test failed'}: ${answer}, ${durationMs} ms.`;
}

interface DeliveryPage {
  readonly next: number;
  readonly more: boolean;
  readonly deliveries: readonly Delivery[];
}

/** Returns the newest deliveries, the newest first. The API has them oldest first, at most a thousand. */
async function lastDeliveries(path: string): Promise<readonly Delivery[]> {
  let all: readonly Delivery[] = [];
  for (let page: Pick<DeliveryPage, 'next' | 'more'> = { next: 0, more: true }; page.more; ) {
    const read = await get<DeliveryPage>(`${path}/deliveries?after=${page.next}&limit=${DELIVERIES_PAGE}`);
    all = [...all, ...read.deliveries].slice(-DELIVERIES_SHOWN);
    page = read;
  }
  return all.toReversed();
}

function Deliveries({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  if (deliveries.length === 0) return <Empty text="Nothing was delivered yet." />;
  return (
    <List
      caption="Last deliveries"
      rows={deliveries}
      keyOf={({ number: key }) => key}
      columns={[
        { head: 'Time', cell: ({ at }) => <IsoTime text={at} exact /> },
        { head: 'Event', cell: ({ type }) => eventName(type) },
        { head: 'Sequence', cell: ({ sequence }) => sequence },
        { head: 'Attempt', cell: ({ attempt }) => attempt },
        { head: 'Outcome', cell: ({ outcome, status }) => `${outcome}${status === undefined ? '' : ` (${status})`}` },
      ]}
    />
  );
}

interface ConfirmProps {
  readonly webhook: Webhook;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

function ConfirmReplay({ webhook, onDone, onCancel }: ConfirmProps) {
  const action = (form: FormData, signal: AbortSignal) =>
    post(`${pathOf(webhook)}/replay`, { after: Number(textIn(form, 'after')) }, signal);
  return (
    <Confirm title="Deliver events again?" verb="Replay" action={action} onDone={onDone} onCancel={onCancel}>
      <p>
        The webhook <code class="whole">{webhook.url}</code> gets every event after this sequence again.
      </p>
      <Field label="After the sequence">
        <input name="after" type="number" min="0" required value={Math.max(0, webhook.cursor - 10)} />
      </Field>
    </Confirm>
  );
}

function ConfirmDelete({ webhook, onDone, onCancel }: ConfirmProps) {
  const action = (_: FormData, signal: AbortSignal) => call('DELETE', pathOf(webhook), { signal });
  return (
    <Confirm title="Delete this webhook?" verb="Delete" isFinal action={action} onDone={onDone} onCancel={onCancel}>
      <p>
        The service no longer delivers events to <code class="whole">{webhook.url}</code>.
      </p>
    </Confirm>
  );
}
