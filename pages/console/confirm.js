import { Problem, useAction } from './layout.js';
import { html, useEffect, useRef } from './preact.js';

/**
 * Asks before an action. `children` repeats the object of the action, for example the wallet.
 * @param action Called with the form, and with a signal that aborts when the person cancels.
 * @param onDone Called after a success.
 */
export function Confirm({ title, verb, action, onDone, onCancel, children }) {
  const dialog = useRef();
  const { current: aborted } = useRef(new AbortController());
  const { run, isRunning, error } = useAction(async (form) => {
    await action(form, aborted.signal);
    onDone();
  });
  useEffect(() => {
    dialog.current.showModal();
    return () => aborted.abort();
  }, []);
  const confirm = (event) => {
    event.preventDefault();
    run(new FormData(event.target));
  };
  return html`<dialog ref=${dialog} aria-labelledby="confirm-title" onClose=${onCancel}>
    <form onSubmit=${confirm}>
      <h2 id="confirm-title">${title}</h2>
      ${children}
      <${Problem} error=${error} />
      <div class="actions">
        <button type="submit" class="primary" disabled=${isRunning}>${verb}</button>
        <button type="button" onClick=${() => dialog.current.close()}>Cancel</button>
      </div>
    </form>
  </dialog>`;
}
