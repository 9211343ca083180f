import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SqlDatabase } from './sql-database.ts';

const MIGRATIONS = join(import.meta.dirname, '../../../migrations');
const SCHEMA = readdirSync(MIGRATIONS)
  .toSorted()
  .map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'));

const free: SqlDatabase[] = [];

/** Returns an empty database with the tables of D1: one of an earlier world, because the tables take longer than deleting rows. */
export function takeDatabase(): SqlDatabase {
  const known = free.pop();
  if (known !== undefined) return known;
  const database = new SqlDatabase();
  for (const migration of SCHEMA) database.run(migration);
  return database;
}

/** Gives a database back for a later world. */
export function giveBack(database: SqlDatabase): void {
  const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  database.run('PRAGMA foreign_keys = OFF');
  for (const { name } of database.all(tables, [])) database.run(`DELETE FROM "${name}"`);
  database.run('PRAGMA foreign_keys = ON');
  free.push(database);
}
