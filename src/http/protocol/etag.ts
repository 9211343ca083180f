import type { Reply } from './reply.ts';

/**
 * Returns the entity tag of a pass (RFC 9110 §8.8.3). The version grows with every change that the record shows. The tag is
 * weak, because another release may serialize the same record differently, and a proxy may compress it.
 */
export function etagOf({ id, version }: { readonly id: string; readonly version: number }): string {
  return `W/"${id}.${version}"`;
}

/** Returns the reply, or 304 without a body if the caller already has it (RFC 9110 §13.1.2, §15.4.5). */
export function notModified(reply: Reply, { headers }: Request): Reply {
  const known = headers.get('if-none-match');
  const etag = reply.headers?.etag;
  return known === null || etag === undefined || !isAmong(known, etag) ? reply : { ...reply, status: 304, body: null };
}

/** Compares weakly (§8.8.3.2): only the quoted texts count. Ignores list entries that are not entity tags. */
function isAmong(list: string, etag: string): boolean {
  if (list.trim() === '*') return true;
  return [...list.matchAll(/(?:W\/)?"([^"]*)"/g)].some(([, opaque]) => etag === `W/"${opaque}"`);
}
