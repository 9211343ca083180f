import { useState } from 'preact/hooks';
import { call, get, post } from '../api/call.ts';
import { Confirm } from '../layout/confirm.tsx';
import { Foreign, Time } from '../layout/format.tsx';
import { List } from '../layout/list.tsx';
import { useAction, useLoad } from '../layout/load.ts';
import { Empty, Problem, Skeleton, Status, View } from '../layout/view.tsx';
import { currentSession, hasScope } from '../session/session.ts';
import type { Approval } from './records.ts';

const REFRESH_MS = 5_000;

interface Action {
  readonly title: string;
  readonly path: string;
  /** The field of the answer with the number of items. */
  readonly counted?: string;
  /** A field of the request that ends the path. Then the request is a PATCH. */
  readonly subject?: string;
}

/** The route of each action that may wait. */
const ACTIONS: Readonly<Record<string, Action>> = {
  'operator.withdraw': { title: 'End unsigned steps', path: 'admin/withdraw', counted: 'withdrawn' },
  'operator.abandon': { title: 'Abandon issuances', path: 'admin/abandon', counted: 'abandoned' },
  'operator.revoke': { title: 'Revoke passes', path: 'admin/revocations', counted: 'revoked' },
  'operator.add_partner': { title: 'Add a partner', path: 'admin/partners' },
  'operator.change_partner': { title: 'Change a partner', path: 'admin/partners/', subject: 'client' },
  'operator.import_partners': { title: 'Import partners', path: 'admin/partners/import', counted: 'imported' },
  'operator.accept_losses': { title: 'Accept losses', path: 'admin/reconciliation', counted: 'accepted' },
};

interface Decision {
  readonly approval: Approval;
  readonly verb: 'confirm' | 'reject';
}

/** Lists the actions that wait for a second person. Confirms, does and rejects them. */
export function ApprovalsView() {
  const list = useLoad(
    (signal) => get<{ readonly approvals: readonly Approval[] }>('admin/approvals', signal),
    'approvals',
    REFRESH_MS,
  );
  const [asking, setAsking] = useState<Decision>();
  const [outcome, setOutcome] = useState('');
  const { run, isRunning, error } = useAction(async (approval: Approval) => {
    await perform(approval, setOutcome);
    list.reload();
  });
  const decided = ({ approval, verb }: Decision) => {
    setAsking(undefined);
    list.reload();
    if (verb === 'confirm') void run(approval);
    else setOutcome('Rejected. Nothing was done.');
  };
  const fault = error ?? list.error;
  return (
    <View title="Approvals">
      <p class="lead">These actions wait for a person other than the one who asked.</p>
      <Problem error={fault} />
      <Status>{outcome}</Status>
      {list.value && <Approvals {...list.value} ask={setAsking} perform={run} isRunning={isRunning} />}
      {list.value === undefined && fault === undefined && <Skeleton />}
      {asking && (
        <Confirm
          title={`${asking.verb === 'confirm' ? 'Confirm' : 'Reject'}: ${titleOf(asking.approval)}?`}
          verb={asking.verb === 'confirm' ? 'Confirm' : 'Reject'}
          action={(_, signal) => post('admin/approvals', { [asking.verb]: asking.approval.id }, signal)}
          onDone={() => decided(asking)}
          onCancel={() => setAsking(undefined)}
        >
          <p>
            Items: {asking.approval.count}, asked for by <Foreign>{nameOf(asking.approval.askedBy)}</Foreign>.
          </p>
          <Request request={asking.approval.request} />
          {asking.verb === 'confirm' && <p>This cannot be undone.</p>}
        </Confirm>
      )}
    </View>
  );
}

interface Answer {
  readonly more?: boolean;
  readonly next?: string;
  readonly failed?: number;
  readonly [counted: string]: unknown;
}

