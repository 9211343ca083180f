import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PROJECT } from '../../terminal/wrangler.ts';
import { SEED_PARTNERS } from '../localnet/partner/seed-partners.ts';
import { type ServerOptions, startServer } from './runtime.ts';

/**
 * Fills the D1 of a server that is not running. The runtime creates the database, and this function opens its file. All writes of
 * `seed` are one transaction.
 */
export async function seedDatabase(server: ServerOptions, seed: (db: DatabaseSync) => void): Promise<void> {
  const { database, stop } = await startServer(server);
  await (await database()).prepare('SELECT 1').run();
  await stop();
  const folder = join(server.folder, 'd1', 'miniflare-D1DatabaseObject');
  const file = readdirSync(folder).find((name) => name.endsWith('.sqlite') && name !== 'metadata.sqlite');
  const db = new DatabaseSync(join(folder, file as string));
  try {
    db.exec('BEGIN');
    seed(db);
    db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}

/** Creates the tables of the service, with the partners of the localnet. */
export function migrate(db: DatabaseSync): void {
  const folder = join(PROJECT, 'migrations');
  for (const name of readdirSync(folder).sort()) db.exec(readFileSync(join(folder, name), 'utf8'));
  db.exec(SEED_PARTNERS);
}
