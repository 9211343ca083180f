import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { onSubmit } from './field.tsx';
import { useAction } from './load.ts';
import { Problem } from './view.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly verb: string;
  /** Whether the action cannot be undone. */
  readonly isFinal?: boolean;
  /** Called with the form, and with a signal that aborts when the person cancels. */
  readonly action: (form: FormData, signal: AbortSignal) => Promise<unknown>;
  /** Called after a success. */
  readonly onDone: () => void;
  readonly onCancel: () => void;
  readonly children?: ComponentChildren;
}

/** Asks before an action. `children` repeats the object of the action, for example the wallet. */
export function Confirm({ title, verb, isFinal = false, action, onDone, onCancel, children }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { current: aborted } = useRef(new AbortController());
  const { run, isRunning, error } = useAction(async (form: FormData) => {
    await action(form, aborted.signal);
    onDone();
  });
  useEffect(() => {
    dialog.current?.showModal();
    return () => aborted.abort();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={onCancel}>
      <form onSubmit={onSubmit(run)}>
        <h2 id="confirm-title">{title}</h2>
        {children}
        <Problem error={error} />
        <div class="actions">
          <button type="submit" class={isFinal ? 'danger primary' : 'primary'} disabled={isRunning}>
            {verb}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
