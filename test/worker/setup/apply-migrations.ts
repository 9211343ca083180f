import { applyD1Migrations, type D1Migration } from 'cloudflare:test';
import { env } from 'cloudflare:workers';

/** A release migrates every database before the Worker reads it, and many requests read all of them. */
const { DB, DB_1, MIGRATIONS } = env as Env & { DB_1: D1Database; MIGRATIONS: D1Migration[] };
await Promise.all([DB, DB_1].map((db) => applyD1Migrations(db, MIGRATIONS)));
