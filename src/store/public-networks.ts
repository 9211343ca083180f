import { waitUntil } from 'cloudflare:workers';
import type { Milliseconds } from '../lib/brand.ts';

/** Maximum number of gatekeeper networks with public verification. `npm run partner` enables no more. */
export const PUBLIC_NETWORKS_MAX = 10_000;

const FRESH_MS = 60_000;
const USABLE_MS = 24 * 3_600_000;

/** Reads only the rows that it returns. */
const FIND = `
  SELECT key, shard FROM gatekeeper_networks INDEXED BY gatekeeper_networks_public
  WHERE public_verify = 1 LIMIT ${PUBLIC_NETWORKS_MAX}`;

/** The shards by gatekeeper network. */
type Shards = ReadonlyMap<string, string>;

interface Known {
  readonly shards: Shards;
  readonly readAt: Milliseconds;
}

const knownNetworks = new WeakMap<D1Database, Known>();
/** The query under way, so that concurrent requests share it. */
const reads = new WeakMap<D1Database, Promise<Known>>();

/**
 * Returns the shard of a gatekeeper network with public verification; undefined for any other key. It knows the whole list for
 * 60 s, so a key that is not in it costs no query, however many such keys are sent. While the database does not answer, the last
 * known list serves for up to a day. Throws if the database does not answer and no list is known.
 */
export async function findPublicShard(
  db: D1Database,
  gatekeeperNetwork: string,
  now: Milliseconds,
): Promise<string | undefined> {
  const known = knownNetworks.get(db);
  if (known !== undefined && Math.abs(now - known.readAt) < FRESH_MS) return known.shards.get(gatekeeperNetwork);
  try {
    return (await readOnce(db, now)).shards.get(gatekeeperNetwork);
  } catch (fault) {
    if (known === undefined || Math.abs(now - known.readAt) >= USABLE_MS) throw fault;
    return known.shards.get(gatekeeperNetwork);
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
  const { results } = await db.prepare(FIND).all<{ key: string; shard: string }>();
  const known = { shards: new Map(results.map(({ key, shard }) => [key, shard])), readAt: now };
  knownNetworks.set(db, known);
  return known;
}