/** Sends the request of a confirmed approval until it is done. */
async function perform({ id, action, request }: Approval, say: (text: string) => void): Promise<void> {
  const known = ACTIONS[action];
  if (known === undefined) throw new Error(`This console does not know the action ${action}. Reload the page.`);
  let after: string | undefined;
  let [done, failed] = [0, 0];
  for (;;) {
    const sent: Readonly<Record<string, unknown>> = { ...request, approval: id, ...(after && { after }) };
    const { [known.subject ?? '']: subject, ...body } = sent;
    const path = known.path + (subject === undefined ? '' : encodeURIComponent(String(subject)));
    const answer: Answer = await call(subject === undefined ? 'POST' : 'PATCH', path, { body });
    done += Number(answer[known.counted ?? '']) || 0;
    failed += answer.failed ?? 0;
    const isDone = !answer.more && !answer.next;
    const left = failed > 0 ? ` ${failed} could not be done: ask for them again.` : '';
    say(`${known.title}: ${isDone ? 'done' : 'going on'}${done > 0 ? `, ${done}` : ''}.${left}`);
    if (isDone) return;
    after = answer.next;
  }
}

type Listed = { readonly gatekeeperNetwork: string; readonly network: string; readonly walletAddress: string };

const TIMES = ['from', 'to'];

/** Shows the fields of a request. A list of passes may be long, so it is closed at first. */
function Request({ request: { passes, wallets, ...fields } }: Pick<Approval, 'request'>) {
  const list = (passes ?? wallets) as readonly Listed[] | undefined;
  return (
    <div class="request">
      {Object.entries(fields).map(([name, value]) => (
        <div key={name} class="whole">
          {name}:{' '}
          {TIMES.includes(name) ? (
            <Time seconds={Number(value)} />
          ) : (
            <Foreign>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</Foreign>
          )}
        </div>
      ))}
      {list && (
        <details>
          <summary>
            {passes ? 'passes' : 'wallets without a pass'}: {list.length}
          </summary>
          {list.map(({ gatekeeperNetwork, network, walletAddress }) => (
            <div key={`${gatekeeperNetwork} ${network} ${walletAddress}`}>
              <code class="whole">
                {walletAddress} on {network} of {gatekeeperNetwork}
              </code>
            </div>
          ))}
        </details>
      )}
    </div>
  );
}

const titleOf = ({ action }: Pick<Approval, 'action'>) => ACTIONS[action]?.title ?? action;
const nameOf = ({ client, sub }: Approval['askedBy']) => sub ?? `the program ${client}`;

interface ApprovalsProps {
  readonly approvals: readonly Approval[];
  readonly ask: (decision: Decision) => void;
  readonly perform: (approval: Approval) => void;
  readonly isRunning: boolean;
}

function Approvals({ approvals, ...deciding }: ApprovalsProps) {
  if (approvals.length === 0) return <Empty text="No action waits." />;
  return (
    <List
      caption="Actions that wait for a second person"
      rows={approvals}
      keyOf={({ id }) => id}
      columns={[
        { head: 'Action', cell: titleOf },
        { head: 'Items', cell: ({ count }) => count },
        { head: 'Request', cell: ({ request }) => <Request request={request} /> },
        { head: 'Asked by', cell: ({ askedBy }) => <Foreign>{nameOf(askedBy)}</Foreign> },
        { head: 'Until', cell: ({ expiresAt }) => <Time seconds={expiresAt} /> },
        { head: 'Decision', cell: (approval) => <Decide approval={approval} {...deciding} /> },
      ]}
    />
  );
}

type DecideProps = Omit<ApprovalsProps, 'approvals'> & Pick<Decision, 'approval'>;

function Decide({ approval, ask, perform, isRunning }: DecideProps) {
  const { id, askedBy, confirmedBy } = approval;
  if (!hasScope('act')) return <>You may only read</>;
  const button = (label: string, onClick: () => void) => (
    <button type="button" disabled={isRunning} aria-label={`${label} ${id}`} onClick={onClick}>
      {label}
    </button>
  );
  if (confirmedBy !== undefined) return button('Continue', () => perform(approval));
  if (askedBy.sub === currentSession()?.sub) return <>Another person decides</>;
  return (
    <div class="row">
      {button('Confirm', () => ask({ approval, verb: 'confirm' }))}{' '}
      {button('Reject', () => ask({ approval, verb: 'reject' }))}
    </div>
  );
}
