import { ApiError, get } from '../api/call.ts';
import type { FoundPass, FoundPasses, Usage } from '../api/records.ts';
import { number } from '../layout/figures.ts';
import { Foreign, Time } from '../layout/format.tsx';
import { List } from '../layout/list.tsx';
import { useLoad } from '../layout/load.ts';
import { hashOf } from '../layout/route.ts';
import { Tiles } from '../layout/tiles.tsx';
import { Empty, Problem, Skeleton, View } from '../layout/view.tsx';
import { Wallet } from '../layout/wallet.tsx';
import { hasScope } from '../session/session.ts';
import { findPage } from './export.tsx';
import { EventList, type FeedEvent, newestEvents } from './feed.tsx';
import { passView } from './network.tsx';
import { NO_FIELDS, searchFor } from './search.ts';
import { SearchForm } from './search-form.tsx';

/** The first view of staff: a search, the passes by state, those that expire this week, and the newest changes. */

const EXPIRING_SHOWN = 5;
const CHANGES_SHOWN = 10;

/** The states in the words of the tiles. */
const STATES = {
  ACTIVE: 'active, also if expired',
  FROZEN: 'frozen',
  REQUESTED: 'wait for the chain',
  REJECTED: 'refused by the chain',
  REVOKED: 'revoked',
} as const;

type Count = readonly [state: string, words: string, count: string];

export function PassOverview() {
  const counts = useLoad(loadCounts, 'counts');
  const expiring = useLoad(loadExpiring, 'expiring');
  const changes = useLoad(loadChanges, 'changes');
  const reload = () => {
    for (const each of [counts, expiring, changes]) each.reload();
  };
  return (
    <View
      title="Overview"
      actions={
        hasScope('issue') && (
          <a class="button" href="#/issue">
            Issue a pass
          </a>
        )
      }
    >
      <SearchForm
        fields={NO_FIELDS}
        onFind={(fields) => {
          location.hash = hashOf('find', fields);
        }}
      />
      <Problem error={counts.error ?? expiring.error ?? changes.error} retry={reload} />
      <h2>Passes</h2>
      {counts.value ? <Counts counts={counts.value} /> : counts.error === undefined && <Skeleton rows={2} />}
      <h2>Expiring this week</h2>
      {expiring.value ? <Expiring {...expiring.value} /> : expiring.error === undefined && <Skeleton rows={3} />}
      <h2>Newest changes</h2>
      {changes.value ? <Changes events={changes.value} /> : changes.error === undefined && <Skeleton rows={6} />}
    </View>
  );
}

/** An honest number: the service counts to a thousand. */
const countText = ({ count = 0, countIsMinimum }: FoundPasses) =>
  `${countIsMinimum ? 'more than ' : ''}${number(count)}`;

const loadCounts = (signal: AbortSignal): Promise<readonly Count[]> =>
  Promise.all(
    Object.entries(STATES).map(async ([state, words]): Promise<Count> => {
      const found = await findPage({ filter: { state }, limit: 1, count: true }, signal);
      const known = state === 'ACTIVE' && found.countIsMinimum ? await activePasses(signal) : 0;
      return [state, words, known > (found.count ?? 0) ? number(known) : countText(found)];
    }),
  );

/** The usage counts the active passes beyond a thousand too, except in a sandbox. */
const activePasses = async (signal: AbortSignal) =>
  (await get<Usage>('usage', signal)).networks.reduce((sum, { active }) => sum + active, 0);

const Counts = ({ counts }: { readonly counts: readonly Count[] }) => (
  <Tiles tiles={counts.map(([state, words, count]) => ({ href: hashOf('find', { state }), figure: count, words }))} />
);

async function loadExpiring(signal: AbortSignal): Promise<FoundPasses> {
  const search = searchFor({ ...NO_FIELDS, validity: '7d' }, null, Math.floor(Date.now() / 1_000));
  return findPage({ ...(search.type === 'search' && search.body), limit: EXPIRING_SHOWN, count: true }, signal);
}

function Expiring(found: FoundPasses) {
  if (found.records.length === 0) return <Empty text="No pass expires within 7 days." />;
  return (
    <>
      <List
        caption="The soonest first"
        rows={found.records}
        keyOf={({ id }) => id}
        isDense
        columns={[
          { head: 'Wallet', cell: (pass) => <Wallet address={pass.walletAddress} href={passView(pass)} /> },
          {
            head: 'Reference',
            cell: ({ reference }) => (reference ? <Foreign>{reference}</Foreign> : '–'),
            isCut: true,
          },
          { head: 'Network', cell: ({ chain }) => chain.network },
          { head: 'Valid until', cell: ({ validUntil }: FoundPass) => validUntil && <Time seconds={validUntil} /> },
        ]}
      />
      <p>
        <a href={hashOf('find', { validity: '7d' })}>All that expire within 7 days: {countText(found)}</a>
      </p>
    </>
  );
}

/** A feed that no longer has its newest events shows none. */
const loadChanges = (signal: AbortSignal) =>
  newestEvents(CHANGES_SHOWN, signal).catch((fault): readonly FeedEvent[] => {
    if (fault instanceof ApiError && fault.code === 'cursor_expired') return [];
    throw fault;
  });

function Changes({ events }: { readonly events: readonly FeedEvent[] }) {
  if (events.length === 0) return <Empty text="There are no changes yet." />;
  return (
    <>
      <EventList caption="The newest first" events={events} />
      <p>
        <a href="#/feed">Follow them live</a>
      </p>
    </>
  );
}
