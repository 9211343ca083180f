import { get } from './api.js';
import { eventName, isoTime, originOf, passView, transactionLink } from './format.js';
import { Problem, Table, View } from './layout.js';
import { html, useEffect, useState } from './preact.js';

const POLL_MS = 2_000;
const EARLIER_EVENTS = 20;
const SHOWN_MAX = 200;

/** Follows the event feed, the newest event first. */
export function FeedView() {
  const [events, setEvents] = useState();
  const [error, setError] = useState();
  useEffect(() => {
    const aborted = new AbortController();
    let after;
    let timer;
    async function run() {
      try {
        after ??= Math.max(0, (await get('events?after=newest', aborted.signal)).next - EARLIER_EVENTS);
        const page = await get(`events?after=${after}&limit=100`, aborted.signal);
        after = page.next;
        setEvents((shown = []) => [...page.events.toReversed(), ...shown].slice(0, SHOWN_MAX));
        setError(undefined);
      } catch (fault) {
        if (fault.name === 'AbortError') return;
        // The feed no longer has all of these events.
        if (fault.code === 'cursor_expired') after = fault.oldest - 1;
        else setError(fault);
      }
      timer = setTimeout(run, POLL_MS);
    }
    run();
    return () => {
      aborted.abort();
      clearTimeout(timer);
    };
  }, []);
  return html`<${View} title="Live feed">
    <p>New events appear at the top.</p>
    <${Problem} error=${error} />
    ${
      events &&
      html`<${Table} caption="Events" heads=${['Time', 'Event', 'Wallet', 'Network', 'Transaction']}>
        ${events.map((event) => html`<${Event} key=${event.sequence} ...${event} />`)}
      <//>`
    }
    ${events?.length === 0 && html`<p role="status">There are no events yet.</p>`}
  <//>`;
}

function Event({ type, timestamp, data }) {
  const pass = data?.pass;
  const { transaction, byOthers } = data?.event ?? {};
  return html`<tr>
    <td>${isoTime(timestamp)}</td>
    <td>${eventName(type)}</td>
    <td>${pass && html`<a href=${passView(pass)}><code>${pass.walletAddress}</code></a>`}</td>
    <td>${pass?.chain.network}</td>
    <td>${transaction && transactionLink(pass.chain.network, transaction.identifier)} ${byOthers && originOf(byOthers)}</td>
  </tr>`;
}
