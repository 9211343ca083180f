import { get, getPages } from './api.js';
import { badge, isoTime, number, timeOf } from './format.js';
import { Problem, Table, UnreadShards, useLoad, View } from './layout.js';
import { html } from './preact.js';

const REFRESH_MS = 15_000;

/** Shows failing webhooks and the last reconciliation. */
export function HealthView() {
  const webhooks = useLoad(loadWebhooks, 'webhooks', REFRESH_MS);
  const reconciliation = useLoad((signal) => get('admin/reconciliation', signal), 'reconciliation', REFRESH_MS);
  return html`<${View} title="Webhooks and reconciliation">
    <${Problem} error=${webhooks.error ?? reconciliation.error} />
    <h2>Failing webhooks</h2>
    ${webhooks.value && html`<${Failing} ...${webhooks.value} />`}
    <h2>Reconciliation</h2>
    ${reconciliation.value && html`<${Run} ...${reconciliation.value} />`}
  <//>`;
}

async function loadWebhooks(signal) {
  const pages = await getPages('admin/webhooks?limit=100', signal);
  return {
    webhooks: pages.flatMap(({ webhooks }) => webhooks),
    unreadShards: [...new Set(pages.flatMap(({ unreadShards = [] }) => unreadShards))],
  };
}

const isFailing = ({ unreachable, failingSince, status }) =>
  unreachable || failingSince !== undefined || status === 'disabled';

function Failing({ webhooks, unreadShards }) {
  const failing = webhooks.filter(isFailing);
  const warning = html`<${UnreadShards} shards=${unreadShards} />`;
  if (failing.length === 0) return html`${warning}<p>No webhook of ${number(webhooks.length)} fails.</p>`;
  return html`${warning}<${Table} caption="Webhooks that do not deliver" heads=${['URL', 'State', 'Failing since', 'Lag', 'Waiting']}>
    ${failing.map(
      ({ id, url, unreachable, status, disabledReason, failingSince, lag, waiting }) => html`<tr key=${id}>
        <td><code class="whole">${url ?? id}</code></td>
        <td>${badge(unreachable ? 'UNREACHABLE' : status)} ${disabledReason}</td>
        <td>${failingSince && isoTime(failingSince)}</td>
        <td>${lag}</td>
        <td>${waiting}</td>
      </tr>`,
    )}
  <//>`;
}

function Run({ run, rebuilds }) {
  if (run === null) return html`<p>There was no reconciliation yet. It runs every night.</p>`;
  return html`<dl class="facts">
      <dt>Started</dt><dd>${timeOf(run.started)}</dd>
      <dt>Finished</dt><dd>${run.finished === null ? 'not yet' : timeOf(run.finished)}</dd>
      ${Object.entries(run.counts).map(([kind, count]) => html`<dt>${kind}</dt><dd>${number(count)}</dd>`)}
    </dl>
    ${run.held.length > 0 && html`<p class="warning">Losses of ${run.held.length} pairs are held. POST /admin/reconciliation accepts them.</p>`}
    ${rebuilds.map(({ shard, started, finished }) => html`<p>Rebuild of ${shard}: started ${timeOf(started)}, ${finished ? 'finished' : 'under way'}</p>`)}`;
}
