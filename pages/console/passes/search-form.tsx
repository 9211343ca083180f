import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Field, NetworkChoice, onSubmit, textIn } from '../layout/field.tsx';
import { FIELDS, type Fields, STATES, VALIDITIES } from './search.ts';
import { readWallet } from './wallet-text.ts';

interface SearchFormProps {
  /** What the form shows at first, and again when it changes. */
  readonly fields: Fields;
  readonly onFind: (fields: Fields) => void;
}

const TYPED = { autocomplete: 'off', spellcheck: false } as const;

/** Writes the fields into the form, also after Back. An attribute would undo what a person types. */
function showFields(form: HTMLFormElement | null, fields: Fields): void {
  for (const name of FIELDS) {
    const field = form?.elements.namedItem(name);
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = fields[name];
  }
}

/** Says what is wrong with the fields of a search. */
export const Fault = ({ text }: { readonly text: string }) =>
  text === '' ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  );

/** Returns the fault of a text that is a key. It must not get into the address, and so into the history of the browser. */
function secretIn(text: string): string {
  const wallet = readWallet(text);
  return wallet.type === 'fault' && wallet.isSecret === true ? wallet.text : '';
}

/** The fields of a search. The rarer ones are closed until somebody uses one. It forgets a key, and finds nothing then. */
export function SearchForm({ fields, onFind }: SearchFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const key = JSON.stringify(fields);
  /** The fault of an entered key, which ends with the next search. */
  const [secret, setSecret] = useState({ key, text: '' });
  useLayoutEffect(() => showFields(form.current, fields), [key]);
  const submit = (entered: FormData) => {
    const found = Object.fromEntries(FIELDS.map((name) => [name, textIn(entered, name)])) as unknown as Fields;
    const text = secretIn(found.wallet);
    setSecret({ key, text });
    if (text === '') onFind(found);
    else showFields(form.current, { ...found, wallet: '' });
  };
  const { state, network, validity, order } = fields;
  const isFiltered = [state, network, validity, order].some((text) => text !== '');
  return (
    <search>
      <form ref={form} onSubmit={onSubmit(submit)}>
        <div class="row">
          <Field label="Wallet">
            <input name="wallet" type="search" placeholder="An address, or its first characters" {...TYPED} />
          </Field>
          <Field label="Or reference">
            <input name="reference" type="search" placeholder="The whole reference" {...TYPED} />
          </Field>
          <Field label="Or subject">
            <input name="subject" type="search" placeholder="The whole subject of a person" {...TYPED} />
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
      {secret.key === key && <Fault text={secret.text} />}
    </search>
  );
}
