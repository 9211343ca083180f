import type { PassView } from '../../operations/read-from-object.ts';
import { BOOKMARK } from '../protocol/bookmark-header.ts';
import { preferenceApplied } from '../protocol/prefer.ts';
import type { Reply } from '../protocol/reply.ts';

/** Returns the reply with a pass, on a route that waits. `Vary`: the reply depends on `Prefer` (RFC 7240 §2). */
export function passReply(
  status: number,
  { id, record, bookmark, waitedSeconds }: PassView,
  { body = record, etag }: { readonly body?: string; readonly etag?: string } = {},
): Reply {
  const headers = {
    [BOOKMARK]: bookmark,
    vary: 'Prefer',
    ...(etag !== undefined && { etag }),
    ...(waitedSeconds !== undefined && preferenceApplied(waitedSeconds)),
  };
  return { status, body, pass: id, headers };
}
