import { applyD1Migrations, type D1Migration } from 'cloudflare:test';
import { env } from 'cloudflare:workers';

const { DB, MIGRATIONS } = env as Env & { MIGRATIONS: D1Migration[] };
await applyD1Migrations(DB, MIGRATIONS);
