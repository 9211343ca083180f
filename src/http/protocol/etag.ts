import type { Reply } from './reply.ts';

/**
 * The entity tag of a pass (RFC 9110 §8.8.3): its version grows with every change that shows in the record. Weak, as the same
 * record may be written in other bytes by another release, or packed on its way.
 */
export function etagOf({ id, version }: { readonly id: string; readonly version: number }): string {
  return `W/"${id}.${version}"`;
}

/** The reply, or 304 without its body where the caller has that already (RFC 9110 §13.1.2, §15.4.5). */
export function notModified(reply: Reply, { headers }: Request): Reply {
  const known = headers.get('if-none-match');
  const etag = reply.headers?.etag;
  return known === null || etag === undefined || !isAmong(known, etag) ? reply : { ...reply, status: 304, body: null };
}

/** Weak comparison (§8.8.3.2): what stands in the quotes counts. What is no entity tag is none of ours. */
function isAmong(list: string, etag: string): boolean {
  if (list.trim() === '*') return true;
  return [...list.matchAll(/(?:W\/)?"([^"]*)"/g)].some(([, opaque]) => etag === `W/"${opaque}"`);
}
