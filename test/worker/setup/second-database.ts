import { applyD1Migrations, type D1Migration } from 'cloudflare:test';
import { env } from 'cloudflare:workers';

/** A second, migrated database for passes. */
const { DB_1, MIGRATIONS } = env as Env & { DB_1: D1Database; MIGRATIONS: D1Migration[] };
await applyD1Migrations(DB_1, MIGRATIONS);

export const SECOND = 'DB_1';
export const second = DB_1;
