import { ApiError, post } from './api.js';
import { networkOf } from './format.js';
import { Field, NetworkChoice, Problem, useAction } from './layout.js';
import { html, useEffect, useState } from './preact.js';

/** The maximum number of items in a request. */
const REQUEST_MAX_ITEMS = 100;
/** Without an answer, a request is sent again: issuing a pass a second time changes nothing. */
const MAX_TRIES = 5;
const RETRY_MS = 2_000;

/** The columns of a result, in the names of the command `gatepass`. */
const RESULT_COLUMNS = ['walletAddress', 'network', 'result', 'id', 'state', 'code', 'detail'];

/** Issues a pass for each row of a file, shows the progress, and offers the results as a file. */
export function CsvForm() {
  const [progress, setProgress] = useState();
  const { run, isRunning, error } = useAction(async (form) => {
    setProgress(undefined);
    const rows = await readRows(await form.get('file').text(), form.get('network'));
    await issueAll(rows, setProgress);
  });
  useWarningBeforeLeaving(isRunning);
  const submit = (event) => {
    event.preventDefault();
    run(new FormData(event.target));
  };
  return html`<form class="row" onSubmit=${submit}>
      <${Field} label="CSV file" hint="Columns: walletAddress, and optionally network and expiryTimestamp (Unix seconds).">
        <input name="file" type="file" accept=".csv,text/csv" required />
      <//>
      <${Field} label="Network of rows without one"><${NetworkChoice} name="network" /><//>
      <button type="submit" class="primary" disabled=${isRunning}>Issue all</button>
    </form>
    <${Problem} error=${error} />
    ${progress && html`<${Progress} ...${progress} isRunning=${isRunning} />`}`;
}

function Progress({ done, total, accepted, refused, results, isRunning }) {
  return html`<div class="progress">
    <label>Progress <progress value=${done} max=${total}>${done} of ${total}</progress></label>
    <p role="status">${done} of ${total} rows: ${accepted} accepted, ${refused} refused.</p>
    ${!isRunning && done === total && html`<${ResultFile} results=${results} />`}
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

function useWarningBeforeLeaving(isRunning) {
  useEffect(() => {
    if (!isRunning) return undefined;
    const warn = (event) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isRunning]);
}

/** Returns a row for each line of the file. Throws if the file is not usable as a whole, before anything is sent. */
async function readRows(text, network) {
  const { parse } = await import('./csv-parse.js');
  const options = { columns: true, bom: true, trim: true, skip_empty_lines: true, info: true };
  let lines;
  try {
    lines = parse(text, options);
  } catch (error) {
    throw new Error(`The file is not CSV: ${error.message}.`);
  }
  if (lines.length === 0) throw new Error('The file has no rows.');
  if (!('walletAddress' in lines[0].record)) throw new Error('The file has no column "walletAddress".');
  return lines.map(({ record, info }) => rowOf(record, network, info.lines));
}

/** Returns the item of a row, or a `fault` that the service need not see. */
function rowOf({ walletAddress, network: own, expiryTimestamp = '' }, fallback, line) {
  const name = own || fallback;
  const network = networkOf(name);
  const row = { walletAddress, network: name };
  if (network === undefined) return { ...row, fault: `line ${line}: "${name}" is not a network` };
  if (!/^\d*$/.test(expiryTimestamp)) return { ...row, fault: `line ${line}: expiryTimestamp must be Unix seconds` };
  const expiry = expiryTimestamp === '' ? {} : { expiryTimestamp: Number(expiryTimestamp) };
  return { ...row, item: { chain: { type: network.chain, network: name }, walletAddress, ...expiry } };
}

async function issueAll(rows, setProgress) {
  const results = rows.map(({ walletAddress, network, fault }) =>
    fault === undefined ? undefined : { walletAddress, network, result: 'refused', code: 'invalid_row', detail: fault },
  );
  const report = () => {
    const ended = results.filter((result) => result !== undefined);
    const accepted = ended.filter(({ result }) => result === 'accepted').length;
    setProgress({ done: ended.length, total: rows.length, accepted, refused: ended.length - accepted, results });
  };
  report();
  const open = rows.map((row, index) => ({ ...row, index })).filter(({ item }) => item !== undefined);
  for (let start = 0; start < open.length; start += REQUEST_MAX_ITEMS) {
    const group = open.slice(start, start + REQUEST_MAX_ITEMS);
    const answers = await issueGroup(group.map(({ item }) => item));
    for (const [place, { walletAddress, network, index }] of group.entries())
      results[index] = { walletAddress, network, ...resultOf(answers[place]) };
    report();
  }
}

/** Waits if the service asks for it, and tries again without an answer. */
async function issueGroup(items, tries = 1) {
  try {
    return (await post('passes', { items })).results;
  } catch (error) {
    const isTemporary =
      error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
    if (!isTemporary || tries >= MAX_TRIES) throw error;
    await new Promise((resolve) => setTimeout(resolve, Math.max(RETRY_MS, error.retryAfter * 1_000)));
    return issueGroup(items, tries + 1);
  }
}

function resultOf({ record, problem }) {
  return problem === undefined
    ? { result: 'accepted', id: record.id, state: record.state }
    : { result: 'refused', code: problem.code, detail: problem.detail };
}
