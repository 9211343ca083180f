import { call, get, passPath, post } from './api.js';
import { Confirm } from './confirm.js';
import { badge, eventName, timeOf, transactionLink } from './format.js';
import { Field, Problem, Status, useAction, useLoad, View } from './layout.js';
import { html, useState } from './preact.js';
import { hasScope } from './sign-in.js';

const MOVING_REFRESH_MS = 1_500;
const SETTLED_REFRESH_MS = 10_000;

const isMoving = (pass) => pass !== undefined && pass.state !== pass.onChainState && pass.state !== 'REJECTED';

/** Shows a pass as it is wanted and as it is on chain, its timeline, and the changes that the person may request. */
export function PassView({ chain, wallet }) {
  const path = passPath(chain, wallet);
  const [refreshMs, setRefreshMs] = useState(MOVING_REFRESH_MS);
  const [change, setChange] = useState();
  const { value: pass, error, reload } = useLoad((signal) => get(path, signal), path, refreshMs);
  const wanted = isMoving(pass) ? MOVING_REFRESH_MS : SETTLED_REFRESH_MS;
  if (pass !== undefined && wanted !== refreshMs) setRefreshMs(wanted);
  const sync = useAction(async () => {
    await post(`${path}/sync`);
    reload();
    return true;
  });
  const close = () => setChange(undefined);
  const done = () => {
    close();
    reload();
  };
  return html`<${View} title="Pass">
    <${Problem} error=${error ?? sync.error} />
    ${pass && html`<${Facts} pass=${pass} />`}
    ${pass && hasScope('update') && html`<${Actions} pass=${pass} choose=${setChange} sync=${sync} />`}
    ${pass && html`<${Timeline} pass=${pass} />`}
    ${change && html`<${ConfirmChange} change=${change} pass=${pass} path=${path} onDone=${done} onCancel=${close} />`}
  <//>`;
}

function Facts({ pass }) {
  return html`<dl class="facts">
      <dt>Wallet</dt><dd><code>${pass.walletAddress}</code></dd>
      <dt>Network</dt><dd>${pass.chain.network} (${pass.chain.type})</dd>
      <dt>Wanted</dt><dd>${badge(pass.state)}</dd>
      <dt>On chain</dt><dd>${badge(pass.onChainState)}</dd>
      <dt>Expires</dt><dd>${pass.expiryTimestamp ? timeOf(pass.expiryTimestamp) : 'never'}</dd>
      <dt>Gatekeeper network</dt><dd><code>${pass.gatekeeperNetwork}</code></dd>
      <dt>Id</dt><dd><code>${pass.id}</code></dd>
    </dl>
    <${Status}>${isMoving(pass) ? 'A transaction is under way.' : 'The chain agrees.'}<//>`;
}

/** The changes by the wanted state of the pass. */
const CHANGES = {
  REQUESTED: ['revoke'],
  ACTIVE: ['freeze', 'renew', 'revoke'],
  FROZEN: ['unfreeze', 'renew', 'revoke'],
};

const TEXTS = {
  freeze: { verb: 'Freeze', detail: 'dApps refuse the wallet until you unfreeze the pass.' },
  unfreeze: { verb: 'Unfreeze', detail: 'dApps accept the wallet again.' },
  renew: { verb: 'Renew', detail: 'The pass gets the new expiry.' },
  revoke: { verb: 'Revoke', detail: 'A revocation is final. The wallet can never get this pass again.' },
};

function Actions({ pass, choose, sync }) {
  const changes = CHANGES[pass.state] ?? [];
  return html`<div class="actions">
    ${changes.map(
      (change) =>
        html`<button type="button" class=${change === 'revoke' ? 'danger' : ''} onClick=${() => choose(change)}>
          ${TEXTS[change].verb}
        </button>`,
    )}
    <button type="button" disabled=${sync.isRunning} onClick=${() => sync.run()}>Compare with the chain</button>
  </div>`;
}

const YEAR_MS = 365 * 24 * 3_600_000;
const dateOf = (time) => new Date(time).toISOString().slice(0, 10);

function ConfirmChange({ change, pass, path, onDone, onCancel }) {
  const { verb, detail } = TEXTS[change];
  const request = (form) => {
    switch (change) {
      case 'freeze':
        return call('PATCH', path, { body: { state: 'FROZEN' } });
      case 'unfreeze':
        return call('PATCH', path, { body: { state: 'ACTIVE' } });
      case 'revoke':
        return call('DELETE', path);
      default:
        return call('PATCH', path, { body: { expiryTimestamp: Date.parse(form.get('expiry')) / 1_000 } });
    }
  };
  // A revocation has an empty body.
  const action = async (form) => (await request(form)) ?? true;
  return html`<${Confirm} title=${`${verb} this pass?`} verb=${verb} action=${action} onDone=${onDone} onCancel=${onCancel}>
    <p>Wallet <code class="whole">${pass.walletAddress}</code> on ${pass.chain.network}.</p>
    <p>${detail}</p>
    ${
      change === 'renew' &&
      html`<${Field} label="New expiry (UTC)">
        <input name="expiry" type="date" required min=${dateOf(Date.now() + 86_400_000)} value=${dateOf(Date.now() + YEAR_MS)} />
      <//>`
    }
  <//>`;
}

function Timeline({ pass }) {
  return html`<h2>Timeline</h2>
    <ol class="timeline" aria-label="Timeline" reversed>
      ${pass.events.toReversed().map(
        ({ eventType, timestamp, transaction, reason }) => html`<li>
          <strong>${eventName(eventType)}</strong> ${timeOf(timestamp)}
          ${transaction && html`<span>${transactionLink(pass.chain.network, transaction.identifier)} ${transaction.status}</span>`}
          ${reason && html`<span>${reason}</span>`}
        </li>`,
      )}
    </ol>`;
}
