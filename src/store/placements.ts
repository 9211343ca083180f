import { DAY_MS, HOUR_MS, MINUTE_MS, type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { type Databases, type Shard, shardOf } from './shards.ts';

/**
 * Finds the shard of a gatekeeper network: its row in the first shard names it, and nothing else does. An isolate remembers the name for a
 * minute. A read with an old name finds the same rows, because nothing is published for longer than that around the switch of a move. A
 * write with an old name is refused by the database, however late it arrives (`moves` in `migrations/`).
 */

/** The shard does not take the write now, because the gatekeeper network moves. Pass objects try again by themselves. */
export class NetworkMoves extends Error {
  override readonly name = 'NetworkMoves';
  /** As faults of the platform say it. */
  readonly retryable = true;

  constructor(keys: readonly string[]) {
    super(`${keys.join()} moves to another database: the passes are published afterwards`);
  }
}

/** After a move, the alarms of the passes have published what waited within this time. */
export const PUBLISHED_SECONDS = (2 * HOUR_MS) / SECOND_MS;

const FRESH_MS = MINUTE_MS;
/** A name serves for longer while the first shard does not answer, so that other shards do not depend on it. */
const USABLE_MS = DAY_MS;
const PAUSE_MS = SECOND_MS / 4;

const known = new Map<string, { readonly name: string; readonly readAt: Milliseconds }>();

/** Remembers the shard in a row that the caller has just read. */
export const noteShard = (key: string, name: string): unknown => known.set(key, { name, readAt: Date.now() });

/** For tests that change the rows. */
export const forgetShards = (): void => known.clear();

const SHARDS = 'SELECT key, shard FROM gatekeeper_networks WHERE key IN (SELECT value FROM json_each(?1))';

async function readShards(db: D1Database, keys: readonly string[]): Promise<void> {
  const { results } = await db.prepare(SHARDS).bind(JSON.stringify(keys)).all<{ key: string; shard: string }>();
  for (const { key, shard } of results) noteShard(key, shard);
}

/** Returns the shard of a gatekeeper network as its row names it now; undefined if it has no row. */
export async function findShard(db: D1Database, key: string): Promise<string | undefined> {
  const { results } = await db
    .prepare(SHARDS)
    .bind(JSON.stringify([key]))
    .all<{ shard: string }>();
  return results[0]?.shard;
}

/** Returns a function that names the shard of each gatekeeper network. It throws if nobody knows it now, or if the shard is not bound. */
export async function findShards(databases: Databases, keys: readonly string[]): Promise<(key: string) => Shard> {
  const isKnown = (key: string, maxMs: Milliseconds) =>
    Math.abs(Date.now() - (known.get(key)?.readAt ?? Number.NEGATIVE_INFINITY)) < maxMs;
  // With one database, no row can name another one.
  const asked = Object.keys(databases).length === 1 ? [] : keys.filter((key) => !isKnown(key, FRESH_MS));
  const fault =
    asked.length > 0 ? await readShards(shardOf(databases).db, asked).catch((fault: unknown) => fault) : undefined;
  return (key) => {
    if (fault !== undefined && !isKnown(key, USABLE_MS)) throw fault;
    return shardOf(databases, known.get(key)?.name);
  };
}

/** Runs a read in the shard of a gatekeeper network. */
export async function inShardOf<R>(databases: Databases, key: string, run: (shard: Shard) => Promise<R>): Promise<R> {
  return run((await findShards(databases, [key]))(key));
}

type WorkIn<T> = (shard: Shard, items: readonly T[]) => Promise<void>;

/**
 * Runs work for the items of each shard at once, and for those of a moving gatekeeper network not at all. Waits for all of it. Throws if
 * some of it fails: NetworkMoves if that is the reason.
 */
export async function inShardsOf<T>(
  databases: Databases,
  items: readonly T[],
  keyOf: (item: T) => string,
  run: WorkIn<T>,
): Promise<void> {
  const shardFor = await findShards(databases, [...new Set(items.map(keyOf))]);
  const groups = Map.groupBy(items, (item) => {
    try {
      return shardFor(keyOf(item)).name;
    } catch (fault) {
      return { fault };
    }
  });
  await all(
    [...groups].map(async ([place, group]) => {
      if (typeof place !== 'string') throw place.fault;
      await runIn(databases, shardOf(databases, place), group, keyOf, run);
    }),
  );
}

const MOVED = `
  SELECT gatekeeper_network AS key FROM moves
  WHERE gatekeeper_network IN (SELECT value FROM json_each(?1)) AND (stage > 0 OR updated > unixepoch() - ?2)`;

/** Returns those that the shard refuses, or refused until the given time ago: passes may wait that have no row yet. */
export async function findMoved(
  db: D1Database,
  keys: readonly string[],
  ago: number = PUBLISHED_SECONDS,
): Promise<string[]> {
  const { results } = await db.prepare(MOVED).bind(JSON.stringify(keys), ago).all<{ key: string }>();
  return results.map(({ key }) => key);
}

/** Runs work in a shard. If the shard refuses it, the items that have left it follow, and the others run without those that wait. */
async function runIn<T>(
  databases: Databases,
  shard: Shard,
  items: readonly T[],
  keyOf: (item: T) => string,
  run: WorkIn<T>,
): Promise<void> {
  try {
    await run(shard, items);
  } catch (fault) {
    if (!isRefusal(fault)) throw fault;
    const keys = [...new Set(items.map(keyOf))];
    const moving = await findMoved(shard.db, keys, 0);
    // The move has just ended.
    if (moving.length === 0) throw new NetworkMoves(keys);
    await readShards(shardOf(databases).db, moving);
    const shardFor = await findShards(databases, moving);
    const waiting = moving.filter((key) => shardFor(key).name === shard.name);
    const left = items.filter((item) => moving.includes(keyOf(item)) && !waiting.includes(keyOf(item)));
    const others = items.filter((item) => !moving.includes(keyOf(item)));
    await all([
      others.length > 0 ? runIn(databases, shard, others, keyOf, run) : undefined,
      left.length > 0 ? inShardsOf(databases, left, keyOf, run) : undefined,
      waiting.length > 0 ? Promise.reject(new NetworkMoves(waiting)) : undefined,
    ]);
  }
}

const isRefusal = (fault: unknown): boolean => String(fault).includes('gatekeeper_network_moves');

async function all(works: readonly (Promise<void> | undefined)[]): Promise<void> {
  for (const work of await Promise.allSettled(works)) if (work.status === 'rejected') throw work.reason;
}

/** Whether a row of the table is one of the shard, and not a copy that a move has not finished or deleted. */
export const isHere = (table: string): string =>
  `NOT EXISTS (SELECT 1 FROM moves WHERE moves.gatekeeper_network = ${table}.gatekeeper_network AND stage = 2)`;

/** Fails if the gatekeeper network ?1 has that stage of a move or a later one. Otherwise it changes nothing. */
export const refusalFrom = (stage: 1 | 2): string =>
  `UPDATE moves SET refused = 1 WHERE gatekeeper_network = ?1 AND stage >= ${stage}`;

/** Whether the shard refuses the publications of the gatekeeper network ?1. */
export const MOVES = 'EXISTS (SELECT 1 FROM moves WHERE gatekeeper_network = ?1 AND stage > 0)';

/** The methods of a database that a change uses. */
export type Writer = Pick<D1Database, 'prepare' | 'batch'>;

/**
 * Changes rows of a gatekeeper network in its shard, with one batch. The shard refuses the batch while the gatekeeper network waits.
 * @param waitMs The change waits for this time, if its rows are on the way to another shard, and until then is not refused.
 */
export async function changeInShardOf<R>(
  databases: Databases,
  key: string,
  run: (db: Writer) => Promise<R>,
  waitMs?: Milliseconds,
): Promise<R> {
  const deadline = Date.now() + (waitMs ?? 0);
  const refusal = refusalFrom(waitMs === undefined ? 1 : 2);
  for (;;) {
    try {
      let answer: R | undefined;
      await inShardsOf(databases, [key], String, async ({ db }) => {
        const batch: Writer['batch'] = async <T>(statements: D1PreparedStatement[]) =>
          (await db.batch<T>([db.prepare(refusal).bind(key), ...statements])).slice(1);
        answer = await run({ prepare: (sql) => db.prepare(sql), batch });
      });
      return answer as R;
    } catch (fault) {
      if (!(fault instanceof NetworkMoves) || Date.now() >= deadline) throw fault;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
