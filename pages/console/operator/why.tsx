import { pastedWallet } from '../../../packages/cli/src/pasted-text.ts';
import { get } from '../api/call.ts';
import { Field, NetworkChoice, onSubmit, textIn } from '../layout/field.tsx';
import { StateBadge } from '../layout/format.tsx';
import { useLoad } from '../layout/load.ts';
import { Problem, Skeleton, Status, UnreadShards, View } from '../layout/view.tsx';
import { TransactionLink, whyView } from '../passes/network.tsx';
import { networkOf } from '../passes/networks.ts';
import type { ViewProps } from '../view-component.ts';
import type { Explanation } from './records.ts';

const REFRESH_MS = 5_000;

/** Explains to the operator why the pass of a wallet is or is not active. */
export function WhyView({ parameters: [chain = '', network = '', wallet = ''] }: ViewProps) {
  const ask = (form: FormData) => {
    const name = textIn(form, 'network');
    const chosen = { type: networkOf(name)?.chain ?? '', network: name };
    location.hash = whyView({ chain: chosen, walletAddress: pastedWallet(textIn(form, 'wallet')) });
  };
  return (
    <View title="Why not active">
      <search>
        <form class="row" onSubmit={onSubmit(ask)}>
          <Field label="Network">
            <NetworkChoice name="network" chosen={network} />
          </Field>
          <Field label="Wallet">
            <input name="wallet" type="search" required autocomplete="off" spellcheck={false} defaultValue={wallet} />
          </Field>
          <button type="submit" class="primary">
            Look up
          </button>
        </form>
      </search>
      {wallet !== '' && <Answer path={`admin/passes/${[chain, network, wallet].map(encodeURIComponent).join('/')}`} />}
    </View>
  );
}

interface Explanations {
  readonly passes: readonly Explanation[];
  readonly unreadShards?: readonly string[];
}

function Answer({ path }: { readonly path: string }) {
  const { value, error, reload } = useLoad((signal) => get<Explanations>(path, signal), path, REFRESH_MS);
  return (
    <>
      <Problem error={error} retry={reload} />
      <UnreadShards shards={value?.unreadShards} />
      {value?.passes.map((each) => (
        <ExplainedPass key={each.pass.gatekeeperNetwork} {...each} />
      ))}
      {value === undefined && error === undefined && <Skeleton />}
    </>
  );
}

const READ_MODELS: Readonly<Record<string, string>> = {
  current: 'shows the newest version',
  behind: 'shows an older version',
  missing: 'has no row',
  unread: 'does not answer',
};

function ExplainedPass({
  pass,
  reason,
  remedy,
  record,
  readModel,
  step,
  tries,
  signerName,
  signer,
  node,
}: Explanation) {
  const transaction = record?.events.findLast((event) => event.transaction)?.transaction;
  // The key says it. No key of a gatekeeper signs there.
  const isSandbox = pass.gatekeeperNetwork.startsWith('sandbox');
  return (
    <section class="card" aria-label={`Pass in ${pass.gatekeeperNetwork}`}>
      <h2>
        {isSandbox && 'Sandbox '}
        <code class="whole">{pass.gatekeeperNetwork}</code>
      </h2>
      <Status>
        {sentence(reason)} {remedy}
      </Status>
      <dl class="facts">
        {record && (
          <>
            <dt>Wanted</dt>
            <dd>
              <StateBadge state={record.state} />
            </dd>
            <dt>On chain</dt>
            <dd>
              <StateBadge state={record.onChainState} />
            </dd>
          </>
        )}
        <dt>Step</dt>
        <dd>{step ? `${step.kind} (${step.id}), tried ${tries} times` : 'none'}</dd>
        {transaction && (
          <>
            <dt>Transaction</dt>
            <dd>
              <TransactionLink network={pass.chain.network} identifier={transaction.identifier} /> {transaction.status}
            </dd>
          </>
        )}
        <dt>Signer</dt>
        <dd>
          {signerName === undefined ? (
            'unknown'
          ) : (
            <>
              <code class="whole">{signerName}</code> {isSandbox ? 'is simulated' : <SignerState signer={signer} />}
            </>
          )}
        </dd>
        <dt>Node</dt>
        <dd>
          <NodeState node={node} />
        </dd>
        <dt>Database</dt>
        <dd>{READ_MODELS[readModel] ?? readModel}</dd>
      </dl>
    </section>
  );
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function SignerState({ signer }: Pick<Explanation, 'signer'>) {
  if (signer === null) return <>is not configured</>;
  return signer.paused ? <span class="warning">{signer.paused.why}</span> : null;
}

function NodeState({ node }: Pick<Explanation, 'node'>) {
  if (node === null) return <>unknown</>;
  return node.answers ? <>answers</> : <span class="warning">{node.why}</span>;
}
