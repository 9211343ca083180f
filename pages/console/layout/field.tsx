import type { ComponentChildren } from 'preact';
import { SETTINGS } from '../settings.ts';
import { nameWithEnd } from './network-name.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A labeled field of a form. */
export function Field({ label, hint, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: The children contain the control.
    <label class="field">
      <span>{label}</span>
      {children}
      {hint && <small>{hint}</small>}
    </label>
  );
}

interface NetworkChoiceProps {
  readonly name: string;
  readonly chosen?: string | undefined;
  /** The text of the choice of all networks. Without it, the person must choose one. */
  readonly all?: string;
}

/** A choice of one of the networks of this deployment. */
export const NetworkChoice = ({ name, chosen, all }: NetworkChoiceProps) => (
  <select name={name}>
    {all !== undefined && <option value="">{all}</option>}
    {SETTINGS.networks.map((network) => (
      <option key={network} value={network} selected={network === chosen}>
        {nameWithEnd(network, SETTINGS.ends[network], Date.now())}
      </option>
    ))}
  </select>
);

/** Returns the trimmed text of a field. */
export const textIn = (form: FormData, name: string) => String(form.get(name) ?? '').trim();

/** Returns a listener that gives the form of a submission to `run`, and keeps the page. */
export const onSubmit = (run: (form: FormData) => unknown) => (event: SubmitEvent) => {
  event.preventDefault();
  run(new FormData(event.currentTarget as HTMLFormElement));
};
