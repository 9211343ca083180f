import { type Call, type Send, withHeader } from './send.ts';

const BOOKMARK = 'gatepass-bookmark';
/** An invalid bookmark on purpose: the service then answers with the newest state. */
const NEWEST = 'newest';

/**
 * Lets a client read its own writes: stores the bookmark of the newest answer and sends it with later calls. Two bookmarks cannot be
 * compared, but a call that began after another one was answered has seen more. Therefore the bookmark of a read beside another call
 * is dropped. After a change beside another call, and after a change that failed or got no answer, the client asks for the newest
 * state until a call ran alone: an earlier try may have made the change.
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

/** Searching is the only POST that only reads. */
const isChange = ({ method, url }: Call) => method !== 'GET' && !url.endsWith('/pass');
