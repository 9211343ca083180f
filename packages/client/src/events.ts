import { PageRepeated } from './errors.ts';
import type { components, operations } from './schema.ts';
import { waitFor } from './time.ts';

type Schemas = components['schemas'];

/** The entry in the history of the pass, and the pass at that time. */
export type FeedEventData = Schemas['FeedEventData'];

type EventFields = Omit<Schemas['FeedEvent'], 'type' | 'data'>;
type KnownType = Schemas['FeedEvent']['type'];

/** An event of a pass. It always has data. */
export interface PassFeedEvent extends EventFields {
  readonly type: Extract<KnownType, `pass.${string}`>;
  readonly data: FeedEventData;
}

/** A notice about the feed itself: read the passes again. It has no data. */
export interface FeedNotice extends EventFields {
  readonly type: Extract<KnownType, `feed.${string}`>;
  readonly data?: undefined;
}

/** Means any text that is no known type. It is an enum, because the compiler would take a text for each of the known types. */
declare enum LaterType {
  Unknown = 'a type of a later release',
}

/** An event of a type that this version of the client does not know. To compare its type with a text, make it a `string` first. */
export interface LaterFeedEvent extends EventFields {
  readonly type: LaterType;
  readonly data?: FeedEventData;
}

/**
 * An event of the feed. `type` narrows `data`: `if (event.type === 'pass.issued')` has `event.data.pass`. Later releases may add fields
 * and types, so a `switch` needs a `default`.
 */
export type FeedEvent = PassFeedEvent | FeedNotice | LaterFeedEvent;

/** The delivery of `webhooks.test`. The feed does not have it. */
export interface TestDelivery extends Omit<FeedNotice, 'type' | 'sequence'> {
  readonly type: 'webhook.test';
  readonly sequence?: undefined;
}

/** An event as a webhook delivers it. `type` narrows `data`, as in the feed. */
export type DeliveredEvent = FeedEvent | TestDelivery;

/** A page of the feed. `next` is the cursor of the next page, and `more` says whether that page already has events. */
export type EventPage = Omit<Schemas['FeedPage'], 'events'> & { readonly events: readonly FeedEvent[] };
/** A type that a filter accepts. */
export type FeedType = NonNullable<NonNullable<operations['listEvents']['parameters']['query']>['type']>[number];

/** The events to read. */
export interface EventFilter {
  /** The last sequence that you have. `newest`: only later events than now. Default: from the oldest event that the feed has. */
  readonly after?: number | 'newest' | undefined;
  /** Default: all types. */
  readonly types?: readonly FeedType[] | undefined;
}

/** One page of events to read. */
export interface EventPageQuery extends EventFilter {
  /** Events per page, at most 1,000. Default: 100. */
  readonly limit?: number;
}

/** How to follow the feed. */
export interface Following extends EventFilter {
  /** Events per page. Default and maximum: 1,000. */
  readonly pageSize?: number;
  /** `false`: stop at the end of the feed. Default: wait for new events there. */
  readonly follow?: boolean;
  /** Seconds between two requests at the end of the feed. Default: 5. */
  readonly pollSeconds?: number;
  readonly signal?: AbortSignal;
}

/** Iterates over the events in the order of the feed. Throws what `readPage` throws, and the reason of the signal. */
export async function* iterateEvents(
  readPage: (query: EventPageQuery, options: { signal?: AbortSignal }) => Promise<EventPage>,
  { after, types, pageSize = 1_000, follow = true, pollSeconds = 5, ...options }: Following,
): AsyncGenerator<FeedEvent, void, undefined> {
  let page: EventPage | undefined;
  do {
    if (page && !page.more) await waitFor(pollSeconds * 1000, options.signal);
    page = await readPage({ after: page?.next ?? after, types, limit: pageSize }, options);
    yield* page.events;
  } while (page.more || follow);
}

/** The numbers of a page's entries, oldest first, and its cursor. */
interface NumberedPage {
  readonly numbers: readonly number[];
  readonly next: number;
  readonly more: boolean;
}

/** Throws PageRepeated unless all entries of a page are after the cursor, and the page moves it if there are more. */
export function demandNewPage(after: number | undefined, { numbers, next, more }: NumberedPage): void {
  const before = after ?? Number.NEGATIVE_INFINITY;
  const hasOld = numbers.some((number) => number <= before || number > next);
  if (hasOld || next < before || (more && next === before)) throw new PageRepeated(after);
}

/** The query of a page in the form of `openapi-fetch`. */
export function eventQueryOf({ after, types, limit }: EventPageQuery) {
  return {
    ...(after !== undefined && { after: String(after) }),
    ...(types !== undefined && { type: [...types] }),
    ...(limit !== undefined && { limit }),
  };
}
