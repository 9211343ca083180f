import { waitUntil } from 'cloudflare:workers';
import { PUBLIC_NETWORKS_MAX } from '../config/public-networks.ts';
import type { Milliseconds } from '../lib/brand.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';

const FRESH_MS = 60_000;
const USABLE_MS = 24 * 3_600_000;

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

interface Known {
  readonly networks: ReadonlyMap<string, PublicNetwork>;
  readonly readAt: Milliseconds;
}

const knownNetworks = new WeakMap<D1Database, Known>();
/** The query under way, so that concurrent requests share it. */
const reads = new WeakMap<D1Database, Promise<Known>>();

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
  const known = knownNetworks.get(db);
  if (known !== undefined && Math.abs(now - known.readAt) < FRESH_MS) return known.networks.get(key);
  try {
    return (await readOnce(db, now)).networks.get(key);
  } catch (fault) {
    if (known === undefined || Math.abs(now - known.readAt) >= USABLE_MS) throw fault;
    return known.networks.get(key);
  }
}

function readOnce(db: D1Database, now: Milliseconds): Promise<Known> {
  const underWay = reads.get(db);
  if (underWay !== undefined) return underWay;
  const read = readNetworks(db, now).finally(() => reads.delete(db));
  reads.set(db, read);
  // Other requests wait for this read, so it must not end with its own request.
  waitUntil(read.catch(() => {}));
  return read;
}

async function readNetworks(db: D1Database, now: Milliseconds): Promise<Known> {
  const { results } = await db.prepare(FIND).all<PublicNetwork>();
  const known = { networks: new Map(results.map((each) => [each.gatekeeperNetwork, each])), readAt: now };
  knownNetworks.set(db, known);
  return known;
}
