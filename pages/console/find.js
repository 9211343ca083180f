import { post } from './api.js';
import { passView, stateBadge, verdictBadges } from './format.js';
import { Field, Problem, Table, useLoad, useNow, View } from './layout.js';
import { html, useState } from './preact.js';
import { verdictOfRecord } from './verdict.js';

const PAGE_SIZE = 20;

/** Finds the passes of a wallet, and lists the newest ones before. */
export function FindView() {
  const [wallet, setWallet] = useState('');
  const body = wallet === '' ? { limit: PAGE_SIZE } : { limit: 100, filter: { walletAddress: wallet } };
  const { value, error, reload } = useLoad(() => post('pass', body), wallet);
  const find = (event) => {
    event.preventDefault();
    setWallet(new FormData(event.target).get('wallet').trim());
    reload();
  };
  return html`<${View} title="Find">
    <form class="row" role="search" onSubmit=${find}>
      <${Field} label="Wallet"><input name="wallet" type="search" autocomplete="off" spellcheck=${false} /><//>
      <button type="submit" class="primary">Find</button>
    </form>
    <${Problem} error=${error} />
    ${value && html`<${Passes} passes=${value.records} wallet=${wallet} />`}
  <//>`;
}

function Passes({ passes, wallet }) {
  const now = useNow();
  if (passes.length === 0)
    return html`<p role="status">${wallet === '' ? 'There are no passes yet.' : 'This wallet has no pass.'}</p>`;
  return html`<${Table}
    caption=${wallet === '' ? 'The newest passes' : 'The passes of the wallet'}
    heads=${['Wallet', 'Network', 'Wanted', 'On chain', 'dApps']}
  >
    ${passes.map(
      (pass) => html`<tr key=${pass.id}>
        <td><a href=${passView(pass)}><code>${pass.walletAddress}</code></a></td>
        <td>${pass.chain.network}</td>
        <td>${stateBadge(pass.state)}</td>
        <td>${stateBadge(pass.onChainState)}</td>
        <td>${verdictBadges(verdictOfRecord(pass, now))}</td>
      </tr>`,
    )}
  <//>`;
}
