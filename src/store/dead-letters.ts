import type { Cursor } from '../lib/cursor.ts';

/** A message that the service will not process again by itself. */
export interface DeadLetter {
  /** Id of the message. */
  readonly id: string;
  /** When it arrived in the dead letters: Unix seconds. */
  readonly at: number;
  readonly reason: string;
  /** JSON; undefined: it was too large to store. */
  readonly body?: string | undefined;
}

/** Number of newest dead letters that are stored. A flood of them must not fill the database. */
const MAX_DEAD_LETTERS = 10_000;

const INSERT = 'INSERT INTO dead_letters (id, at, reason, body) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO NOTHING';
const DELETE_OLDEST = `
  DELETE FROM dead_letters WHERE id IN
    (SELECT id FROM dead_letters INDEXED BY dead_letters_by_time WHERE at > 0 ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?1)`;

/** Stores dead letters, each once, and deletes the oldest ones beyond the maximum. */
export async function storeDeadLetters(
  db: D1Database,
  letters: readonly DeadLetter[],
  maxLetters = MAX_DEAD_LETTERS,
): Promise<void> {
  const bury = db.prepare(INSERT);
  const rows = letters.map(({ id, at, reason, body }) => bury.bind(id, at, reason, body ?? null));
  await db.batch([...rows, db.prepare(DELETE_OLDEST).bind(maxLetters)]);
}

const LETTERS = `
  SELECT id, at, reason, body FROM dead_letters INDEXED BY dead_letters_by_time
  WHERE (at, id) < (?1, ?2) ORDER BY at DESC, id DESC LIMIT ?3`;

/** Returns a page of dead letters, the newest first. */
export async function findDeadLetters(
  db: D1Database,
  { limit, after = { at: Number.MAX_SAFE_INTEGER, id: '' } }: { limit: number; after?: Cursor | undefined },
): Promise<DeadLetter[]> {
  const { results } = await db.prepare(LETTERS).bind(after.at, after.id, limit).all<Row>();
  return results.map(deadLetterOfRow);
}

/** The count stops here, so that a scrape reads a bounded number of rows. */
const COUNT_MAX = 1_000;
const COUNT = `
  SELECT count(*) AS n FROM
    (SELECT 1 FROM dead_letters INDEXED BY dead_letters_by_time WHERE at > 0 LIMIT ${COUNT_MAX})`;

/** Returns the number of dead letters, at most 1,000. */
export async function countDeadLetters(db: D1Database): Promise<number> {
  return (await db.prepare(COUNT).first<{ n: number }>())?.n ?? 0;
}

export async function findDeadLetter(db: D1Database, id: string): Promise<DeadLetter | undefined> {
  const row = await db.prepare('SELECT id, at, reason, body FROM dead_letters WHERE id = ?').bind(id).first<Row>();
  return row === null ? undefined : deadLetterOfRow(row);
}

export async function removeDeadLetters(db: D1Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const remove = db.prepare('DELETE FROM dead_letters WHERE id = ?');
  await db.batch(ids.map((id) => remove.bind(id)));
}

interface Row {
  id: string;
  at: number;
  reason: string;
  body: string | null;
}

const deadLetterOfRow = ({ body, ...rest }: Row): DeadLetter => ({ ...rest, body: body ?? undefined });
