import { FIRST_SHARD, isShardName } from '../config/bindings.ts';
import { closedDatabase } from './closed-database.ts';

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
