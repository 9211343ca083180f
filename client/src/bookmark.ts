import { type Call, type Send, withHeader } from './send.ts';

const BOOKMARK = 'gatepass-bookmark';
/** Not a bookmark: the service answers with the newest there is then. */
const NEWEST = 'newest';

/**
 * Reading one's own writes: keeps the bookmark of the newest answer, and sends it with the calls that follow. Which of two is newer
 * nobody can tell from them; a call that began when the other had been answered has seen more. So what was read beside
 * another call is left out, and after a change beside another call the newest is asked for, until a call has come alone. So it
 * is after a change that was not answered well: what was not answered may have been done, also by a try before the last.
 */
export function withBookmark(send: Send): Send {
  let kept: string | undefined;
  let keptAt = 0;
  let time = 0;
  const keep = (bookmark: string) => {
    kept = bookmark;
    keptAt = ++time;
  };
  return async (call) => {
    const begunAt = ++time;
    const answer = await send(kept === undefined ? call : withHeader(call, BOOKMARK, kept)).catch((fault) => {
      if (isChange(call)) keep(NEWEST);
      throw fault;
    });
    const brought = answer.headers.get(BOOKMARK);
    const follows = begunAt > keptAt;
    if (brought !== null && (follows || isChange(call))) keep(follows ? brought : NEWEST);
    else if (!answer.ok && isChange(call)) keep(NEWEST);
    return answer;
  };
}

/** Searching is the one POST that only reads. */
const isChange = ({ method, url }: Call) => method !== 'GET' && !url.endsWith('/pass');
