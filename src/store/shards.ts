import { FIRST_SHARD, isShardName } from '../config/shard-name.ts';

/** The database with the read model of some gatekeeper networks: all the passes of each are in one. */
export interface Shard {
  /** Of its binding: `DB`, `DB_1`, … */
  readonly name: string;
  readonly db: D1Database;
}

/**
 * The shard of that name; none is that of the passes from before there were several. Throws when it is not bound: no other
 * database is ever taken for it.
 */
export function shardOf(env: object, name = FIRST_SHARD): Shard {
  const db = isShardName(name) ? (env as Readonly<Record<string, D1Database | undefined>>)[name] : undefined;
  if (db === undefined) throw new Error(`no database is bound as ${name}, where passes of a partner are`);
  return { name, db };
}

/** All that are bound, the first one first. */
export function shardsOf(env: object): Shard[] {
  const names = Object.keys(env).filter(isShardName);
  return names.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1)).map((name) => shardOf(env, name));
}
