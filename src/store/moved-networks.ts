import { FIRST_SHARD } from '../config/bindings.ts';
import { SECOND_MS } from '../lib/time.ts';
import { type Databases, type Shard, shardOf } from './shards.ts';

/**
 * Finds the shard of a gatekeeper network that has moved. Passes, webhooks and rows in memory name the shard of an earlier time. There,
 * every statement about the gatekeeper network fails with a code and the name of the next shard (`departures` in `migrations/`).
 */

/**
 * Returns the expression for the LIMIT of a read. SQLite evaluates a limit before it reads a row, so the statement fails if the rows are
 * in another shard, or if a replica does not have all of them yet.
 * @param one Selects the gatekeeper networks of the read.
 */
export const limitHere = (limit: string, one = '= ?1') => `coalesce((
  SELECT json_extract('{}', gatekeeper_network || '/moved/' || to_shard) FROM departures
    WHERE gatekeeper_network ${one} AND has_left
  UNION ALL SELECT json_extract('{}', gatekeeper_network || '/moving/') FROM arrivals
    WHERE gatekeeper_network ${one} AND NOT has_arrived), ${limit})`;

/** Fails if the gatekeeper network ?1 has left the shard, or is leaving at this moment. For writes that may change no row. */
export const STAYS_HERE = "SELECT json_extract('{}', fault) FROM refused_writes WHERE gatekeeper_network = ?1";

/** A gatekeeper network, and the shard that has or had its rows; undefined: the first one. */
export interface PlacedNetwork {
  readonly gatekeeperNetwork?: string | undefined;
  readonly shard?: string | undefined;
}

/** The next shard of gatekeeper networks that have left one. They never return, so this stays true. */
const moved = new Map<string, string>();
const nameOf = (shard: string, gatekeeperNetwork = '') => `${shard}/${gatekeeperNetwork}`;

/** For tests that empty the databases. */
export const forgetMoves = (): void => moved.clear();

/** Returns the current shard, as far as this isolate knows. */
export function currentShardOf({ shard = FIRST_SHARD, gatekeeperNetwork }: PlacedNetwork): string {
  const next = moved.get(nameOf(shard, gatekeeperNetwork));
  return next === undefined ? shard : currentShardOf({ shard: next, gatekeeperNetwork });
}

/** A move that a fault reports. `to` is undefined while the writes of the gatekeeper network wait for the end of the move. */
interface ReportedMove {
  readonly gatekeeperNetwork: string;
  readonly to?: string | undefined;
}

/** Returns the move that is the reason of a fault, and remembers it; undefined: the fault has another reason. */
export function moveIn(fault: unknown, shard: string): ReportedMove | undefined {
  const [, gatekeeperNetwork, code, to] = /(\w+)\/(moved|moving)\/(DB(?:_\d+)?)?/.exec(String(fault)) ?? [];
  if (gatekeeperNetwork === undefined) return undefined;
  if (code === 'moving' || to === undefined) return { gatekeeperNetwork };
  moved.set(nameOf(shard, gatekeeperNetwork), to);
  return { gatekeeperNetwork, to };
}

/** The writes of a gatekeeper network wait for at most this time, at the end of its move. */
export const FREEZE_SECONDS = 10;
const PAUSE_MS = 250;

/** Runs work in the current shard of a gatekeeper network. A write waits while the last rows move. */
export async function inCurrentShard<R>(
  databases: Databases,
  place: PlacedNetwork,
  run: (shard: Shard) => Promise<R>,
  deadline = Date.now() + FREEZE_SECONDS * SECOND_MS,
): Promise<R> {
  const shard = currentShardOf(place);
  try {
    return await run(shardOf(databases, shard));
  } catch (fault) {
    const move = moveIn(fault, shard);
    if (move === undefined || (move.to === undefined && Date.now() > deadline)) throw fault;
    if (move.to === undefined) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return inCurrentShard(databases, place, run, deadline);
  }
}

/**
 * Runs work for the items of each shard at once. While the last rows of a gatekeeper network move, its items fail without delay, and
 * those of others do not. Waits for all shards. Throws if one fails.
 */
export async function inCurrentShards<T>(
  databases: Databases,
  items: readonly T[],
  placeOf: (item: T) => PlacedNetwork,
  run: (shard: Shard, items: readonly T[]) => Promise<void>,
): Promise<void> {
  const again = (rest: readonly T[]) => inCurrentShards(databases, rest, placeOf, run);
  const work = [...Map.groupBy(items, (item) => currentShardOf(placeOf(item)))].map(async ([shard, group]) => {
    try {
      await run(shardOf(databases, shard), group);
    } catch (fault) {
      const move = moveIn(fault, shard);
      if (move === undefined) throw fault;
      if (move.to !== undefined) return again(group);
      const others = group.filter((item) => placeOf(item).gatekeeperNetwork !== move.gatekeeperNetwork);
      if (others.length > 0 && others.length < group.length) await again(others);
      throw fault;
    }
  });
  for (const each of await Promise.allSettled(work)) if (each.status === 'rejected') throw each.reason;
}

const LEFT = `
  SELECT gatekeeper_network AS gatekeeperNetwork, to_shard AS shard FROM departures
  WHERE gatekeeper_network IN (SELECT value FROM json_each(?1)) AND has_left`;

/** Learns where these gatekeeper networks are now, so that `currentShardOf` is right for them. */
export async function learnMoves(databases: Databases, places: readonly PlacedNetwork[]): Promise<void> {
  const current = places.map((place) => ({ ...place, shard: currentShardOf(place) }));
  const learned: PlacedNetwork[] = [];
  const asked = [...Map.groupBy(current, ({ shard }) => shard)].map(async ([shard, group]) => {
    const keys = JSON.stringify([...new Set(group.map(({ gatekeeperNetwork }) => gatekeeperNetwork))]);
    const { results } = await shardOf(databases, shard).db.prepare(LEFT).bind(keys).all<Required<PlacedNetwork>>();
    for (const { gatekeeperNetwork, shard: next } of results) {
      moved.set(nameOf(shard, gatekeeperNetwork), next as string);
      learned.push({ gatekeeperNetwork, shard: next });
    }
  });
  await Promise.all(asked);
  if (learned.length > 0) await learnMoves(databases, learned);
}
