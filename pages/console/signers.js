import { get } from './api.js';
import { badge, coins, duration, number, timeOf } from './format.js';
import { Problem, Table, useLoad, View } from './layout.js';
import { html } from './preact.js';

const REFRESH_MS = 5_000;
const RANKS = ['revoke and freeze', 'single', 'bulk'];

/** Shows the funds and the work of each key, and how far each network is watched. */
export function SignersView() {
  const { value, error } = useLoad((signal) => get('admin/signers', signal), 'signers', REFRESH_MS);
  const watch = useLoad((signal) => get('admin/watchers', signal), 'watchers', REFRESH_MS);
  return html`<${View} title="Signers">
    <${Problem} error=${error ?? watch.error} />
    ${value?.signers.map((signer) => html`<${Signer} key=${`${signer.network}/${signer.address}`} ...${signer} />`)}
    ${watch.value && html`<${Watchers} ...${watch.value} />`}
  <//>`;
}

const Watchers = ({ watchers }) => html`<h2>Watchers</h2>
  <${Table} caption="Changes by others on each network" heads=${['Network', 'Covered until', 'Waiting', 'By others']}>
    ${watchers.map(
      (watcher) => html`<tr key=${watcher.network}>
        <td>${watcher.network}</td>
        <td>${coverageOf(watcher)}</td>
        <td>${typeof watcher.waiting === 'number' ? number(watcher.waiting) : ''}</td>
        <td>${typeof watcher.foreignChanges === 'number' ? number(watcher.foreignChanges) : ''}</td>
      </tr>`,
    )}
  <//>`;

const STATUSES = { off: 'switched off', 'not-begun': 'no pass yet', unreachable: 'no answer' };

function coverageOf({ status, coveredUntil, removedGatekeepers = [], why }) {
  if (status !== 'on') return STATUSES[status] ?? status;
  const seconds = Math.max(0, Math.round(Date.now() / 1_000) - coveredUntil);
  return html`${coveredUntil === null ? 'nothing yet' : `${duration(seconds)} ago`} ${why && html`<span class="warning">${why}</span>`}
    ${removedGatekeepers.length > 0 && badge('GATEKEEPER REMOVED')}`;
}

function Signer(signer) {
  const { network, chain, address, retired, compromised, paused } = signer;
  return html`<section class="card" aria-label=${`Signer ${address} on ${network}`}>
    <h2>${network} ${paused && badge('PAUSED')} ${retired && badge('RETIRED')} ${compromised && badge('COMPROMISED')}</h2>
    <p><code class="whole">${address}</code></p>
    ${paused && html`<p role="status" class="warning">${paused.why}, next try ${timeOf(paused.until)}</p>`}
    <dl class="facts">
      <dt>Balance</dt><dd>${signer.balance === null ? signer.why : coins(signer.balance, chain)}</dd>
      <dt>Passes left</dt><dd>${typeof signer.passesLeft === 'number' ? number(signer.passesLeft) : 'unknown'}</dd>
      <dt>Waiting</dt><dd>${waiting(signer.waitingByRank)}</dd>
      <dt>In flight</dt><dd>${inFlight(signer.inFlight)}</dd>
      <dt>Oldest pending</dt>
      <dd>${signer.oldestPending ? `${duration(signer.oldestPending.ageSeconds ?? 0)} (${signer.oldestPending.step})` : 'none'}</dd>
      ${signer.spending && html`<dt>Spent today</dt><dd>${coins(signer.spending.spent, chain)} of ${coins(signer.spending.ceiling, chain)}</dd>`}
    </dl>
    ${signer.lanes?.filter((lane) => lane.paused).map((lane) => html`<${PausedLane} key=${lane.gatekeeperNetwork} ...${lane} />`)}
  </section>`;
}

const PausedLane = ({ gatekeeperNetwork, paused, waiting }) => html`<p class="warning">
  <code class="whole">${gatekeeperNetwork}</code> is paused with ${number(waiting)} waiting: ${paused.why}
</p>`;

const waiting = (waitingByRank) =>
  waitingByRank?.map((steps, rank) => `${number(steps)} ${RANKS[rank] ?? rank}`).join(', ') ?? 'unknown';

const inFlight = (stages) =>
  stages === undefined
    ? 'unknown'
    : Object.entries(stages)
        .map(([stage, steps]) => `${number(steps)} ${stage}`)
        .join(', ');
