import { useState } from 'preact/hooks';
import type { components } from '../../../packages/client/src/schema.ts';
import { call, get, post } from '../api/call.ts';
import type { Webhook } from '../api/records.ts';
import { number } from '../layout/figures.ts';
import { Badge, Foreign, IsoTime } from '../layout/format.tsx';
import { List } from '../layout/list.tsx';
import { useAction } from '../layout/load.ts';
import { Empty, Problem } from '../layout/view.tsx';
import { wordsFor } from '../layout/words.ts';
import { Secret } from './secret.tsx';
import { ConfirmDelete, ConfirmEdit, ConfirmReplay, ConfirmRotate, pathOf } from './webhook-changes.tsx';

type Delivery = components['schemas']['Delivery'];
type Tested = components['schemas']['TestedWebhook'];

const DELIVERIES_PAGE = 100;
const DELIVERIES_SHOWN = 20;

interface WebhookCardProps {
  readonly webhook: Webhook;
  readonly reload: () => void;
}

/** Shows a webhook with its changes and its last deliveries. */
export function WebhookCard({ webhook, reload }: WebhookCardProps) {
  const [asked, setAsked] = useState<'edit' | 'rotate' | 'replay' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const [deliveries, setDeliveries] = useState<readonly Delivery[]>();
  const [tested, setTested] = useState<Tested>();
  const path = pathOf(webhook);
  const isEnabled = webhook.status === 'enabled';
  const test = useAction(async () => setTested(await post(`${path}/test`)));
  const change = useAction(async (status: string) => {
    await call('PATCH', path, { body: { status } });
    reload();
  });
  const show = useAction(async () => setDeliveries(await keptDeliveries(path)));
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
        <button type="button" onClick={() => setAsked('edit')}>
          Change
        </button>
        <button type="button" onClick={() => setAsked('rotate')}>
          Rotate the secret
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
      {secret && <Secret secret={secret}>The earlier one works for 24 hours more.</Secret>}
      {asked === 'edit' && <ConfirmEdit webhook={webhook} onDone={done} onCancel={close} />}
      {asked === 'rotate' && <ConfirmRotate webhook={webhook} onSecret={setSecret} onDone={done} onCancel={close} />}
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
    <dd>{webhook.types?.map(wordsFor).join(', ') ?? 'all'}</dd>
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

/** A test tells about the receiver at this moment. It changes neither the position nor the failures that the card shows. */
function describeTest({ delivered, status, durationMs, error }: Tested): string {
  const answer = status === undefined ? (error ?? 'no answer') : `status ${status}`;
  const outcome = delivered ? 'The receiver took the test event' : 'The receiver did not take the test event';
  const advice = delivered ? '' : ' It must answer with 2xx within 15 seconds.';
  return `${outcome}: ${answer}, ${durationMs} ms.${advice} A test is no delivery: the facts above stay as they are.`;
}

interface DeliveryPage {
  readonly next: number;
  readonly more: boolean;
  readonly deliveries: readonly Delivery[];
}

/** Returns all deliveries that the service keeps, the newest first. The API has them oldest first, at most a thousand. */
async function keptDeliveries(path: string): Promise<readonly Delivery[]> {
  let all: readonly Delivery[] = [];
  for (let page: Pick<DeliveryPage, 'next' | 'more'> = { next: 0, more: true }; page.more; ) {
    const read = await get<DeliveryPage>(`${path}/deliveries?after=${page.next}&limit=${DELIVERIES_PAGE}`);
    all = [...all, ...read.deliveries];
    page = read;
  }
  return all.toReversed();
}

function Deliveries({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const [shown, setShown] = useState(DELIVERIES_SHOWN);
  if (deliveries.length === 0) return <Empty text="Nothing was delivered yet." />;
  return (
    <>
      <List
        caption={`Deliveries, the newest first: ${Math.min(shown, deliveries.length)} of ${deliveries.length}`}
        rows={deliveries.slice(0, shown)}
        keyOf={({ number: key }) => key}
        columns={[
          { head: 'Time', cell: ({ at }) => <IsoTime text={at} exact /> },
          { head: 'Event', cell: ({ type }) => wordsFor(type) },
          { head: 'Sequence', cell: ({ sequence }) => sequence },
          { head: 'Attempt', cell: ({ attempt }) => attempt },
          { head: 'Outcome', cell: ({ outcome, status }) => `${outcome}${status === undefined ? '' : ` (${status})`}` },
        ]}
      />
      {shown < deliveries.length && (
        <div class="actions">
          <button type="button" onClick={() => setShown(shown + DELIVERIES_SHOWN)}>
            Older deliveries
          </button>
        </div>
      )}
    </>
  );
}
