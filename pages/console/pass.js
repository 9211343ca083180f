import { call, get, passPath, post } from './api.js';
import { PassTrail } from './audit.js';
import { Confirm } from './confirm.js';
import { eventName, originOf, stateBadge, timeOf, transactionLink, verdictBadges } from './format.js';
import { Field, Problem, Status, useAction, useLoad, useNow, View } from './layout.js';
import { html, useState } from './preact.js';
import { hasScope } from './sign-in.js';
import { verdictOfRecord } from './verdict.js';

const MOVING_REFRESH_MS = 1_500;
const SETTLED_REFRESH_MS = 10_000;
/** The events of a full record. It lacks those after its first one: `docs/partners/limits.md`. */
const FULL_RECORD_EVENTS = 100;

/** Whether a change of the pass has begun and not ended. The newest event of each change tells: `docs/partners/pass-life.md`. */
function isChanging({ events }) {
  const shown = events.length < FULL_RECORD_EVENTS ? events : events.slice(1);
  const newest = new Map(
    shown.map(({ eventType }) => [eventType.replace(/_(INITIATED|FAILED|REORGED)$/, ''), eventType]),
  );
  return [...newest.values()].some((eventType) => /_(INITIATED|REORGED)$/.test(eventType));
}

/** Whether the chain lacks the wanted state. A pass that was rejected, or revoked before it was signed, ends with `NONE`. */
const differs = ({ state, onChainState }) =>
  state !== onChainState && !(onChainState === 'NONE' && ['REVOKED', 'REJECTED'].includes(state));

const isMoving = (pass) => differs(pass) || isChanging(pass);

function describeProgress(pass, { isAccepted }) {
  if (isChanging(pass)) return 'A change is under way.';
  if (differs(pass)) return 'The chain does not have the wanted state.';
  // An expired pass is active on chain, and yet nobody wants that.
  return isAccepted || !['ACTIVE', 'REJECTED'].includes(pass.state) ? 'The chain has the wanted state.' : '';
}

/** Why dApps refuse a wallet, after "the pass". The later ones follow "and". */
const REASONS = {
  not_on_chain: () => 'is not on chain yet',
  revoked: () => 'is revoked',
  frozen: ({ reasons }) => (reasons.includes('not_on_chain') ? 'is to be frozen' : 'is frozen'),
  expired: ({ expiredAt }) => (expiredAt === undefined ? 'has expired' : html`expired on ${timeOf(expiredAt)}`),
};

/** Returns one sentence or two that tell what dApps do with the wallet. */
function describeVerdict(verdict) {
  const { isAccepted, until, reasons } = verdict;
  if (isAccepted) {
    if (until === undefined) return 'dApps accept the wallet. The pass never expires.';
    if (until === 'unknown') return 'dApps accept the wallet. A change of the expiry is not confirmed yet.';
    return html`dApps accept the wallet until ${timeOf(until)}.`;
  }
  if (reasons.includes('rejected')) return 'dApps refuse the wallet, because the chain refused the issuance.';
  const parts = reasons.map((reason, place) => html`${place > 0 && ' and '}${REASONS[reason](verdict)}`);
  return html`dApps refuse the wallet, because the pass ${parts}.`;
}

