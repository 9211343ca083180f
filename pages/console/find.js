import { post } from './api.js';
import { passView, stateBadge, verdictBadges } from './format.js';
import { Field, Problem, Table, useLoad, useNow, View } from './layout.js';
import { html, useState } from './preact.js';
import { verdictOfRecord } from './verdict.js';

const PAGE_SIZE = 20;

/** Finds the passes of a wallet or with a reference, and lists the newest ones before. */
export function FindView() {
  const [filter, setFilter] = useState({});
  const body = isEmpty(filter) ? { limit: PAGE_SIZE } : { limit: 100, filter };
  const { value, error, reload } = useLoad(() => post('pass', body), JSON.stringify(filter));
  const find = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const [walletAddress, reference] = ['wallet', 'reference'].map((name) => form.get(name).trim());
    setFilter({ ...(walletAddress && { walletAddress }), ...(reference && { reference }) });
    reload();
  };
  return html`<${View} title="Find">
    <form class="row" role="search" onSubmit=${find}>
      <${Field} label="Wallet"><input name="wallet" type="search" autocomplete="off" spellcheck=${false} /><//>
      <${Field} label="Or reference"><input name="reference" type="search" autocomplete="off" spellcheck=${false} /><//>
      <button type="submit" class="primary">Find</button>
    </form>
    <${Problem} error=${error} />
    ${value && html`<${Passes} passes=${value.records} filter=${filter} />`}
  <//>`;
}

const isEmpty = (filter) => Object.keys(filter).length === 0;

function emptyText(filter) {
  if (isEmpty(filter)) return 'There are no passes yet.';
  return filter.reference === undefined ? 'This wallet has no pass.' : 'No pass has this reference.';
}

function captionOf(filter) {
  if (isEmpty(filter)) return 'The newest passes';
  return filter.reference === undefined ? 'The passes of the wallet' : 'The newest passes with the reference';
}

function Passes({ passes, filter }) {
  const now = useNow();
  if (passes.length === 0) return html`<p role="status">${emptyText(filter)}</p>`;
  return html`<${Table}
    caption=${captionOf(filter)}
    heads=${['Wallet', 'Reference', 'Network', 'Wanted', 'On chain', 'dApps']}
  >
    ${passes.map(
      (pass) => html`<tr key=${pass.id}>
        <td><a href=${passView(pass)}><code>${pass.walletAddress}</code></a></td>
        <td>${pass.reference}</td>
        <td>${pass.chain.network}</td>
        <td>${stateBadge(pass.state)}</td>
        <td>${stateBadge(pass.onChainState)}</td>
        <td>${verdictBadges(verdictOfRecord(pass, now))}</td>
      </tr>`,
    )}
  <//>`;
}
