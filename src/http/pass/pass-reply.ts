import { BOOKMARK } from '../protocol/bookmark-header.ts';
import { preferenceApplied } from '../protocol/prefer.ts';
import type { Reply } from '../route.ts';

/** A pass as an answer shows it. */
export interface PassReply {
  readonly id: string;
  readonly version: number;
  /** JSON text. */
  readonly record: string;
  /** Of who has seen it. */
  readonly bookmark: string;
  /** For how many seconds at the most it was waited for the pass to settle; undefined: it was not. */
  readonly waited?: number | undefined;
}

/** The answer that shows the pass, on a route that waits; RFC 7240 §2: caches are to know that `Prefer` may matter. */
export function passReply(
  status: number,
  { id, record, bookmark, waited }: PassReply,
  { body = record, etag }: { readonly body?: string; readonly etag?: string } = {},
): Reply {
  const headers = {
    [BOOKMARK]: bookmark,
    vary: 'Prefer',
    ...(etag !== undefined && { etag }),
    ...(waited !== undefined && preferenceApplied(waited)),
  };
  return { status, body, pass: id, headers };
}
