import { useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 2_000;

/** A button that copies a text. `what` names it for screen readers: "the wallet". */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  return (
    <span class="copying">
      <button type="button" class="copy" aria-label={`Copy ${what}`} title={`Copy ${what}`} onClick={copy}>
        <span aria-hidden="true" class={`icon ${outcome ?? ''}`} />
      </button>
      <span role="status" class="hidden">
        {outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Select the text and copy it by hand' : ''}
      </span>
    </span>
  );
}
