import { call, get, post } from './api.js';
import { Confirm } from './confirm.js';
import { badge, eventName, isoTime, number } from './format.js';
import { Field, Problem, Table, useAction, useLoad, View } from './layout.js';
import { html, useState } from './preact.js';

const REFRESH_MS = 5_000;
const DELIVERIES_PAGE = 100;
const DELIVERIES_SHOWN = 20;

const pathOf = ({ id }) => `webhooks/${encodeURIComponent(id)}`;

/** Adds, tests and removes webhooks, and shows their last deliveries. */
export function WebhooksView() {
  const { value, error, reload } = useLoad((signal) => get('webhooks', signal), 'webhooks', REFRESH_MS);
  return html`<${View} title="Webhooks">
    <${Problem} error=${error} />
    <${AddWebhook} onAdded=${reload} />
    ${value?.webhooks.map((webhook) => html`<${Webhook} key=${webhook.id} webhook=${webhook} reload=${reload} />`)}
    ${value?.webhooks.length === 0 && html`<p role="status">There are no webhooks.</p>`}
  <//>`;
}

function AddWebhook({ onAdded }) {
  const [secret, setSecret] = useState();
  const { run, isRunning, error } = useAction(async (form) => {
    const description = form.get('description').trim();
    const body = { url: form.get('url').trim(), ...(description && { description }) };
    setSecret((await post('webhooks', body)).secret);
    onAdded();
  });
  const submit = (event) => {
    event.preventDefault();
    run(new FormData(event.target));
  };
  return html`<section aria-labelledby="add">
    <h2 id="add">Add a webhook</h2>
    <form class="row" onSubmit=${submit}>
      <${Field} label="URL"><input name="url" type="url" required /><//>
      <${Field} label="Description (optional)"><input name="description" /><//>
      <button type="submit" class="primary" disabled=${isRunning}>Add</button>
    </form>
    <${Problem} error=${error} />
    ${secret && html`<p role="status">Store this secret now. It is not shown again: <code class="whole">${secret}</code></p>`}
  </section>`;
}

function Webhook({ webhook, reload }) {
  const [asked, setAsked] = useState();
  const [deliveries, setDeliveries] = useState();
  const [tested, setTested] = useState();
  const path = pathOf(webhook);
  const isEnabled = webhook.status === 'enabled';
  const test = useAction(async () => setTested(await post(`${path}/test`)));
  const change = useAction(async (status) => {
    await call('PATCH', path, { body: { status } });
    reload();
  });
  const show = useAction(async () => setDeliveries(await lastDeliveries(path)));
  const close = () => setAsked(undefined);
  const done = () => {
    close();
    reload();
  };
  return html`<section class="card" aria-label=${`Webhook ${webhook.url}`}>
    <h2><code class="whole">${webhook.url}</code> ${badge(webhook.status)}</h2>
    <dl class="facts">
      ${webhook.description && html`<dt>Description</dt><dd>${webhook.description}</dd>`}
      <dt>Events</dt><dd>${webhook.types?.map(eventName).join(', ') ?? 'all'}</dd>
      <dt>Position</dt><dd>${number(webhook.cursor)}, ${number(webhook.waiting)} waiting</dd>
      <dt>Last success</dt><dd>${webhook.lastSuccessAt ? isoTime(webhook.lastSuccessAt) : 'never'}</dd>
      ${webhook.failingSince && html`<dt>Failing since</dt><dd>${isoTime(webhook.failingSince)}</dd>`}
      ${webhook.disabledReason && html`<dt>Disabled</dt><dd>${webhook.disabledReason}</dd>`}
    </dl>
    <div class="actions">
      <button type="button" disabled=${test.isRunning} onClick=${() => test.run()}>Test</button>
      <button type="button" disabled=${show.isRunning} onClick=${() => show.run()}>Last deliveries</button>
      <button type="button" onClick=${() => setAsked('replay')}>Replay</button>
      <button type="button" disabled=${change.isRunning} onClick=${() => change.run(isEnabled ? 'disabled' : 'enabled')}>
        ${isEnabled ? 'Disable' : 'Enable'}
      </button>
      <button type="button" class="danger" onClick=${() => setAsked('delete')}>Delete</button>
    </div>
    <${Problem} error=${test.error ?? change.error ?? show.error} />
    ${tested && html`<p role="status">${describeTest(tested)}</p>`}
    ${deliveries && html`<${Deliveries} deliveries=${deliveries} />`}
    ${asked === 'replay' && html`<${ConfirmReplay} webhook=${webhook} onDone=${done} onCancel=${close} />`}
    ${asked === 'delete' && html`<${ConfirmDelete} webhook=${webhook} onDone=${done} onCancel=${close} />`}
  </section>`;
}

function describeTest({ delivered, status, durationMs, error }) {
  const answer = status === undefined ? error : `status ${status}`;
  return `${delivered ? 'The test was delivered' : 'The test failed'}: ${answer}, ${durationMs} ms.`;
}

/** Returns the newest deliveries, the newest first. The API has them oldest first, at most a thousand. */
async function lastDeliveries(path) {
  let all = [];
  for (let page = { next: 0, more: true }; page.more; ) {
    page = await get(`${path}/deliveries?after=${page.next}&limit=${DELIVERIES_PAGE}`);
    all = [...all, ...page.deliveries].slice(-DELIVERIES_SHOWN);
  }
  return all.toReversed();
}

function Deliveries({ deliveries }) {
  if (deliveries.length === 0) return html`<p role="status">Nothing was delivered yet.</p>`;
  return html`<${Table} caption="Last deliveries" heads=${['Time', 'Event', 'Sequence', 'Attempt', 'Outcome']}>
    ${deliveries.map(
      ({ number: key, at, type, sequence, attempt, outcome, status }) => html`<tr key=${key}>
        <td>${isoTime(at)}</td>
        <td>${eventName(type)}</td>
        <td>${sequence}</td>
        <td>${attempt}</td>
        <td>${outcome}${status === undefined ? '' : ` (${status})`}</td>
      </tr>`,
    )}
  <//>`;
}

function ConfirmReplay({ webhook, onDone, onCancel }) {
  const action = (form, signal) => post(`${pathOf(webhook)}/replay`, { after: Number(form.get('after')) }, signal);
  return html`<${Confirm} title="Deliver events again?" verb="Replay" action=${action} onDone=${onDone} onCancel=${onCancel}>
    <p>The webhook <code class="whole">${webhook.url}</code> gets every event after this sequence again.</p>
    <${Field} label="After the sequence">
      <input name="after" type="number" min="0" required value=${Math.max(0, webhook.cursor - 10)} />
    <//>
  <//>`;
}

function ConfirmDelete({ webhook, onDone, onCancel }) {
  const action = (_, signal) => call('DELETE', pathOf(webhook), { signal });
  return html`<${Confirm} title="Delete this webhook?" verb="Delete" action=${action} onDone=${onDone} onCancel=${onCancel}>
    <p>The service no longer delivers events to <code class="whole">${webhook.url}</code>.</p>
  <//>`;
}
