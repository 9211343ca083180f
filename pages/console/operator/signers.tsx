import { get } from '../api/call.ts';
import { coins, duration, number } from '../layout/figures.ts';
import { Badge, Time } from '../layout/format.tsx';
import { type Column, List } from '../layout/list.tsx';
import { useLoad } from '../layout/load.ts';
import { Problem, Skeleton, View } from '../layout/view.tsx';
import type { ViewProps } from '../view-component.ts';
import type { ContractReport, LaneReport, SignerReport, WatcherReport } from './records.ts';

const REFRESH_MS = 5_000;
const RANKS = ['revoke and freeze', 'single', 'bulk'];

/** Shows the funds and the work of each key, and how far each network is watched. The address may name one network. */
export function SignersView({ query }: ViewProps) {
  const network = query.get('network');
  const isShown = (each: { readonly network: string }) => network === null || each.network === network;
  const { value, error, reload } = useLoad(
    (signal) => get<{ readonly signers: readonly SignerReport[] }>('admin/signers', signal),
    'signers',
    REFRESH_MS,
  );
  const watch = useLoad(
    (signal) => get<{ readonly watchers: readonly WatcherReport[] }>('admin/watchers', signal),
    'watchers',
    REFRESH_MS,
  );
  return (
    <View title="Signers">
      <Problem error={error ?? watch.error} retry={reload} />
      {value === undefined && error === undefined && <Skeleton />}
      {network !== null && (
        <p>
          Only {network}. <a href="#/signers">Show all networks</a>
        </p>
      )}
      {value?.signers.filter(isShown).map((signer) => (
        <Signer key={`${signer.network}/${signer.address}`} {...signer} />
      ))}
      {watch.value && (
        <>
          <h2>Watchers</h2>
          <List
            caption="Changes by others on each network"
            columns={WATCHER_COLUMNS}
            rows={watch.value.watchers.filter(isShown)}
            keyOf={({ network }) => network}
          />
        </>
      )}
    </View>
  );
}

const WATCHER_COLUMNS: readonly Column<WatcherReport>[] = [
  { head: 'Network', cell: ({ network }) => network },
  { head: 'Covered until', cell: (watcher) => <Coverage {...watcher} /> },
  { head: 'Waiting', cell: ({ waiting }) => (waiting === undefined ? '' : number(waiting)) },
  { head: 'By others', cell: ({ foreignChanges }) => (foreignChanges === undefined ? '' : number(foreignChanges)) },
];

const STATUSES: Readonly<Record<string, string>> = {
  off: 'switched off',
  'not-begun': 'no pass yet',
  unreachable: 'no answer',
};

export function Coverage({ status, coveredUntil, removedGatekeepers = [], why }: WatcherReport) {
  if (status !== 'on') return <>{STATUSES[status] ?? status}</>;
  const seconds = Math.max(0, Math.round(Date.now() / 1_000) - (coveredUntil ?? 0));
  return (
    <>
      {coveredUntil === null ? 'nothing yet' : `${duration(seconds)} ago`} {why && <span class="warning">{why}</span>}
      {removedGatekeepers.length > 0 && <Badge state="paused" text="GATEKEEPER REMOVED" />}
    </>
  );
}

function Signer(signer: SignerReport) {
  const { network, chain, address, retired, compromised, paused, spending, oldestPending } = signer;
  return (
    <section class="card" aria-label={`Signer ${address} on ${network}`}>
      <h2>
        {network} {paused && <Badge state="PAUSED" />} {retired && <Badge state="RETIRED" />}{' '}
        {compromised && <Badge state="COMPROMISED" />}
      </h2>
      <p>
        <code class="whole">{address}</code>
      </p>
      {paused && (
        <p role="status" class="warning">
          {paused.why}, next try <Time seconds={paused.until} exact />
        </p>
      )}
      <dl class="facts">
        <dt>Balance</dt>
        <dd>{signer.balance === null ? signer.why : coins(signer.balance, chain)}</dd>
        <dt>Passes left</dt>
        <dd>{typeof signer.passesLeft === 'number' ? number(signer.passesLeft) : 'unknown'}</dd>
        <dt>Waiting</dt>
        <dd>{describeWaiting(signer.waitingByRank)}</dd>
        <dt>In flight</dt>
        <dd>{describeInFlight(signer.inFlight)}</dd>
        <dt>Oldest pending</dt>
        <dd>{oldestPending ? `${duration(oldestPending.ageSeconds ?? 0)} (${oldestPending.step})` : 'none'}</dd>
        {spending && (
          <>
            <dt>Spent today</dt>
            <dd>
              {coins(spending.spent, chain)} of {coins(spending.ceiling, chain)}
            </dd>
          </>
        )}
      </dl>
      {signer.lanes && signer.lanes.length > 0 && (
        <List
          caption="Gatekeeper networks with work, spending or a pause"
          columns={LANE_COLUMNS}
          rows={signer.lanes}
          keyOf={({ gatekeeperNetwork }) => gatekeeperNetwork}
        />
      )}
      {signer.contracts && signer.contracts.length > 0 && (
        <List
          caption="Control of the contract"
          columns={CONTRACT_COLUMNS}
          rows={signer.contracts}
          keyOf={({ contract }) => contract}
        />
      )}
    </section>
  );
}

const LANE_COLUMNS: readonly Column<LaneReport>[] = [
  { head: 'Gatekeeper network', cell: ({ gatekeeperNetwork }) => <code class="whole">{gatekeeperNetwork}</code> },
  { head: 'Waiting', cell: ({ waiting }) => number(waiting) },
  {
    head: 'State',
    cell: ({ paused }) =>
      paused ? (
        <>
          <Badge state="PAUSED" /> <span class="warning">{paused.why}</span>
        </>
      ) : (
        'works'
      ),
  },
];

const CODES: Readonly<Record<string, string>> = {
  'public-build': 'the public build',
  accepted: 'accepted in the settings',
  unknown: 'unknown',
  none: 'no code',
};

const CONTRACT_COLUMNS: readonly Column<ContractReport>[] = [
  { head: 'Contract', cell: ({ contract }) => <code class="whole">{contract}</code> },
  {
    head: 'Code',
    cell: ({ code, confirmed, holdsSteps }) => (
      <>
        {CODES[code] ?? code}
        {confirmed ? '' : ', seen by one endpoint only'} {holdsSteps && <Badge state="paused" text="HOLDS ISSUANCES" />}
      </>
    ),
  },
  { head: 'Can replace the code', cell: ({ superAdmins }) => <Accounts accounts={superAdmins} /> },
  { head: 'Can act for anybody', cell: ({ forwarders }) => <Accounts accounts={forwarders} /> },
  { head: 'Changes seen', cell: ({ changes }) => number(changes) },
];

const Accounts = ({ accounts }: { readonly accounts: readonly string[] }) => (
  <>
    {accounts.length === 0 && 'nobody known'}
    {accounts.map((account) => (
      <code key={account} class="whole">
        {account}{' '}
      </code>
    ))}
  </>
);

const describeWaiting = (waitingByRank: readonly number[] | undefined) =>
  waitingByRank?.map((steps, rank) => `${number(steps)} ${RANKS[rank] ?? rank}`).join(', ') ?? 'unknown';

const describeInFlight = (stages: Readonly<Record<string, number>> | undefined) =>
  stages === undefined
    ? 'unknown'
    : Object.entries(stages)
        .map(([stage, steps]) => `${number(steps)} ${stage}`)
        .join(', ');
