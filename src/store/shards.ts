import { FIRST_SHARD, isShardName } from '../config/bindings.ts';
import { DatabaseTimeout } from './d1-circuit-breaker.ts';

/** One of the databases with passes. All passes of a gatekeeper network are in one shard. */
export interface Shard {
  /** Name of its binding: `DB`, `DB_1`, … */
  readonly name: string;
  readonly db: D1Database;
}

/** The databases by the names of their bindings. */
export type Databases = Readonly<Record<string, D1Database>>;

/**
 * Returns the databases among the bindings of a Worker, each passed through `wrap`. A database that `CLOSED_SHARDS` names answers
 * nothing: an event that is published between a restore and the end of `npm run restore` would be lost.
 */
export function databasesIn(env: object, wrap = (db: D1Database) => db): Databases {
  const { CLOSED_SHARDS = '' } = env as { readonly CLOSED_SHARDS?: string };
  const closed = CLOSED_SHARDS.split(/\s+/);
  const bindings = Object.entries(env).filter(([name]) => isShardName(name));
  return Object.fromEntries(
    bindings.map(([name, db]) => [name, closed.includes(name) ? closedDatabase(name) : wrap(db)]),
  );
}

/** Returns the shard of that name, by default the first one. Throws if it is not bound, because no other one can replace it. */
export function shardOf(databases: Databases, name = FIRST_SHARD): Shard {
  const db = Object.hasOwn(databases, name) ? databases[name] : undefined;
  if (db === undefined)
    throw new Error(`no database is bound as ${name}, but passes of a partner are in it: bind it in wrangler.toml`);
  return { name, db };
}

/** Returns the names of all shards, the first one first. */
export function shardNamesOf(databases: Databases): string[] {
  return Object.keys(databases).toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

/** The answers of several shards. */
interface ShardAnswers<T> {
  readonly answers: readonly { readonly shard: string; readonly answer: T }[];
  /** Names of the shards that did not answer. */
  readonly unread: readonly string[];
  /** Why one of them did not. */
  readonly fault?: unknown;
}

/** Asks all shards at once. */
export async function askAllShards<T>(
  databases: Databases,
  ask: (db: D1Database) => Promise<T>,
): Promise<ShardAnswers<T>> {
  const names = shardNamesOf(databases);
  const asked = await Promise.allSettled(names.map(async (name) => ask(shardOf(databases, name).db)));
  const results = names.map((shard, index) => ({ shard, ...(asked[index] as PromiseSettledResult<T>) }));
  return {
    answers: results.flatMap((each) => (each.status === 'fulfilled' ? { shard: each.shard, answer: each.value } : [])),
    unread: results.flatMap(({ shard, status }) => (status === 'rejected' ? shard : [])),
    fault: asked.find((each) => each.status === 'rejected')?.reason,
  };
}

/** Returns a database that answers nothing, as if D1 were unavailable. Its faults are transient: callers try again later. */
function closedDatabase(name: string): D1Database {
  const fail = () => Promise.reject(new DatabaseTimeout(`${name} is closed for a restore`));
  const statement = { bind: () => statement, first: fail, all: fail, run: fail, raw: fail };
  const database = { prepare: () => statement, batch: fail, exec: fail };
  return { ...database, withSession: () => ({ ...database, getBookmark: () => null }) } as unknown as D1Database;
}
