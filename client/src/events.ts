import { PageRepeated } from './errors.ts';
import type { components, operations } from './schema.ts';
import { waitFor } from './time.ts';

type Schemas = components['schemas'];

/** An event of the feed. Later releases may add fields and types. */
export type FeedEvent = Schemas['FeedEvent'];
/** A page of the feed. `next` is the cursor of the next page, and `more` says whether that page already has events. */
export type EventPage = Schemas['FeedPage'];
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
