import { PageRepeated } from './errors.ts';
import type { Pass, PassSearch } from './pass.ts';

export interface Paging {
  /** Passes per page. Default and maximum: 100. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

/** A page of a search. `next` is the place after it, and absent after the last page. */
export interface PassPage {
  readonly passes: Pass[];
  readonly next?: string | undefined;
  /** The number of passes of all pages, if the search asked for it. */
  readonly count?: number | undefined;
  /** Whether there may be more passes than `count`. */
  readonly countIsMinimum?: boolean | undefined;
}

/** Iterates over all passes of a search. It fetches the next page when it is needed. Throws PageRepeated if a page comes again. */
export async function* iteratePasses(
  search: (page: PassSearch, options: { signal?: AbortSignal }) => Promise<PassPage>,
  wanted: Omit<PassSearch, 'limit' | 'after' | 'skip' | 'count'>,
  { pageSize = 100, ...options }: Paging,
): AsyncGenerator<Pass, void, undefined> {
  let after: string | undefined;
  // One place per page also finds a circle of pages, whatever the order of the passes is.
  const places = new Set<string>();
  do {
    const { passes, next } = await search({ ...wanted, limit: pageSize, ...(after && { after }) }, options);
    // A service of an earlier release has no `next`.
    const end = next ?? passes.at(-1)?.id;
    // A page of passes without ids, as a broken server sends them, could come without end.
    const isRepeated = end === undefined ? passes.length > 0 : places.has(end);
    if (isRepeated) throw new PageRepeated(after);
    if (end !== undefined) places.add(end);
    yield* passes;
    after = next ?? (passes.length < pageSize ? undefined : end);
  } while (after);
}
