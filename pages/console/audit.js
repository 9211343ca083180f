import { get } from './api.js';
import { isoTime } from './format.js';
import { Problem, Table, useAction, useLoad, View } from './layout.js';
import { html, useState } from './preact.js';

const PAGE_ENTRIES = 50;
/** A page without a match may be followed by one with some. */
const EMPTY_PAGES_MAX = 20;

/** Shows who changed what in the gatekeeper network of the partner, the newest entry first. */
export const AuditView = () => html`<${View} title="Audit"><${Trail} path="audit" /><//>`;

/** Shows what operators did. */
export const OperatorAuditView = () => html`<${View} title="Audit"><${Trail} path="admin/audit" /><//>`;

/** Shows the changes that somebody requested of a pass. A new version loads all pages again: entries move from page to page. */
export const PassTrail = ({ id, version }) =>
  html`<h2>Who requested what</h2><${Trail} key=${version} path="audit" filter=${`&pass=${id}`} isOfPass />`;

async function load(path, filter, first, signal) {
  let after = first;
  for (let pages = 1; ; pages += 1) {
    const from = after === undefined ? '' : `&after=${after}`;
    const page = await get(`${path}?order=newest&limit=${PAGE_ENTRIES}${filter}${from}`, signal);
    if (page.entries.length > 0 || !page.more || pages === EMPTY_PAGES_MAX) return page;
    after = page.next;
  }
}

function Trail({ path, filter = '', isOfPass }) {
  const [earlier, setEarlier] = useState([]);
  const { value, error } = useLoad((signal) => load(path, filter, undefined, signal), `${path}${filter}`);
  const last = earlier.at(-1) ?? value;
  const more = useAction(async () => {
    const page = await load(path, filter, last.next);
    setEarlier((pages) => [...pages, page]);
  });
  const entries = [value, ...earlier].flatMap((page) => page?.entries ?? []);
  const heads = ['Time', 'Action', 'Who', ...(isOfPass ? [] : ['What']), 'Reason'];
  return html`<${Problem} error=${error ?? more.error} />
    ${entries.length > 0 && html`<${Table} caption="Audit trail" heads=${heads}>${entries.map((entry) => html`<${Entry} key=${entry.sequence} isOfPass=${isOfPass} ...${entry} />`)}<//>`}
    ${value !== undefined && entries.length === 0 && html`<p role="status">There are no entries.</p>`}
    ${last?.more && html`<div class="actions"><button type="button" disabled=${more.isRunning} onClick=${() => more.run()}>Earlier entries</button></div>`}`;
}

function Entry({ at, action, actor, target, reason, outcome, isOfPass }) {
  const item = target.walletAddress ?? target.pass ?? target.webhook ?? target.command ?? '';
  return html`<tr>
    <td>${isoTime(at)}</td>
    <td>${action} ${outcome.type !== 'done' && `(${outcome.type})`}</td>
    <td>${actor.sub ?? actor.client}</td>
    ${!isOfPass && html`<td><code>${typeof item === 'string' ? item : JSON.stringify(item)}</code></td>`}
    <td>${reason}</td>
  </tr>`;
}
