import { Field, NetworkChoice, onSubmit, textIn } from '../layout/field.tsx';
import { issueFile, useRun } from './run.ts';
import { RunProgress } from './run-progress.tsx';

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
      <RunProgress run={run} />
    </>
  );
}
