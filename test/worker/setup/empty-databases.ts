import { env } from 'cloudflare:workers';
import './apply-migrations.ts';

const { DB, DB_1 } = env as Env & { DB_1: D1Database };

const TABLES = `SELECT name FROM sqlite_master
  WHERE type = 'table' AND name <> 'd1_migrations' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'`;

/** Empties the databases, because the file before may have left rows in them. */
await Promise.all(
  [DB, DB_1].map(async (db) => {
    const { results } = await db.prepare(TABLES).all<{ name: string }>();
    const deletes = results.map(({ name }) => `DELETE FROM ${name}`);
    await db.batch(['PRAGMA defer_foreign_keys = on', ...deletes].map((sql) => db.prepare(sql)));
  }),
);
