import type { Clone, Migration } from './clone.ts';

const APPLIED_TABLE =
  'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, ' +
  'applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)';

/**
 * Applies the migrations that the local database lacks, as `wrangler d1 migrations apply` does, and adds the rows of the clone. Each
 * migration and its mark are one commit. Another `wrangler dev` on the same state may do the same at the same time: then one of
 * the two fails, and finds the mark at its next try.
 */
export async function createTables(db: D1Database, { migrations, rows }: Clone): Promise<void> {
  await db.prepare(APPLIED_TABLE).run();
  for (const migration of migrations) {
    if (!(await isApplied(db, migration))) await apply(db, migration);
  }
  if (rows.length > 0) await db.batch(rows.map((row) => db.prepare(row)));
}

async function isApplied(db: D1Database, { name }: Migration): Promise<boolean> {
  return (await db.prepare('SELECT 1 FROM d1_migrations WHERE name = ?').bind(name).first()) !== null;
}

async function apply(db: D1Database, migration: Migration): Promise<void> {
  const mark = db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(migration.name);
  try {
    await db.batch([...migration.queries.map((query) => db.prepare(query)), mark]);
  } catch (fault) {
    if (!(await isApplied(db, migration))) throw fault;
  }
}
