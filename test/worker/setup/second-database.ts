import { env } from 'cloudflare:workers';
import { forgetShards } from '../../../src/store/placements.ts';

/** A second database for passes. */
const { DB, DB_1 } = env as Env & { DB_1: D1Database };

export const SECOND = 'DB_1';
export const second = DB_1;

/** Gives a gatekeeper network without partners a row that names its database. */
export async function placeNetwork(key: string, shard: string): Promise<void> {
  await DB.prepare('INSERT INTO gatekeeper_networks (key, shard) VALUES (?, ?)').bind(key, shard).run();
  forgetShards();
}
