import type { Shard } from './shards.ts';

/**
 * Reads from replicas. A bookmark names a version of a database that a caller has seen: with it, the caller reads from a replica
 * of at least that version. The bookmark comes from the caller and may be any text.
 */

const BOOKMARK_FORM = /^[\da-f]{1,32}(-[\da-f]{1,32}){1,7}$/;
export const PRIMARY = 'first-primary';

/** A result, and the bookmark of its version. */
export interface Read<T> {
  readonly found: T;
  readonly bookmark: string;
}

/**
 * Reads a version of the shard that is at least as new as the bookmark. If the bookmark is null, it reads the nearest replica. If
 * it is not a bookmark of this shard, or the database cannot use it, the primary answers, which has the newest version.
 */
export async function readFromBookmark<T>(
  shard: Shard,
  seen: string | null,
  read: (db: D1DatabaseSession) => Promise<T>,
): Promise<Read<T>> {
  const from = seen === null ? 'first-unconstrained' : (parseBookmark(shard, seen) ?? PRIMARY);
  const readFrom = async (constraint: string) => {
    const session = shard.db.withSession(constraint);
    const found = await read(session);
    return { found, bookmark: bookmarkOf(shard, session) };
  };
  return readFrom(from).catch((fault) => {
    if (from.startsWith('first-')) throw fault;
    return readFrom(PRIMARY);
  });
}

/** The bookmark for a version without a known bookmark. No shard accepts it, so the primary answers. */
export const READ_PRIMARY = PRIMARY;

/** Returns the bookmark with the name of its shard, because another database would misinterpret it. */
export function bookmarkOf({ name }: Shard, session: D1DatabaseSession): string {
  const bookmark = session.getBookmark();
  return bookmark === null ? READ_PRIMARY : `${name}.${bookmark}`;
}

function parseBookmark({ name }: Shard, seen: string): string | undefined {
  const bookmark = seen.startsWith(`${name}.`) ? seen.slice(name.length + 1) : '';
  return BOOKMARK_FORM.test(bookmark) ? bookmark : undefined;
}
