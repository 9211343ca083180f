import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../layout/view.tsx';
import { resultsFile } from './csv-files.ts';
import type { Result, Run } from './run.ts';

/** Shows the progress of a run, and offers its results as a file. */
export const RunProgress = ({ run }: { readonly run: Run }) => (
  <>
    <Problem error={run.error} />
    {run.results && <Progress {...run} results={run.results} />}
  </>
);

function Progress({ results, emptyRows = 0, isRunning, work }: Run & { readonly results: readonly Result[] }) {
  const countOf = (kind: Result['outcome']) => results.filter(({ outcome }) => outcome === kind).length;
  const total = results.length;
  const done = total - countOf(undefined);
  const counts = `${countOf('accepted')} accepted, ${countOf('failed')} failed`;
  const unknown = countOf('unknown');
  return (
    <div class="progress">
      <label>
        {work?.verb}: progress{' '}
        <progress value={done} max={total}>
          {done} of {total}
        </progress>
      </label>
      <p role="status">
        {done} of {total} rows: {counts}
        {unknown > 0 ? `, ${unknown} unknown` : ''}.
      </p>
      {emptyRows > 0 && <p>Skipped empty rows: {emptyRows}.</p>}
      {unknown > 0 && <p class="warning">Run it again: work that was done is not done twice.</p>}
      {!isRunning && <ResultFile results={results} />}
    </div>
  );
}

/** Offers the results as a file, which exists only in this page. */
function ResultFile({ results }: { readonly results: readonly Result[] }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    let made: string | undefined;
    void resultsFile(results).then((text) => {
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
