import { isDeepStrictEqual } from 'node:util';
import { RECORD_MAX_EVENTS } from '../../../src/pass/record.ts';
import type { FeedEvent } from '../../../tools/localnet/partner/feed.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import type { Difference } from './compare-passes.ts';
import { expectedTypeOf, hasFeedEvent } from './feed-types.ts';

/** An arrival of an event at a receiver of webhooks. */
export interface Arrival {
  /** Id of the event. */
  readonly id: string;
  /** Digest of the event (`digestOf`). */
  readonly digest: string;
  /** Whether the receiver keeps the event. Otherwise its answer was a failure, and the event must arrive again. */
  readonly isKept: boolean;
}

interface Evidence {
  /** The whole feed of a gatekeeper network, as its pages returned it. */
  readonly feed: readonly FeedEvent[];
  /** The records of settled passes of that gatekeeper network. */
  readonly records: readonly PassRecord[];
  /** The arrivals at each receiver, by its name. */
  readonly arrivals: Readonly<Record<string, readonly Arrival[]>>;
  digestOf(event: FeedEvent): string;
}

/** Returns the differences between a feed, the records of its passes, and what its webhooks delivered. Pure. */
export function feedDifferencesIn({ feed, records, arrivals, digestOf }: Evidence): Difference[] {
  const byPass = Map.groupBy(feed, ({ id }) => splitId(id).pass);
  return [
    ...sequenceDifferencesIn(feed),
    ...[...byPass.values()].flatMap(countDifferencesIn),
    ...feed.flatMap(typeDifferencesIn),
    ...records.flatMap((record) => recordDifferencesIn(record, byPass.get(record.id) ?? [])),
    ...Object.entries(arrivals).flatMap(([name, all]) => arrivalDifferencesIn(name, all, feed, digestOf)),
  ];
}

/** The sequences of a feed are 1, 2, 3 … */
function sequenceDifferencesIn(feed: readonly FeedEvent[]): Difference[] {
  return feed.flatMap(({ sequence }, index) => {
    const expected = (feed[index - 1]?.sequence ?? 0) + 1;
    if (sequence === expected) return [];
    return differs(sequence > expected ? 'lost' : 'doubled', `after sequence ${expected - 1} the feed has ${sequence}`);
  });
}

/** The events of a pass are numbered 1, 2, 3 … in the order of the feed. */
function countDifferencesIn(events: readonly FeedEvent[]): Difference[] {
  return events.flatMap(({ id }, index) => {
    const expected = index + 1;
    const { n } = splitId(id);
    return n === expected ? [] : differs(n > expected ? 'lost' : 'doubled', `event ${expected} of the pass is ${id}`);
  });
}

function typeDifferencesIn(event: FeedEvent): Difference[] {
  const expected = expectedTypeOf(event);
  return event.type === expected ? [] : differs('different', `${describe(event)} should be ${expected}`);
}

/**
 * The feed has exactly the entries of the record that have a type, in their order, and again those whose transaction changed. A long
 * record omits its second entry and later ones.
 */
function recordDifferencesIn(record: PassRecord, events: readonly FeedEvent[]): Difference[] {
  const { events: entries, onChainState } = record;
  const isWhole = entries.length < RECORD_MAX_EVENTS;
  const expected = (isWhole ? entries : entries.slice(1)).filter(hasFeedEvent).map(nameOfEntry);
  const all = withoutFurtherEvents(events, entries).map(({ data }) => nameOfEntry(data?.event));
  const got = isWhole ? all : all.slice(Math.max(0, all.length - expected.length));
  const found: Difference[] = [];
  if (!isDeepStrictEqual(got, expected)) {
    const type = got.length < expected.length ? 'lost' : got.length > expected.length ? 'doubled' : 'different';
    found.push(...differs(type, `the feed has ${got} of pass ${record.id}, and the record has ${expected}`));
  }
  for (const { transaction } of entries.filter(hasFeedEvent)) {
    if (transaction === undefined) continue;
    const newest = events.findLast(({ data }) => data?.event.transaction?.identifier === transaction.identifier);
    const status = newest?.data?.event.transaction?.status;
    if (status === transaction.status) continue;
    const { identifier } = transaction;
    found.push(
      ...differs('different', `the feed shows ${identifier} as ${status}, and the record as ${transaction.status}`),
    );
  }
  const shown = events.at(-1)?.data?.pass.onChainState ?? 'NONE';
  if (shown !== onChainState) {
    found.push(
      ...differs('different', `the feed shows ${shown} for pass ${record.id}, and the record ${onChainState}`),
    );
  }
  return found;
}

/**
 * Returns the events without those that show an entry again because its transaction has changed (decision 89). Entries of one
 * second may have the same name.
 */
function withoutFurtherEvents(events: readonly FeedEvent[], entries: PassRecord['events']): FeedEvent[] {
  const shown = new Map<string, FeedEvent[]>();
  return events.filter((event) => {
    const name = nameOfEntry(event.data?.event);
    const earlier = shown.get(name) ?? [];
    shown.set(name, [...earlier, event]);
    const count = entries.filter((entry) => nameOfEntry(entry) === name).length;
    const before = earlier.at(-1)?.data?.event.transaction;
    return earlier.length < count || before === undefined || isDeepStrictEqual(before, event.data?.event.transaction);
  });
}

/** A receiver keeps each event at least once, unchanged, and the events of a pass arrive for the first time in their order. */
function arrivalDifferencesIn(
  name: string,
  arrivals: readonly Arrival[],
  feed: readonly FeedEvent[],
  digestOf: Evidence['digestOf'],
): Difference[] {
  const digests = new Map(feed.map((event) => [event.id, digestOf(event)]));
  const kept = new Set(arrivals.filter(({ isKept }) => isKept).map(({ id }) => id));
  const lost = feed.filter(({ id }) => !kept.has(id));
  const changed = arrivals.filter(({ id, digest }) => digests.get(id) !== digest);
  const first = new Set(arrivals.map(({ id }) => id));
  const byPass = Map.groupBy([...first], (id) => splitId(id).pass);
  const swapped = [...byPass.values()].flatMap((ids) =>
    ids.filter((id, index) => splitId(id).n < splitId(ids[index - 1] ?? '.0').n),
  );
  return [
    ...lost.flatMap((event) => differs('lost', `the ${name} receiver never got ${describe(event)}`)),
    ...changed.flatMap(({ id }) => differs('different', `the ${name} receiver got another ${id} than the feed has`)),
    ...swapped.flatMap((id) => differs('different', `the ${name} receiver got ${id} after a later event of its pass`)),
  ];
}

/** Splits `<pass id>.<n>`. */
function splitId(id: string): { readonly pass: string; readonly n: number } {
  const dot = id.lastIndexOf('.');
  return { pass: id.slice(0, dot), n: Number(id.slice(dot + 1)) };
}

const nameOfEntry = (entry: PassRecord['events'][number] | undefined) => `${entry?.eventType} at ${entry?.timestamp}`;
const describe = ({ sequence, id, type }: FeedEvent) => `${type} ${id} with sequence ${sequence}`;
const differs = (type: Difference['type'], description: string): Difference[] => [{ type, description }];
