import { get, getPages } from '../api/call.ts';
import { number } from '../layout/figures.ts';
import { Badge, IsoTime, Time } from '../layout/format.tsx';
import { List } from '../layout/list.tsx';
import { useLoad } from '../layout/load.ts';
import { Problem, Skeleton, UnreadShards, View } from '../layout/view.tsx';
import { isFailing } from './alerts.ts';
import type { Reconciliation, WebhookPage } from './records.ts';

const REFRESH_MS = 15_000;

/** Shows failing webhooks and the last reconciliation. */
export function HealthView() {
  const webhooks = useLoad(loadWebhooks, 'webhooks', REFRESH_MS);
  const reconciliation = useLoad(
    (signal) => get<Reconciliation>('admin/reconciliation', signal),
    'reconciliation',
    REFRESH_MS,
  );
  const error = webhooks.error ?? reconciliation.error;
  return (
    <View title="Webhooks and reconciliation">
      <Problem error={error} />
      <h2>Failing webhooks</h2>
      {webhooks.value ? <Failing {...webhooks.value} /> : error === undefined && <Skeleton rows={2} />}
      <h2>Reconciliation</h2>
      {reconciliation.value ? <LastRun {...reconciliation.value} /> : error === undefined && <Skeleton rows={4} />}
    </View>
  );
}

async function loadWebhooks(signal: AbortSignal) {
  const pages = await getPages<WebhookPage>('admin/webhooks?limit=100', signal);
  return {
    webhooks: pages.flatMap(({ webhooks }) => webhooks),
    unreadShards: [...new Set(pages.flatMap(({ unreadShards = [] }) => unreadShards))],
  };
}

function Failing({ webhooks, unreadShards }: Awaited<ReturnType<typeof loadWebhooks>>) {
  const failing = webhooks.filter(isFailing);
  return (
    <>
      <UnreadShards shards={unreadShards} />
      {failing.length === 0 ? (
        <p>No webhook of {number(webhooks.length)} fails.</p>
      ) : (
        <List
          caption="Webhooks that do not deliver"
          rows={failing}
          keyOf={({ id }) => id}
          columns={[
            { head: 'URL', cell: ({ id, url }) => <code class="whole">{url ?? id}</code> },
            {
              head: 'State',
              cell: ({ unreachable, status, disabledReason }) => (
                <>
                  <Badge state={unreachable || status === undefined ? 'UNREACHABLE' : status} /> {disabledReason}
                </>
              ),
            },
            { head: 'Failing since', cell: ({ failingSince }) => failingSince && <IsoTime text={failingSince} /> },
            { head: 'Lag', cell: ({ lag }) => lag },
            { head: 'Waiting', cell: ({ waiting }) => waiting },
          ]}
        />
      )}
    </>
  );
}

function LastRun({ run, rebuilds }: Reconciliation) {
  if (run === null) return <p>There was no reconciliation yet. It runs every night.</p>;
  return (
    <>
      <dl class="facts">
        <dt>Started</dt>
        <dd>
          <Time seconds={run.started} />
        </dd>
        <dt>Finished</dt>
        <dd>{run.finished === null ? 'not yet' : <Time seconds={run.finished} />}</dd>
        {Object.entries(run.counts).map(([kind, count]) => (
          <>
            <dt>{kind}</dt>
            <dd>{number(count)}</dd>
          </>
        ))}
      </dl>
      {run.held.length > 0 && (
        <p class="warning">
          Losses of {run.held.length} pairs of gatekeeper network and network are held until you accept them.
        </p>
      )}
      {rebuilds.map(({ shard, started, finished }) => (
        <p key={shard}>
          Rebuild of {shard}: started <Time seconds={started} />, {finished ? 'finished' : 'under way'}
        </p>
      ))}
    </>
  );
}
