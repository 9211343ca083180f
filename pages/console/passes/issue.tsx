import { useState } from 'preact/hooks';
import { pastedWallet } from '../../../packages/cli/src/pasted-text.ts';
import { post } from '../api/call.ts';
import type { PassRecord } from '../api/records.ts';
import { Field, NetworkChoice, onSubmit, textIn } from '../layout/field.tsx';
import { useAction } from '../layout/load.ts';
import { Problem, View } from '../layout/view.tsx';
import { CsvForm } from '../many/csv-form.tsx';
import type { ViewProps } from '../view-component.ts';
import { passView } from './network.tsx';
import { networkOf } from './networks.ts';

/** Issues one pass, or one for each row of a CSV file. The address may name the network, the wallet and the subject of the pass. */
export function IssueView({ query }: ViewProps) {
  return (
    <View title="Issue">
      <section aria-labelledby="one">
        <h2 id="one">One pass</h2>
        <IssueOne
          network={query.get('network') ?? ''}
          wallet={query.get('wallet') ?? ''}
          subject={query.get('subject') ?? ''}
        />
      </section>
      <section aria-labelledby="many">
        <h2 id="many">Many passes from a CSV file</h2>
        <CsvForm />
      </section>
    </View>
  );
}

interface IssueOneProps {
  readonly network: string;
  readonly wallet: string;
  readonly subject: string;
}

function IssueOne({ network: chosen, wallet, subject: person }: IssueOneProps) {
  const [issued, setIssued] = useState<PassRecord>();
  const { run, isRunning, error } = useAction(async (form: FormData) => {
    const names = ['network', 'expiry', 'reference', 'subject'];
    const [network, expiry, reference, subject] = names.map((name) => textIn(form, name));
    setIssued(undefined);
    const body = {
      walletAddress: pastedWallet(textIn(form, 'wallet')),
      ...(expiry && { expiryTimestamp: Date.parse(expiry) / 1_000 }),
      ...(reference && { reference }),
      ...(subject && { subject }),
    };
    setIssued(await post<PassRecord>(`pass/${networkOf(network ?? '')?.chain}/${network}`, body));
  });
  return (
    <>
      <form class="row" onSubmit={onSubmit(run)}>
        <Field label="Network">
          <NetworkChoice name="network" chosen={chosen} />
        </Field>
        <Field label="Wallet">
          <input name="wallet" required autocomplete="off" spellcheck={false} defaultValue={wallet} />
        </Field>
        <Field label="Expiry (UTC, optional)">
          <input name="expiry" type="date" />
        </Field>
        <Field label="Reference (optional)" hint="No personal data">
          <input name="reference" autocomplete="off" spellcheck={false} />
        </Field>
        <Field label="Subject (optional)" hint="A random name for the person, no personal data">
          <input name="subject" autocomplete="off" spellcheck={false} defaultValue={person} maxLength={64} />
        </Field>
        <button type="submit" class="primary" disabled={isRunning}>
          Issue
        </button>
      </form>
      <Problem error={error} />
      {issued && (
        <p role="status">
          Accepted: <a href={passView(issued)}>see the pass of {issued.walletAddress}</a>
        </p>
      )}
    </>
  );
}