/** Shows a pass as it is wanted and as it is on chain, its timeline, and the changes that the person may request. */
export function PassView({ chain, wallet }) {
  const path = passPath(chain, wallet);
  const [refreshMs, setRefreshMs] = useState(MOVING_REFRESH_MS);
  const [change, setChange] = useState();
  const { value: pass, error, reload } = useLoad((signal) => get(path, signal), path, refreshMs);
  const wanted = pass === undefined || isMoving(pass) ? MOVING_REFRESH_MS : SETTLED_REFRESH_MS;
  if (wanted !== refreshMs) setRefreshMs(wanted);
  const sync = useAction(async () => {
    await post(`${path}/sync`);
    reload();
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
    ${pass && html`<${Timeline} pass=${pass} /><${PassTrail} id=${pass.id} version=${pass.events.length} />`}
    ${change && html`<${ConfirmChange} change=${change} pass=${pass} path=${path} onDone=${done} onCancel=${close} />`}
  <//>`;
}

function Facts({ pass }) {
  const verdict = verdictOfRecord(pass, useNow());
  return html`<dl class="facts">
      <dt>Wallet</dt><dd><code>${pass.walletAddress}</code></dd>
      <dt>Network</dt><dd>${pass.chain.network} (${pass.chain.type})</dd>
      <dt>dApps</dt><dd>${verdictBadges(verdict)}</dd>
      <dt>Wanted</dt><dd>${stateBadge(pass.state)}</dd>
      <dt>On chain</dt><dd>${stateBadge(pass.onChainState)}</dd>
      <dt>Expires</dt><dd>${pass.expiryTimestamp === undefined ? 'never' : timeOf(pass.expiryTimestamp)}</dd>
      <dt>${pass.chain.type === 'solana' ? 'Program' : 'Contract'}</dt><dd><code>${pass.contract}</code></dd>
      ${pass.reference !== undefined && html`<dt>Reference</dt><dd>${pass.reference}</dd>`}
      <dt>Gatekeeper network</dt><dd><code>${pass.gatekeeperNetwork}</code></dd>
      <dt>Id</dt><dd><code>${pass.id}</code></dd>
    </dl>
    <${Status}>${describeVerdict(verdict)} ${describeProgress(pass, verdict)}<//>`;
}

/** The changes by the wanted state of the pass. */
const CHANGES = {
  REQUESTED: ['revoke'],
  ACTIVE: ['freeze', 'renew', 'revoke'],
  FROZEN: ['unfreeze', 'renew', 'revoke'],
};

/** Whether somebody issued a token again after the revocation. */
const isLive = ({ state, onChainState }) => state === 'REVOKED' && ['ACTIVE', 'FROZEN'].includes(onChainState);

const TEXTS = {
  freeze: { verb: 'Freeze', detail: 'dApps refuse the wallet until you unfreeze the pass.' },
  unfreeze: { verb: 'Unfreeze', detail: 'dApps accept the wallet again.' },
  renew: { verb: 'Renew', detail: 'The pass gets the new expiry.' },
  name: {
    verb: 'Change the reference',
    detail: 'No transaction is sent. An empty field removes the reference, also from all events. Use no personal data.',
  },
  revoke: { verb: 'Revoke', detail: 'A revocation is final. The wallet can never get this pass again.' },
};

function detailOf(change, { reasons = [] }) {
  if (change === 'unfreeze' && reasons.includes('expired'))
    return 'dApps still refuse the wallet: the pass has expired. Renew it too.';
  return TEXTS[change].detail;
}

function Actions({ pass, choose, sync }) {
  const changes = [...(CHANGES[pass.state] ?? (isLive(pass) ? ['revoke'] : [])), 'name'];
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

/** The audit trail shows it. */
function reasonIn(form) {
  const reason = form.get('reason')?.trim();
  return reason ? { reason } : {};
}

const YEAR_MS = 365 * 24 * 3_600_000;
const dateOf = (time) => new Date(time).toISOString().slice(0, 10);

function ConfirmChange({ change, pass, path, onDone, onCancel }) {
  const { verb } = TEXTS[change];
  const action = (form, signal) => {
    switch (change) {
      case 'freeze':
        return call('PATCH', path, { signal, body: { state: 'FROZEN', ...reasonIn(form) } });
      case 'unfreeze':
        return call('PATCH', path, { signal, body: { state: 'ACTIVE' } });
      case 'name':
        return call('PATCH', path, { signal, body: { reference: form.get('reference').trim() || null } });
      case 'revoke':
        return call('DELETE', `${path}?${new URLSearchParams(reasonIn(form))}`, { signal });
      default:
        return call('PATCH', path, { signal, body: { expiryTimestamp: Date.parse(form.get('expiry')) / 1_000 } });
    }
  };
  return html`<${Confirm} title=${change === 'name' ? `${verb}?` : `${verb} this pass?`} verb=${verb} action=${action} onDone=${onDone} onCancel=${onCancel}>
    <p>Wallet <code class="whole">${pass.walletAddress}</code> on ${pass.chain.network}.</p>
    <p>${detailOf(change, verdictOfRecord(pass, useNow()))}</p>
    ${
      (change === 'freeze' || change === 'revoke') &&
      html`<${Field} label="Reason (optional)"><input name="reason" maxlength="200" /><//>`
    }
    ${
      change === 'name' &&
      html`<${Field} label="Reference">
        <input name="reference" value=${pass.reference ?? ''} autocomplete="off" spellcheck=${false} />
      <//>`
    }
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
        ({ eventType, timestamp, transaction, reason, requestId, byOthers }) => html`<li>
          <strong>${eventName(eventType)}</strong> ${timeOf(timestamp)}
          ${transaction && html`<span>${transactionLink(pass.chain.network, transaction.identifier)} ${transaction.status}</span>`}
          ${byOthers && html`<span>${originOf(byOthers)}</span>`}
          ${reason && html`<span>${reason}</span>`}
          ${requestId && html`<span>request <code>${requestId}</code></span>`}
        </li>`,
      )}
    </ol>`;
}
