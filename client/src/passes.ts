import type { Pass, PassFilter, PassSearch } from './pass.ts';

export interface Paging {
  /** Passes that are fetched at a time: 100 unless it says otherwise, which is the most. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

/** All passes that a search finds, page by page; the next one is fetched when it is needed. */
export async function* iteratePasses(
  search: (page: PassSearch, options: { signal?: AbortSignal }) => Promise<Pass[]>,
  filter: PassFilter,
  { pageSize = 100, ...options }: Paging,
): AsyncGenerator<Pass, void, undefined> {
  let last: Pass | undefined;
  do {
    const page = await search({ filter, limit: pageSize, ...(last && { after: last.id }) }, options);
    yield* page;
    last = page.length < pageSize ? undefined : page.at(-1);
  } while (last);
}
