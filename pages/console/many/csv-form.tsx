import { onSubmit } from '../layout/field.tsx';
import { CsvFields } from './csv-fields.tsx';
import { issueFile, useRun } from './run.ts';
import { RunProgress } from './run-progress.tsx';

/** Issues a pass for each row of a file, shows the progress, and offers the results as a file. */
export function CsvForm() {
  const run = useRun();
  return (
    <>
      <form class="row" onSubmit={onSubmit(issueFile)}>
        <CsvFields columns="walletAddress, and optionally network, expiryTimestamp (Unix seconds), reference and subject" />
        <button type="submit" class="primary" disabled={run.isRunning}>
          Issue all
        </button>
      </form>
      <RunProgress run={run} />
    </>
  );
}
