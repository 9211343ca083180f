import type { Shard } from './shards.ts';

/**
 * Reading from replicas. A bookmark says how far somebody has seen a database: who comes with it reads from a replica that has
 * come as far. It is the caller's, so it may be anything.
 */

const BOOKMARK_FORM = /^[\da-f]{1,32}(-[\da-f]{1,32}){1,7}$/;
export const PRIMARY = 'first-primary';

/** What was read, and the bookmark for who has seen it. */
export interface Read<T> {
  readonly found: T;
  readonly bookmark: string;
}

/**
 * Reads what is at least as new as that bookmark; null: from whichever replica is near. What is no bookmark of this shard, or
 * none that the database can make use of, is answered by the primary, which has seen everything.
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
  if (from.startsWith('first-')) return readFrom(from);
  return readFrom(from).catch(() => readFrom(PRIMARY));
}

/** The bookmark of a caller who has seen a version that no bookmark is known for: no shard accepts it, so the primary answers. */
export const READ_PRIMARY = PRIMARY;

/** It names its shard: another database would understand it wrong. */
export function bookmarkOf({ name }: Shard, session: D1DatabaseSession): string {
  const bookmark = session.getBookmark();
  return bookmark === null ? READ_PRIMARY : `${name}.${bookmark}`;
}

function parseBookmark({ name }: Shard, seen: string): string | undefined {
  const bookmark = seen.startsWith(`${name}.`) ? seen.slice(name.length + 1) : '';
  return BOOKMARK_FORM.test(bookmark) ? bookmark : undefined;
}
