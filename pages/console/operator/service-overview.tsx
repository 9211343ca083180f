import { get } from '../api/call.ts';
import type { AuditEntry } from '../api/records.ts';
import type { TrailPage } from '../audit/trail.ts';
import { coins, number } from '../layout/figures.ts';
import { Badge, Foreign, IsoTime } from '../layout/format.tsx';
import { type Column, List } from '../layout/list.tsx';
import { useLoad, useNow } from '../layout/load.ts';
import { hashOf } from '../layout/route.ts';
import { Tiles } from '../layout/tiles.tsx';
import { Empty, Problem, Skeleton, View } from '../layout/view.tsx';
import { alertsIn, type Figures, PASSES_LEFT_MIN } from './alerts.ts';
import type {
  Approval,
  DeadLetterPage,
  Reconciliation,
  SignerReport,
  StuckPage,
  WatcherReport,
  WebhookPage,
} from './records.ts';
import { Coverage } from './signers.tsx';
import { ByReason } from './stuck.tsx';

/** The first view of the operator: alerts, work, networks with their signers, and the last deployment. Each leads to its view. */

const REFRESH_MS = 30_000;
const DEPLOYMENTS = ['deploy', 'rollback'];

const useFigures = <Answer,>(path: string) => useLoad((signal) => get<Answer>(path, signal), path, REFRESH_MS);

export function ServiceOverview() {
  const signers = useFigures<{ readonly signers: readonly SignerReport[] }>('admin/signers');
  const watchers = useFigures<{ readonly watchers: readonly WatcherReport[] }>('admin/watchers');
  const stuck = useFigures<StuckPage>('admin/stuck?olderThan=0');
  const deadLetters = useFigures<DeadLetterPage>('admin/dead-letters?limit=1');
  const webhooks = useFigures<WebhookPage>('admin/webhooks?limit=100');
  const reconciliation = useFigures<Reconciliation>('admin/reconciliation');
  const approvals = useFigures<{ readonly approvals: readonly Approval[] }>('admin/approvals');
  const commands = useFigures<TrailPage>('admin/audit?order=newest&action=operator.command&limit=50');
  const all = [signers, watchers, stuck, deadLetters, webhooks, reconciliation, approvals, commands];
  const failed = all.find(({ error }) => error !== undefined);
  const isComplete = all.every(({ value, error }) => value !== undefined && error === undefined);
  const figures: Figures = {
    signers: signers.value?.signers,
    watchers: watchers.value?.watchers,
    stuck: stuck.value,
    deadLetters: deadLetters.value,
    webhooks: webhooks.value,
    reconciliation: reconciliation.value,
  };
  return (
    <View title="Overview">
      <Problem error={failed?.error} retry={failed?.reload} />
      <h2>Alerts</h2>
      <Alerts figures={figures} isComplete={isComplete} hasFailed={failed !== undefined} />
      {(webhooks.value?.next ?? null) !== null && (
        <p class="note">
          These are the webhooks of the first gatekeeper networks only: <a href="#/health">all webhooks</a>.
        </p>
      )}
      <h2>Waiting work</h2>
      {stuck.value ? (
        <Work stuck={stuck.value} approvals={approvals.value?.approvals ?? []} />
      ) : (
        stuck.error === undefined && <Skeleton rows={2} />
      )}
      <h2>Networks and signers</h2>
      {figures.signers ? (
        <Networks signers={figures.signers} watchers={figures.watchers ?? []} />
      ) : (
        signers.error === undefined && <Skeleton />
      )}
      <h2>Last deployment</h2>
      {commands.value ? (
        <LastDeployment entries={commands.value.entries} />
      ) : (
        commands.error === undefined && <Skeleton rows={1} />
      )}
    </View>
  );
}

interface AlertsProps {
  readonly figures: Figures;
  /** Whether all answers have arrived. */
  readonly isComplete: boolean;
  readonly hasFailed: boolean;
}

