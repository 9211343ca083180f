import { env } from 'cloudflare:workers';
import './apply-migrations.ts';

const { DB } = env;

const TABLES = `SELECT name FROM sqlite_master
  WHERE type = 'table' AND name <> 'd1_migrations' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'`;

/** Empties the database, because the file before may have left rows in it. */
const { results } = await DB.prepare(TABLES).all<{ name: string }>();
await DB.batch(
  ['PRAGMA defer_foreign_keys = on', ...results.map(({ name }) => `DELETE FROM ${name}`)].map((sql) => DB.prepare(sql)),
);
