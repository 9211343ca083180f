import { post } from './api.js';
import { CsvForm } from './csv.js';
import { networkOf, passView } from './format.js';
import { Field, NetworkChoice, Problem, useAction, View } from './layout.js';
import { html, useState } from './preact.js';

/** Issues one pass, or one for each row of a CSV file. */
export function IssueView() {
  return html`<${View} title="Issue">
    <section aria-labelledby="one"><h2 id="one">One pass</h2><${IssueOne} /></section>
    <section aria-labelledby="many"><h2 id="many">Many passes from a CSV file</h2><${CsvForm} /></section>
  <//>`;
}

function IssueOne() {
  const [issued, setIssued] = useState();
  const { run, isRunning, error } = useAction(async (form) => {
    const network = form.get('network');
    const expiry = form.get('expiry');
    setIssued(undefined);
    const path = `pass/${networkOf(network).chain}/${network}`;
    const body = { walletAddress: form.get('wallet').trim() };
    const expires = expiry === '' ? {} : { expiryTimestamp: Date.parse(expiry) / 1_000 };
    const reference = form.get('reference').trim();
    setIssued(await post(path, { ...body, ...expires, ...(reference && { reference }) }));
  });
  const submit = (event) => {
    event.preventDefault();
    run(new FormData(event.target));
  };
  return html`<form class="row" onSubmit=${submit}>
      <${Field} label="Network"><${NetworkChoice} name="network" /><//>
      <${Field} label="Wallet"><input name="wallet" required autocomplete="off" spellcheck=${false} /><//>
      <${Field} label="Expiry (UTC, optional)"><input name="expiry" type="date" /><//>
      <${Field} label="Reference (optional, no personal data)"><input name="reference" autocomplete="off" spellcheck=${false} /><//>
      <button type="submit" class="primary" disabled=${isRunning}>Issue</button>
    </form>
    <${Problem} error=${error} />
    ${issued && html`<p role="status">Accepted: <a href=${passView(issued)}>see the pass of ${issued.walletAddress}</a></p>`}`;
}
