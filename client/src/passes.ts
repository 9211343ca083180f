import type { Pass, PassFilter, PassSearch } from './pass.ts';

export interface Paging {
  /** Passes per page. Default and maximum: 100. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

/** Iterates over all passes of a search. It fetches the next page when it is needed. */
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
