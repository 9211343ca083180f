import { get, post } from './api.js';
import { timeOf } from './format.js';
import { Problem, Status, Table, UnreadShards, useAction, useLoad, View } from './layout.js';
import { html, useState } from './preact.js';
import { hasScope } from './sign-in.js';
import { whyView } from './why.js';

const REFRESH_MS = 5_000;
/** Also passes that were listed just now. `/admin/stuck` omits the last five minutes by default. */
const OLDER_THAN_SECONDS = 0;

/** Lists stuck passes and dead letters, and retries them. */
export function StuckView() {
  const stuck = useLoad((signal) => get(`admin/stuck?olderThan=${OLDER_THAN_SECONDS}`, signal), 'stuck', REFRESH_MS);
  const dead = useLoad((signal) => get('admin/dead-letters', signal), 'dead', REFRESH_MS);
  const [outcome, setOutcome] = useState('');
  const mayAct = hasScope('act');
  const { run, isRunning, error } = useAction(async (body) => {
    let redriven = 0;
    let page = { next: undefined };
    const cursors = new Set();
    do {
      // An endless loop would redrive the same passes again and again.
      if (cursors.has(page.next)) throw new Error('The service names an earlier page. Try again later.');
      cursors.add(page.next);
      page = await post('admin/redrive', { ...body, after: page.next });
      redriven += page.redriven;
      setOutcome(`Redriven: ${redriven}${page.more ? ', and more remain' : ''}.`);
    } while (page.next !== undefined);
    stuck.reload();
    dead.reload();
  });
  return html`<${View} title="Stuck passes">
    <${Problem} error=${error ?? stuck.error ?? dead.error} />
    <${Status}>${outcome}<//>
    ${!mayAct && html`<p>Your account may read this list. To retry the passes, it needs the right to act.</p>`}
    ${stuck.value && html`<${StuckPasses} ...${stuck.value} redrive=${mayAct && run} isRunning=${isRunning} />`}
    <h2>Dead letters</h2>
    ${dead.value && html`<${DeadLetters} ...${dead.value} redrive=${mayAct && run} isRunning=${isRunning} />`}
  <//>`;
}

function StuckPasses({ stuck, next, unreadShards = [], redrive, isRunning }) {
  // A page may be empty although more follow.
  if (stuck.length === 0 && next === null && unreadShards.length === 0) return html`<p>No pass is stuck.</p>`;
  const all = { all: 'stuck', olderThan: OLDER_THAN_SECONDS };
  return html`
    <${UnreadShards} shards=${unreadShards} />
    ${next !== null && html`<p>More passes are stuck. The list has the oldest.</p>`}
    ${redrive && html`<div class="actions"><button type="button" disabled=${isRunning} onClick=${() => redrive(all)}>Redrive all</button></div>`}
    <${Table} caption="Passes that are stuck" heads=${['Wallet', 'Network', 'Since', 'Reason', 'Action']}>
      ${stuck.map(({ pass, since, reason }) => {
        const { gatekeeperNetwork, chain, walletAddress } = pass;
        const key = { gatekeeperNetwork, chain: chain.type, network: chain.network, walletAddress };
        return html`<tr key=${pass.id}>
          <td><a href=${whyView(pass)}><code>${walletAddress}</code></a></td>
          <td>${chain.network}</td>
          <td>${timeOf(since)}</td>
          <td>${reason}</td>
          <td>${redrive && html`<${Redrive} what=${walletAddress} isRunning=${isRunning} onClick=${() => redrive({ pass: key })} />`}</td>
        </tr>`;
      })}
    <//>`;
}

const Redrive = ({ what, isRunning, onClick }) =>
  html`<button type="button" disabled=${isRunning} aria-label=${`Redrive ${what}`} onClick=${onClick}>Redrive</button>`;

function DeadLetters({ deadLetters, next, redrive, isRunning }) {
  if (deadLetters.length === 0) return html`<p>There are no dead letters.</p>`;
  return html`${
    redrive &&
    html`<div class="actions">
      <button type="button" disabled=${isRunning} onClick=${() => redrive({ deadLetters: 'all' })}>Redrive all letters</button>
    </div>`
  }
    ${next !== null && html`<p>There are more dead letters. The list has the newest.</p>`}
    <${Table} caption="Dead letters" heads=${['Time', 'Reason', 'Message', 'Action']}>
      ${deadLetters.map(
        ({ id, at, reason, body }) => html`<tr key=${id}>
          <td>${timeOf(at)}</td>
          <td>${reason}</td>
          <td><code class="whole">${JSON.stringify(body)}</code></td>
          <td>${redrive && html`<${Redrive} what=${`the letter ${id}`} isRunning=${isRunning} onClick=${() => redrive({ deadLetter: id })} />`}</td>
        </tr>`,
      )}
    <//>`;
}
