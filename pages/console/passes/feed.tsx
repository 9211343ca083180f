import { useEffect, useState } from 'preact/hooks';
import type { components } from '../../../packages/client/src/schema.ts';
import { ApiError, get, isAbort } from '../api/call.ts';
import { eventName, IsoTime } from '../layout/format.tsx';
import { type Column, List } from '../layout/list.tsx';
import { Empty, Problem, Skeleton, View } from '../layout/view.tsx';
import { Origin, passView, TransactionLink } from './network.tsx';

type FeedEvent = components['schemas']['FeedEvent'];

interface Page {
  readonly next: number;
  readonly events: readonly FeedEvent[];
}

const POLL_MS = 2_000;
const EARLIER_EVENTS = 20;
const SHOWN_MAX = 200;

/** Follows the event feed, the newest event first. */
export function FeedView() {
  const [events, setEvents] = useState<readonly FeedEvent[]>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const aborted = new AbortController();
    const { signal } = aborted;
    let after: number | undefined;
    let timer: ReturnType<typeof setTimeout>;
    async function run(): Promise<void> {
      try {
        after ??= Math.max(0, (await get<Page>('events?after=newest', signal)).next - EARLIER_EVENTS);
        const page = await get<Page>(`events?after=${after}&limit=100`, signal);
        after = page.next;
        setEvents((shown = []) => [...page.events.toReversed(), ...shown].slice(0, SHOWN_MAX));
        setError(undefined);
      } catch (fault) {
        if (isAbort(fault)) return;
        // The feed no longer has all of these events.
        if (fault instanceof ApiError && fault.oldest !== undefined) after = fault.oldest - 1;
        else setError(fault);
      }
      timer = setTimeout(run, POLL_MS);
    }
    void run();
    return () => {
      aborted.abort();
      clearTimeout(timer);
    };
  }, []);
  return (
    <View title="Live feed">
      <p class="lead">New events appear at the top.</p>
      <Problem error={error} />
      {events && events.length > 0 && (
        <List caption="Events" columns={COLUMNS} rows={events} keyOf={({ sequence }) => sequence} />
      )}
      {events?.length === 0 && <Empty text="There are no events yet." />}
      {events === undefined && error === undefined && <Skeleton />}
    </View>
  );
}

const COLUMNS: readonly Column<FeedEvent>[] = [
  { head: 'Time', cell: ({ timestamp }) => <IsoTime text={timestamp} exact /> },
  { head: 'Event', cell: ({ type }) => eventName(type) },
  {
    head: 'Wallet',
    cell: ({ data }) =>
      data?.pass && (
        <a href={passView(data.pass)}>
          <code class="wallet">{data.pass.walletAddress}</code>
        </a>
      ),
  },
  { head: 'Network', cell: ({ data }) => data?.pass?.chain.network },
  {
    head: 'Transaction',
    cell: ({ data }) => (
      <>
        {data?.event?.transaction && data.pass && (
          <TransactionLink network={data.pass.chain.network} identifier={data.event.transaction.identifier} />
        )}{' '}
        {data?.event?.byOthers && <Origin {...data.event.byOthers} />}
      </>
    ),
  },
];
