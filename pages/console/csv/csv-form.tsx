import { useEffect, useState } from 'preact/hooks';
import { Field, NetworkChoice, onSubmit, textIn } from '../layout/field.tsx';
import { Problem } from '../layout/view.tsx';
import { issueFile, type Result, type Run, useRun } from './csv-run.ts';

/** The columns of a result. They mean the same as those of the command `gatepass`. */
const RESULT_COLUMNS = ['network', 'walletAddress', 'reference', 'outcome', 'detail', 'pass', 'requestId'];

/** Issues a pass for each row of a file, shows the progress, and offers the results as a file. */
export function CsvForm() {
  const run = useRun();
  const submit = (form: FormData) => {
    const file = form.get('file');
    if (file instanceof File) void issueFile(file, textIn(form, 'network'));
  };
  return (
    <>
      <form class="row" onSubmit={onSubmit(submit)}>
        <Field
          label="CSV file"
          hint="Columns: walletAddress, and optionally network, expiryTimestamp (Unix seconds) and reference."
        >
          <input name="file" type="file" accept=".csv,.txt,.tsv,text/csv,text/plain" required />
        </Field>
        <Field label="Network of rows without one">
          <NetworkChoice name="network" />
        </Field>
        <button type="submit" class="primary" disabled={run.isRunning}>
          Issue all
        </button>
      </form>
      <Problem error={run.error} />
      {run.results && <Progress {...run} results={run.results} />}
    </>
  );
}

function Progress({ results, emptyRows = 0, isRunning }: Run & { readonly results: readonly Result[] }) {
  const countOf = (kind: Result['outcome']) => results.filter(({ outcome }) => outcome === kind).length;
  const total = results.length;
  const done = total - countOf(undefined);
  const counts = `${countOf('accepted')} accepted, ${countOf('failed')} failed`;
  const unknown = countOf('unknown');
  return (
    <div class="progress">
      <label>
        Progress{' '}
        <progress value={done} max={total}>
          {done} of {total}
        </progress>
      </label>
      <p role="status">
        {done} of {total} rows: {counts}
        {unknown > 0 ? `, ${unknown} unknown` : ''}.
      </p>
      {emptyRows > 0 && <p>Skipped empty rows: {emptyRows}.</p>}
      {unknown > 0 && <p class="warning">Run the file again: a pass is never issued twice.</p>}
      {!isRunning && <ResultFile results={results} />}
    </div>
  );
}

/** Offers the results as a file, which exists only in this page. */
function ResultFile({ results }: { readonly results: readonly Result[] }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    let made: string | undefined;
    void import('csv-stringify/browser/esm/sync').then(({ stringify }) => {
      const text = stringify([...results], { header: true, columns: RESULT_COLUMNS, escape_formulas: true });
      made = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
      setUrl(made);
    });
    return () => {
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [results]);
  if (url === undefined) return null;
  return (
    <p>
      <a href={url} download="gatepass-results.csv">
        Download the results
      </a>
    </p>
  );
}
