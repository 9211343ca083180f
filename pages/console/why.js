import { get } from './api.js';
import { networkOf, stateBadge, transactionLink } from './format.js';
import { Field, NetworkChoice, Problem, Status, UnreadShards, useLoad, View } from './layout.js';
import { html } from './preact.js';

const REFRESH_MS = 5_000;

/** The address of this view for a wallet. */
export const whyView = ({ chain, walletAddress }) =>
  `#/why/${[chain.type, chain.network, walletAddress].map(encodeURIComponent).join('/')}`;

/** Explains to the operator why the pass of a wallet is or is not active. */
export function WhyView({ parameters: [chain, network = '', wallet = ''] }) {
  const ask = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const name = form.get('network');
    const chosen = { type: networkOf(name).chain, network: name };
    location.hash = whyView({ chain: chosen, walletAddress: form.get('wallet').trim() });
  };
  return html`<${View} title="Why not active">
    <form class="row" role="search" onSubmit=${ask}>
      <${Field} label="Network"><${NetworkChoice} name="network" chosen=${network} /><//>
      <${Field} label="Wallet"><input name="wallet" required autocomplete="off" spellcheck=${false} value=${wallet} /><//>
      <button type="submit" class="primary">Look up</button>
    </form>
    ${wallet !== '' && html`<${Answer} path=${`admin/passes/${[chain, network, wallet].map(encodeURIComponent).join('/')}`} />`}
  <//>`;
}

function Answer({ path }) {
  const { value, error } = useLoad((signal) => get(path, signal), path, REFRESH_MS);
  return html`
    <${Problem} error=${error} />
    ${value && html`<${UnreadShards} shards=${value.unreadShards ?? []} />`}
    ${value?.passes.map((each) => html`<${ExplainedPass} key=${each.pass.gatekeeperNetwork} ...${each} />`)}
  `;
}

const READ_MODELS = {
  current: 'shows the newest version',
  behind: 'shows an older version',
  missing: 'has no row',
  unread: 'does not answer',
};

function ExplainedPass({ pass, reason, remedy, record, readModel, step, tries, signerName, signer, node }) {
  const transaction = record?.events.findLast((event) => event.transaction)?.transaction;
  // The key says it. No key of a gatekeeper signs there.
  const isSandbox = pass.gatekeeperNetwork.startsWith('sandbox');
  return html`<section class="card" aria-label=${`Pass in ${pass.gatekeeperNetwork}`}>
    <h2>${isSandbox && 'Sandbox '}<code class="whole">${pass.gatekeeperNetwork}</code></h2>
    <${Status}>${sentence(reason)} ${remedy}<//>
    <dl class="facts">
      ${record && html`<dt>Wanted</dt><dd>${stateBadge(record.state)}</dd><dt>On chain</dt><dd>${stateBadge(record.onChainState)}</dd>`}
      <dt>Step</dt><dd>${step ? `${step.kind} (${step.id}), tried ${tries} times` : 'none'}</dd>
      ${transaction && html`<dt>Transaction</dt><dd>${transactionLink(pass.chain.network, transaction.identifier)} ${transaction.status}</dd>`}
      <dt>Signer</dt><dd>${signerName === undefined ? 'unknown' : html`<code class="whole">${signerName}</code> ${isSandbox ? 'is simulated' : describeSigner(signer)}`}</dd>
      <dt>Node</dt><dd>${describeNode(node)}</dd>
      <dt>Database</dt><dd>${READ_MODELS[readModel] ?? readModel}</dd>
    </dl>
  </section>`;
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function describeSigner(signer) {
  if (signer === null) return 'is not configured';
  return signer.paused ? html`<span class="warning">${signer.paused.why}</span>` : '';
}

function describeNode(node) {
  if (node === null) return 'unknown';
  return node.answers ? 'answers' : html`<span class="warning">${node.why}</span>`;
}
