import { Field, NetworkChoice, textIn } from '../layout/field.tsx';
import { readRows } from './csv-rows.ts';

/** The fields of a form that takes a CSV file. `columns` names those that the form reads. */
export const CsvFields = ({ columns }: { readonly columns: string }) => (
  <>
    <Field label="CSV file" hint={`Columns: ${columns}.`}>
      <input name="file" type="file" accept=".csv,.txt,.tsv,text/csv,text/plain" required />
    </Field>
    <Field label="Network of rows without one">
      <NetworkChoice name="network" />
    </Field>
  </>
);

/** Returns the rows of the file in the form. Throws if the file is not usable as a whole. */
export async function rowsIn(form: FormData): ReturnType<typeof readRows> {
  const file = form.get('file');
  if (!(file instanceof File)) throw new Error('Choose a file.');
  return readRows(new Uint8Array(await file.arrayBuffer()), textIn(form, 'network'));
}
