import { Problem, useAction } from './layout.js';
import { html, useEffect, useRef } from './preact.js';

/**
 * Asks before an action. `children` repeats the object of the action, for example the wallet.
 * @param onDone Called with the result after a success.
 */
export function Confirm({ title, verb, action, onDone, onCancel, children }) {
  const dialog = useRef();
  const { run, isRunning, error } = useAction(action);
  useEffect(() => dialog.current.showModal(), []);
  const confirm = async (event) => {
    event.preventDefault();
    const result = await run(new FormData(event.target));
    if (result !== undefined) onDone(result);
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
