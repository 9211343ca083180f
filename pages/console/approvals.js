import { get, post } from './api.js';
import { Confirm } from './confirm.js';
import { timeOf } from './format.js';
import { Problem, Status, Table, useAction, useLoad, View } from './layout.js';
import { html, useState } from './preact.js';
import { currentSession, hasScope } from './sign-in.js';

const REFRESH_MS = 5_000;

/** The route of each action that may wait, and the field of its answer with the number of items. */
const ACTIONS = {
  'operator.withdraw': { title: 'End unsigned steps', path: 'admin/withdraw', counted: 'withdrawn' },
  'operator.abandon': { title: 'Abandon issuances', path: 'admin/abandon', counted: 'abandoned' },
  'operator.revoke': { title: 'Revoke passes', path: 'admin/revocations', counted: 'revoked' },
  'operator.accept_losses': { title: 'Accept losses', path: 'admin/reconciliation', counted: 'accepted' },
};

/** Lists the actions that wait for a second person. Confirms, does and rejects them. */
export function ApprovalsView() {
  const list = useLoad((signal) => get('admin/approvals', signal), 'approvals', REFRESH_MS);
  const [asking, setAsking] = useState();
  const [outcome, setOutcome] = useState('');
  const { run, isRunning, error } = useAction(async (approval) => {
    await perform(approval, setOutcome);
    list.reload();
  });
  const decided = ({ approval, verb }) => {
    setAsking(undefined);
    list.reload();
    if (verb === 'confirm') run(approval);
    else setOutcome('Rejected. Nothing was done.');
  };
  return html`<${View} title="Approvals">
    <p>These actions wait for a person other than the one who asked.</p>
    <${Problem} error=${error ?? list.error} />
    <${Status}>${outcome}<//>
    ${list.value && html`<${Approvals} ...${list.value} ask=${setAsking} perform=${run} isRunning=${isRunning} />`}
    ${
      asking &&
      html`<${Confirm}
        title=${`${asking.verb === 'confirm' ? 'Confirm' : 'Reject'}: ${titleOf(asking.approval)}?`}
        verb=${asking.verb === 'confirm' ? 'Confirm' : 'Reject'}
        action=${(_, signal) => post('admin/approvals', { [asking.verb]: asking.approval.id }, signal)}
        onDone=${() => decided(asking)}
        onCancel=${() => setAsking(undefined)}
      >
        <p>Items: ${asking.approval.count}, asked for by ${nameOf(asking.approval.askedBy)}.</p>
        <${Request} request=${asking.approval.request} />
        ${asking.verb === 'confirm' && html`<p>This cannot be undone.</p>`}
      <//>`
    }
  <//>`;
}

/** Sends the request of a confirmed approval until it is done. */
async function perform({ id, action, request }, say) {
  const { path, counted } = ACTIONS[action];
  let [after, done, failed] = [undefined, 0, 0];
  for (;;) {
    const answer = await post(path, { ...request, approval: id, ...(after && { after }) });
    done += Number(answer[counted]) || 0;
    failed += answer.failed ?? 0;
    const isDone = !answer.more && !answer.next;
    const left = failed > 0 ? ` ${failed} could not be done: ask for them again.` : '';
    say(`${titleOf({ action })}: ${isDone ? 'done' : 'going on'}${done > 0 ? `, ${done}` : ''}.${left}`);
    if (isDone) return;
    after = answer.next;
  }
}

/** Shows the fields of a request. A list of passes may be long, so it is closed at first. */
function Request({ request: { passes, wallets, ...fields } }) {
  const list = passes ?? wallets;
  const shown = (name, value) =>
    TIMES.includes(name) ? timeOf(value) : typeof value === 'object' ? JSON.stringify(value) : value;
  return html`<div class="request">
    ${Object.entries(fields).map(([name, value]) => html`<div class="whole">${name}: ${shown(name, value)}</div>`)}
    ${
      list &&
      html`<details>
        <summary>${passes ? 'passes' : 'wallets without a pass'}: ${list.length}</summary>
        ${list.map(
          ({ gatekeeperNetwork, network, walletAddress }) =>
            html`<div><code class="whole">${walletAddress} on ${network} of ${gatekeeperNetwork}</code></div>`,
        )}
      </details>`
    }
  </div>`;
}

const TIMES = ['from', 'to'];

const titleOf = ({ action }) => ACTIONS[action]?.title ?? action;
const nameOf = ({ client, sub }) => sub ?? `the program ${client}`;

function Approvals({ approvals, ask, perform, isRunning }) {
  if (approvals.length === 0) return html`<p>No action waits.</p>`;
  const { sub } = currentSession();
  return html`<${Table}
    caption="Actions that wait for a second person"
    heads=${['Action', 'Items', 'Request', 'Asked by', 'Until', 'Decision']}
  >
    ${approvals.map((approval) => {
      const { id, count, request, askedBy, expiresAt, confirmedBy } = approval;
      const button = (verb, label) =>
        html`<button type="button" disabled=${isRunning} aria-label=${`${label} ${id}`} onClick=${() => ask({ approval, verb })}>
          ${label}
        </button>`;
      const decision = !hasScope('act')
        ? 'You may only read'
        : confirmedBy === undefined && askedBy.sub === sub
          ? 'Another person decides'
          : confirmedBy === undefined
            ? html`<div class="row">${button('confirm', 'Confirm')} ${button('reject', 'Reject')}</div>`
            : html`<button type="button" disabled=${isRunning} aria-label=${`Continue ${id}`} onClick=${() => perform(approval)}>
                Continue
              </button>`;
      return html`<tr key=${id}>
        <td>${titleOf(approval)}</td>
        <td>${count}</td>
        <td><${Request} request=${request} /></td>
        <td>${nameOf(askedBy)}</td>
        <td>${timeOf(expiresAt)}</td>
        <td>${decision}</td>
      </tr>`;
    })}
  <//>`;
}
