import { ApiError, describeProblem, post } from './api.js';
import { readRows } from './csv-rows.js';
import { Field, NetworkChoice, Problem } from './layout.js';
import { html, useEffect, useLayoutEffect, useState } from './preact.js';

/** The maximum number of items in a request. */
const REQUEST_MAX_ITEMS = 100;
/** Without an answer, a request is sent again: issuing a pass a second time changes nothing. */
const MAX_TRIES = 20;
const RETRY_MIN_SECONDS = 2;
/** Nobody waits longer, for example until the quota of the next day. */
const RETRY_MAX_SECONDS = 120;

/** The columns of a result. They mean the same as those of the command `gatepass`. */
const RESULT_COLUMNS = ['network', 'walletAddress', 'reference', 'outcome', 'detail', 'pass', 'requestId'];

/** The run, which continues while the person looks at another view. */
let run = { isRunning: false };
const listeners = new Set();

function report(change) {
  run = { ...run, ...change };
  for (const listener of listeners) listener();
}

/** Issues a pass for each row of a file, shows the progress, and offers the results as a file. */
export function CsvForm() {
  const [, redraw] = useState(0);
  // Before the page is shown: a plain effect misses a report that comes earlier.
  useLayoutEffect(() => {
    const listener = () => redraw((each) => each + 1);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, []);
  const { isRunning, error, results, emptyRows } = run;
  const submit = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    if (!isRunning) issueFile(form.get('file'), form.get('network'));
  };
  return html`<form class="row" onSubmit=${submit}>
      <${Field} label="CSV file" hint="Columns: walletAddress, and optionally network, expiryTimestamp (Unix seconds) and reference.">
        <input name="file" type="file" accept=".csv,.txt,.tsv,text/csv,text/plain" required />
      <//>
      <${Field} label="Network of rows without one"><${NetworkChoice} name="network" /><//>
      <button type="submit" class="primary" disabled=${isRunning}>Issue all</button>
    </form>
    <${Problem} error=${error} />
    ${results && html`<${Progress} results=${results} emptyRows=${emptyRows} isRunning=${isRunning} />`}`;
}

const isEnded = ({ outcome }) => outcome !== undefined;
const countOf = (results, kind) => results.filter(({ outcome }) => outcome === kind).length;

function Progress({ results, emptyRows, isRunning }) {
  const [total, done] = [results.length, results.filter(isEnded).length];
  const counts = `${countOf(results, 'accepted')} accepted, ${countOf(results, 'failed')} failed`;
  const unknown = countOf(results, 'unknown');
  return html`<div class="progress">
    <label>Progress <progress value=${done} max=${total}>${done} of ${total}</progress></label>
    <p role="status">${done} of ${total} rows: ${counts}${unknown > 0 ? `, ${unknown} unknown` : ''}.</p>
    ${emptyRows > 0 && html`<p>Skipped empty rows: ${emptyRows}.</p>`}
    ${unknown > 0 && html`<p class="warning">Run the file again: a pass is never issued twice.</p>`}
    ${!isRunning && html`<${ResultFile} results=${results} />`}
  </div>`;
}

/** Offers the results as a file, which exists only in this page. */
function ResultFile({ results }) {
  const [url, setUrl] = useState();
  useEffect(() => {
    let made;
    import('./csv-stringify.js').then(({ stringify }) => {
      const text = stringify(results, { header: true, columns: RESULT_COLUMNS, escape_formulas: true });
      made = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
      setUrl(made);
    });
    return () => URL.revokeObjectURL(made);
  }, [results]);
  return url && html`<p><a href=${url} download="gatepass-results.csv">Download the results</a></p>`;
}

const warnBeforeLeaving = (event) => event.preventDefault();

async function issueFile(file, network) {
  report({ isRunning: true, error: undefined, results: undefined, emptyRows: 0 });
  addEventListener('beforeunload', warnBeforeLeaving);
  try {
    const { rows, emptyRows } = await readRows(new Uint8Array(await file.arrayBuffer()), network);
    report({ emptyRows });
    await issueAll(rows);
  } catch (error) {
    report({ error });
  } finally {
    removeEventListener('beforeunload', warnBeforeLeaving);
    // A fault may have ended the run.
    report({ isRunning: false, results: run.results?.map((result) => ({ outcome: 'unknown', ...result })) });
  }
}

async function issueAll(rows) {
  const results = rows.map(({ walletAddress, network, reference, fault }) => ({
    walletAddress,
    network,
    reference,
    ...(fault !== undefined && { outcome: 'failed', detail: fault }),
  }));
  report({ results: [...results] });
  const open = rows.map((row, index) => ({ ...row, index })).filter(({ item }) => item !== undefined);
  for (let start = 0; start < open.length; start += REQUEST_MAX_ITEMS) {
    let group = open.slice(start, start + REQUEST_MAX_ITEMS);
    for (let tries = 1; group.length > 0; tries += 1) {
      const answers = await issueGroup(group.map(({ item }) => item));
      const answered = group.map((row, place) => ({ ...row, answer: answers[place] }));
      const isOver = ({ answer }) => !isTemporary(answer) || tries === MAX_TRIES;
      for (const { walletAddress, network, reference, index, answer } of answered.filter(isOver))
        results[index] = { walletAddress, network, reference, ...resultOf(answer) };
      report({ results: [...results] });
      // Only the other items are sent again.
      const again = answered.filter((row) => !isOver(row));
      const seconds = Math.max(RETRY_MIN_SECONDS, ...again.map(({ answer }) => answer.retryAfter ?? 0));
      if (again.length > 0) await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      group = again;
    }
  }
}

/** Returns an answer for each item. A refusal of the request is the answer to each of them, so that other groups continue. */
async function issueGroup(items) {
  try {
    return (await post('passes', { items })).results;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message: detail, requestId, retryAfter } = error;
    return items.map(() => ({ status, retryAfter, problem: { code, detail, requestId } }));
  }
}

/** Whether a later request may succeed soon. Without an answer, the service may also have accepted the item. */
const isTemporary = ({ status, retryAfter = 0 }) =>
  status === 0 || ((status === 429 || status >= 500) && retryAfter <= RETRY_MAX_SECONDS);

function resultOf({ status, record, problem, retryAfter }) {
  if (problem === undefined) return { outcome: 'accepted', pass: record.id };
  const { code, requestId } = problem;
  const detail = describeProblem(problem);
  const outcome = isTemporary({ status, retryAfter }) ? 'unknown' : 'failed';
  return { outcome, detail: code === undefined ? detail : `${code}: ${detail}`, requestId };
}
