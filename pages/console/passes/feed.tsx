import { useEffect, useState } from 'preact/hooks';
import type { components } from '../../../packages/client/src/schema.ts';
import { ApiError, get, isAbort } from '../api/call.ts';
import { IsoTime } from '../layout/format.tsx';
import { type Column, List } from '../layout/list.tsx';
import { Empty, Problem, Skeleton, View } from '../layout/view.tsx';
import { Wallet } from '../layout/wallet.tsx';
import { wordsFor } from '../layout/words.ts';
import { Origin, passView, TransactionLink } from './network.tsx';

export type FeedEvent = components['schemas']['FeedEvent'];

interface Page {
  readonly next: number;
  readonly events: readonly FeedEvent[];
}

const POLL_MS = 2_000;
const EARLIER_EVENTS = 20;
const SHOWN_MAX = 200;

/** Returns the place in the feed before that number of its newest events. */
const beforeNewest = async (count: number, signal: AbortSignal) =>
  Math.max(0, (await get<Page>('events?after=newest', signal)).next - count);

const eventsAfter = (after: number, signal: AbortSignal) => get<Page>(`events?after=${after}&limit=100`, signal);

/** Returns about that number of the newest events, the newest first. */
export async function newestEvents(count: number, signal: AbortSignal): Promise<readonly FeedEvent[]> {
  const { events } = await eventsAfter(await beforeNewest(count, signal), signal);
  return events.toReversed().slice(0, count);
}

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
        after ??= await beforeNewest(EARLIER_EVENTS, signal);
        const page = await eventsAfter(after, signal);
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
      {events && events.length > 0 && <EventList caption="Events" events={events} />}
      {events?.length === 0 && <Empty text="There are no events yet." />}
      {events === undefined && error === undefined && <Skeleton />}
    </View>
  );
}

interface EventListProps {
  readonly caption: string;
  readonly events: readonly FeedEvent[];
}

/** A list of events, with links to their passes and transactions. */
export const EventList = ({ caption, events }: EventListProps) => (
  <List caption={caption} columns={COLUMNS} rows={events} keyOf={({ sequence }) => sequence} isDense />
);

const COLUMNS: readonly Column<FeedEvent>[] = [
  { head: 'Time', cell: ({ timestamp }) => <IsoTime text={timestamp} exact /> },
  { head: 'Event', cell: ({ type }) => wordsFor(type) },
  {
    head: 'Wallet',
    cell: ({ data }) => data?.pass && <Wallet address={data.pass.walletAddress} href={passView(data.pass)} />,
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
