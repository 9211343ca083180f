import { get, getPages } from './api.js';
import { number } from './format.js';
import { Field, Problem, Table, useLoad, View } from './layout.js';
import { html, useState } from './preact.js';

const COUNTS = ['issued', 'renewed', 'revoked', 'active'];
const currentMonth = () => new Date().toISOString().slice(0, 7);

/** Shows the usage of the partner in a month. */
export function UsageView() {
  return html`<${Month} load=${(month, signal) => get(`usage?month=${month}`, signal)}>
    ${({ networks }) => html`<${Bars} caption="Passes by network" networks=${networks} />`}
  <//>`;
}

/** Shows the usage of all partners in a month. */
export function AllUsageView() {
  return html`<${Month} load=${loadAll}>
    ${(all) =>
      all.map(
        ({ gatekeeperNetwork, clients, networks }) => html`<section key=${gatekeeperNetwork} class="card">
          <h2>${clients.map(({ name }) => name).join(', ') || 'No partner'}</h2>
          <p><code class="whole">${gatekeeperNetwork}</code></p>
          <${Bars} caption=${`Passes of ${gatekeeperNetwork} by network`} networks=${networks} />
        </section>`,
      )}
  <//>`;
}

const loadAll = async (month, signal) =>
  (await getPages(`admin/usage?month=${month}`, signal)).flatMap(({ gatekeeperNetworks }) => gatekeeperNetworks);

function Month({ load, children }) {
  const [month, setMonth] = useState(currentMonth());
  const { value, error } = useLoad((signal) => load(month, signal), month);
  return html`<${View} title="Usage">
    <${Field} label="Month (UTC)">
      <input type="month" value=${month} max=${currentMonth()} onChange=${({ target }) => target.value && setMonth(target.value)} />
    <//>
    <${Problem} error=${error} />
    ${value && children(value)}
  <//>`;
}

function Bars({ caption, networks }) {
  if (networks.length === 0) return html`<p role="status">There is no usage in this month.</p>`;
  const most = Math.max(1, ...networks.flatMap((network) => COUNTS.map((count) => network[count])));
  return html`<p>Active passes include expired ones.</p>
  <${Table} caption=${caption} heads=${['Network', 'Issued', 'Renewed', 'Revoked', 'Active']}>
    ${networks.map(
      (usage) => html`<tr key=${usage.chain.network}>
        <th scope="row">${usage.chain.network}</th>
        ${COUNTS.map(
          (count) => html`<td>
            ${number(usage[count])}
            <meter min="0" max=${most} value=${usage[count]} aria-label=${`${count} on ${usage.chain.network}`}></meter>
          </td>`,
        )}
      </tr>`,
    )}
  <//>`;
}
