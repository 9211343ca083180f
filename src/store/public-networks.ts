import { waitUntil } from 'cloudflare:workers';
import { PUBLIC_NETWORKS_MAX } from '../config/database-limit.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { FreshValue } from '../lib/fresh-value.ts';
import { DAY_MS, MINUTE_MS } from '../lib/time.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';

/** Reads only the rows that it returns. */
const FIND = `
  SELECT key AS gatekeeperNetwork, shard FROM gatekeeper_networks INDEXED BY gatekeeper_networks_public
  WHERE public_verify = 1 LIMIT ${PUBLIC_NETWORKS_MAX}`;

/** A gatekeeper network with public checks. */
export interface PublicNetwork {
  readonly gatekeeperNetwork: GatekeeperNetwork;
  /** Name of the shard with its passes. */
  readonly shard: string;
}

const AGES = { freshMs: MINUTE_MS, usableMs: DAY_MS };
const knownNetworks = new WeakMap<D1Database, FreshValue<ReadonlyMap<string, PublicNetwork>>>();

/**
 * Returns a gatekeeper network with public checks; undefined for any other text. It knows the whole list for 60 s, so a key
 * that is not in it costs no query, however many such keys are sent. While the database does not answer, the last known list
 * serves for up to a day. Throws if the database does not answer and no list is known.
 */
export async function findPublicNetwork(
  db: D1Database,
  key: string,
  now: Milliseconds,
): Promise<PublicNetwork | undefined> {
  const known = knownNetworks.get(db) ?? new FreshValue<ReadonlyMap<string, PublicNetwork>>(AGES, waitUntil);
  knownNetworks.set(db, known);
  return (await known.get(() => readNetworks(db), now)).get(key);
}

async function readNetworks(db: D1Database): Promise<ReadonlyMap<string, PublicNetwork>> {
  const { results } = await db.prepare(FIND).all<PublicNetwork>();
  return new Map(results.map((each) => [each.gatekeeperNetwork, each]));
}
