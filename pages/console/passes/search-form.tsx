import type { Ref } from 'preact';
import { Field, NetworkChoice, onSubmit, textIn } from '../layout/field.tsx';
import { FIELDS, type Fields, STATES, VALIDITIES } from './search.ts';

interface SearchFormProps {
  readonly form: Ref<HTMLFormElement>;
  readonly fields: Fields;
  readonly onFind: (fields: Fields) => void;
}

/** The fields of a search. The rarer ones are closed until somebody uses one. */
export function SearchForm({ form, fields, onFind }: SearchFormProps) {
  const submit = (entered: FormData) =>
    onFind(Object.fromEntries(FIELDS.map((name) => [name, textIn(entered, name)])) as unknown as Fields);
  const { state, network, validity, order } = fields;
  const isFiltered = [state, network, validity, order].some((text) => text !== '');
  return (
    <search>
      <form ref={form} onSubmit={onSubmit(submit)}>
        <div class="row">
          <Field label="Wallet" hint="An address, or its first characters">
            <input name="wallet" type="search" autocomplete="off" spellcheck={false} />
          </Field>
          <Field label="Or reference" hint="The whole reference">
            <input name="reference" type="search" autocomplete="off" spellcheck={false} />
          </Field>
          <button type="submit" class="primary">
            Find
          </button>
        </div>
        <details open={isFiltered}>
          <summary>Filters</summary>
          <div class="row filters">
            <Field label="State">
              <select name="state">
                <option value="">any</option>
                {STATES.map((each) => (
                  <option key={each} value={each}>
                    {each}
                  </option>
                ))}
              </select>
            </Field>
            <Field label="Network">
              <NetworkChoice name="network" all="all" />
            </Field>
            <Field label="Validity">
              <select name="validity">
                <option value="">any</option>
                {Object.entries(VALIDITIES).map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            </Field>
            <Field label="Order">
              <select name="order">
                <option value="">newest first</option>
                <option value="oldest">oldest first</option>
              </select>
            </Field>
            <button type="submit">Apply</button>
            {isFiltered && (
              <a class="button" href="#/find">
                Clear
              </a>
            )}
          </div>
        </details>
      </form>
    </search>
  );
}