function Alerts({ figures, isComplete, hasFailed }: AlertsProps) {
  const alerts = alertsIn(figures, useNow());
  if (alerts.length === 0 && !isComplete && !hasFailed) return <Skeleton rows={1} />;
  if (alerts.length === 0)
    return <p>{hasFailed ? 'Nothing in the answers that arrived needs you.' : 'Nothing needs you.'}</p>;
  return (
    <ul class="alerts">
      {alerts.map(({ text, view, network }) => (
        <li key={text}>
          <a href={hashOf(view, { network })}>{text}</a>
        </li>
      ))}
    </ul>
  );
}

interface WorkProps {
  readonly stuck: StuckPage;
  readonly approvals: readonly Approval[];
}

function Work({ stuck: { stuck, next }, approvals }: WorkProps) {
  const count = next === null ? number(stuck.length) : `${number(stuck.length)} or more`;
  return (
    <>
      <Tiles
        tiles={[
          { href: '#/stuck', figure: count, words: 'passes wait', isWarning: stuck.length > 0 },
          {
            ...{ href: '#/approvals', figure: number(approvals.length), words: 'actions wait for a second person' },
            isWarning: approvals.length > 0,
          },
        ]}
      />
      <ByReason stuck={stuck} isPage={next !== null} />
    </>
  );
}

interface NetworksProps {
  readonly signers: readonly SignerReport[];
  readonly watchers: readonly WatcherReport[];
}

function Networks({ signers, watchers }: NetworksProps) {
  if (signers.length === 0) return <Empty text="No network has a signer." />;
  const columns: readonly Column<SignerReport>[] = [
    {
      head: 'Network',
      cell: ({ network }) => <a href={hashOf('signers', { network })}>{network}</a>,
    },
    {
      head: 'Signer',
      cell: ({ address }) => (
        <code class="short" title={address}>
          {address}
        </code>
      ),
    },
    { head: 'State', cell: (signer) => <SignerState {...signer} /> },
    { head: 'Balance', cell: ({ balance, chain }) => (balance === null ? 'unknown' : coins(balance, chain)) },
    { head: 'Passes left', cell: ({ passesLeft }) => <PassesLeft left={passesLeft} /> },
    { head: 'Waiting', cell: ({ waiting }) => (waiting === undefined ? 'unknown' : number(waiting)) },
    {
      head: 'Watched until',
      cell: ({ network }) => {
        const watcher = watchers.find((each) => each.network === network);
        return watcher && <Coverage {...watcher} />;
      },
    },
  ];
  return (
    <List
      caption={`${number(new Set(signers.map(({ network }) => network)).size)} networks`}
      columns={columns}
      rows={signers}
      keyOf={({ network, address }) => `${network}/${address}`}
      isDense
    />
  );
}

function SignerState({ waiting, paused, retired, compromised }: SignerReport) {
  if (waiting === undefined) return <Badge state="UNREACHABLE" />;
  return (
    <span class="badges">
      {compromised && <Badge state="COMPROMISED" />}
      {retired && <Badge state="RETIRED" />}
      {paused ? <Badge state="PAUSED" /> : <Badge state="enabled" text="WORKS" />}
    </span>
  );
}

const PassesLeft = ({ left }: { readonly left: SignerReport['passesLeft'] }) =>
  typeof left === 'number' ? (
    <span class={left < PASSES_LEFT_MIN ? 'warning' : undefined}>{number(left)}</span>
  ) : (
    <>unknown</>
  );

function LastDeployment({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const deployment = entries.find(({ target }) => DEPLOYMENTS.includes(String(target.command)));
  const href = hashOf('all-audit', { action: 'operator.command' });
  if (deployment === undefined)
    return (
      <p>
        The newest commands in <a href={href}>Audit</a> have no deployment.
      </p>
    );
  const { target, actor, at } = deployment;
  const { command, environment, arguments: given } = target as Readonly<Record<string, unknown>>;
  const release = Array.isArray(given) ? given.at(-1) : '';
  return (
    <p>
      <a href={href}>
        {String(command)} <Foreign>{String(release)}</Foreign>
      </a>{' '}
      to <Foreign>{String(environment)}</Foreign> by <Foreign>{actor.sub ?? actor.client}</Foreign>,{' '}
      <IsoTime text={at} />
    </p>
  );
}
