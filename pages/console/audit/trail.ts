import { get } from '../api/call.ts';
import type { AuditEntry } from '../api/records.ts';

const PAGE_ENTRIES = 50;
/** A page without a match may be followed by one with some. */
const EMPTY_PAGES_MAX = 20;

export interface TrailPage {
  readonly entries: readonly AuditEntry[];
  readonly more: boolean;
  readonly next: number;
}

/**
 * Returns a page of an audit trail, the newest entry first.
 * @param filter Further parameters of the query, with `&` before each.
 * @param first The place of the page; undefined: the newest entries.
 */
export async function loadTrail(
  path: string,
  filter: string,
  first?: number,
  signal?: AbortSignal,
): Promise<TrailPage> {
  let after = first;
  for (let pages = 1; ; pages += 1) {
    const from = after === undefined ? '' : `&after=${after}`;
    const page = await get<TrailPage>(`${path}?order=newest&limit=${PAGE_ENTRIES}${filter}${from}`, signal);
    if (page.entries.length > 0 || !page.more || pages === EMPTY_PAGES_MAX) return page;
    after = page.next;
  }
}
