import { PageRepeated } from './errors.ts';
import type { Pass, PassFilter, PassSearch } from './pass.ts';

export interface Paging {
  /** Passes per page. Default and maximum: 100. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

/** Iterates over all passes of a search. It fetches the next page when it is needed. Throws PageRepeated if a page comes again. */
export async function* iteratePasses(
  search: (page: PassSearch, options: { signal?: AbortSignal }) => Promise<Pass[]>,
  filter: PassFilter,
  { pageSize = 100, ...options }: Paging,
): AsyncGenerator<Pass, void, undefined> {
  let last: Pass | undefined;
  // One id per page also finds a circle of pages, whatever the order of the passes is.
  const lastIds = new Set<string>();
  do {
    const page = await search({ filter, limit: pageSize, ...(last && { after: last.id }) }, options);
    const end = page.at(-1)?.id;
    // A page of passes without ids, as a broken server sends them, could come without end.
    const isRepeated = end === undefined ? page.length > 0 : lastIds.has(end);
    if (isRepeated) throw new PageRepeated(last?.id);
    if (end !== undefined) lastIds.add(end);
    yield* page;
    last = page.length < pageSize ? undefined : page.at(-1);
  } while (last);
}
