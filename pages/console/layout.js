import { html, useCallback, useEffect, useRef, useState } from './preact.js';
import { SETTINGS } from './settings.js';

/** A view with a heading, which gets the focus so that screen readers announce the view. */
export function View({ title, children }) {
  const heading = useRef();
  useEffect(() => {
    document.title = `${title} · Gatepass console`;
    heading.current.focus();
  }, [title]);
  return html`<h1 tabindex="-1" ref=${heading}>${title}</h1>${children}`;
}

/** Shows why the service refused something, with the id that the operator needs. */
export function Problem({ error }) {
  if (error === undefined) return null;
  return html`<div class="problem" role="alert">
    <p>${error.message}</p>
    ${error.requestId && html`<p>Request id: <code>${error.requestId}</code></p>`}
  </div>`;
}

/** Warns that a list lacks the entries of databases that did not answer. */
export const UnreadShards = ({ shards }) =>
  shards.length > 0 &&
  html`<p class="warning">The list is incomplete. These databases did not answer: ${shards.join(', ')}</p>`;

/** Shows the result of an action to screen readers too. */
export const Status = ({ children }) => html`<p role="status" class="status">${children}</p>`;

/**
 * Loads data, and again after each `refreshMs` while the page is visible. Returns `value`, `error` and `reload`.
 * @param key A change loads the data again.
 */
export function useLoad(load, key, refreshMs) {
  const [state, setState] = useState({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const aborted = new AbortController();
    let timer;
    async function run() {
      // A hidden page loads only once.
      if (!document.hidden || timer === undefined) {
        try {
          const value = await load(aborted.signal);
          if (!aborted.signal.aborted) setState({ key, value });
        } catch (error) {
          if (!aborted.signal.aborted) setState((last) => ({ ...stateOf(last, key), key, error }));
        }
      }
      if (refreshMs !== undefined && !aborted.signal.aborted) timer = setTimeout(run, refreshMs);
    }
    run();
    return () => {
      aborted.abort();
      clearTimeout(timer);
    };
  }, [key, refreshMs, turn]);
  const reload = useCallback(() => setTurn((each) => each + 1), []);
  return { ...stateOf(state, key), reload };
}

const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** Returns the time in Unix seconds, and renders again every second: a pass may expire while its view stays open. */
export function useNow() {
  const [now, setNow] = useState(nowSeconds);
  useEffect(() => {
    const timer = setInterval(() => setNow(nowSeconds()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** The value of an earlier key must not show under the heading of the new one. */
const stateOf = (state, key) => (state.key === key ? state : {});

/** Runs an action once at a time. Returns `run`, `isRunning`, and the `error` of the last run. `run` never throws. */
export function useAction(action) {
  const [state, setState] = useState({ isRunning: false });
  const run = async (...values) => {
    if (state.isRunning) return;
    setState({ isRunning: true });
    try {
      await action(...values);
      setState({ isRunning: false });
    } catch (error) {
      setState({ isRunning: false, error });
    }
  };
  return { ...state, run };
}

/** A table with a caption. It scrolls by itself on a narrow screen. */
export function Table({ caption, heads, children }) {
  return html`<div class="scrolls" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption>${caption}</caption>
      <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
      <tbody>${children}</tbody>
    </table>
  </div>`;
}

/** A labeled field of a form. */
export function Field({ label, hint, children }) {
  return html`<label class="field"><span>${label}</span>${children}${hint && html`<small>${hint}</small>`}</label>`;
}

/** A choice of one of the networks of this deployment. */
export const NetworkChoice = ({ name, chosen }) => html`<select name=${name}>
  ${SETTINGS.networks.map((network) => html`<option value=${network} selected=${network === chosen}>${network}</option>`)}
</select>`;
