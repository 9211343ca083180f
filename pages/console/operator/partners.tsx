import { getPages } from '../api/call.ts';
import { duration, number } from '../layout/figures.ts';
import { Badge, Foreign, Time } from '../layout/format.tsx';
import { type Column, List } from '../layout/list.tsx';
import { useLoad } from '../layout/load.ts';
import { Empty, Problem, Skeleton, View } from '../layout/view.tsx';
import type { ViewProps } from '../view-component.ts';
import type { Partner, PartnerPage } from './records.ts';

const REFRESH_MS = 60_000;

/** Lists all partners with their limits and contracts. `npm run partner` changes them. The address may name a client or a gatekeeper network. */
export function PartnersView({ query }: ViewProps) {
  const [client, key] = [query.get('client'), query.get('gatekeeperNetwork')];
  const { value, error, reload } = useLoad(
    (signal) => getPages<PartnerPage>('admin/partners?limit=100', signal),
    'partners',
    REFRESH_MS,
  );
  const partners = value
    ?.flatMap((page) => page.partners)
    .filter(
      (each) =>
        (client ?? each.clientId) === each.clientId && (key ?? each.gatekeeperNetwork) === each.gatekeeperNetwork,
    );
  return (
    <View title="Partners">
      <p class="lead">
        The command <code>npm run partner</code> adds and changes partners, because some changes need a second person.
      </p>
      {(client ?? key) !== null && (
        <p>
          Only <Foreign>{client ?? key}</Foreign>. <a href="#/partners">Show all partners</a>
        </p>
      )}
      <Problem error={error} retry={reload} />
      {partners === undefined && error === undefined && <Skeleton />}
      {partners?.length === 0 && (
        <Empty text={(client ?? key) === null ? 'There are no partners yet.' : 'There is no such partner.'} />
      )}
      {partners && partners.length > 0 && (
        <List
          caption={partners.length === 1 ? '1 partner' : `${number(partners.length)} partners`}
          columns={COLUMNS}
          rows={partners}
          keyOf={({ clientId }) => clientId}
        />
      )}
    </View>
  );
}

const COLUMNS: readonly Column<Partner>[] = [
  {
    head: 'Partner',
    cell: ({ name, clientId }) => (
      <>
        <Foreign>{name}</Foreign> <code class="whole">{clientId}</code>
      </>
    ),
  },
  {
    head: 'State',
    cell: ({ status, sandbox }) => (
      <>
        <Badge state={status} /> {sandbox && <Badge state="sandbox" />}
      </>
    ),
  },
  { head: 'Networks', cell: ({ networks }) => networks?.join(', ') ?? 'all' },
  {
    head: 'Passes',
    cell: ({ passLifetime, dailyIssuances, dailyChanges }) => (
      <>
        {passLifetime === null ? 'no end' : `for ${duration(passLifetime)}`}; {limitOf(dailyIssuances)} issuances and{' '}
        {limitOf(dailyChanges)} changes a day
      </>
    ),
  },
  { head: 'Gatekeeper network', cell: ({ gatekeeperNetwork }) => <code class="whole">{gatekeeperNetwork}</code> },
  { head: 'Rules for subjects', cell: ({ rules }) => describeRules(rules) },
  { head: 'Database', cell: ({ shard }) => shard },
  { head: 'Public checks', cell: ({ publicVerify }) => (publicVerify ? 'yes' : 'no') },
  { head: 'Added', cell: ({ createdAt }) => <Time seconds={createdAt} /> },
];

const passes = (count: number) => (count === 1 ? '1 pass' : `${number(count)} passes`);

function describeRules({ subjectMaxPasses, subjectMaxPassesPerNetwork, subjectRequired }: Partner['rules']): string {
  const rules = [
    subjectMaxPasses === undefined ? [] : `at most ${passes(subjectMaxPasses)}`,
    subjectMaxPassesPerNetwork === undefined ? [] : `at most ${passes(subjectMaxPassesPerNetwork)} on each network`,
    subjectRequired ? 'required' : [],
  ];
  return rules.flat().join(', ') || 'none';
}

const limitOf = (limit: number | null) => (limit === null ? 'unlimited' : number(limit));
