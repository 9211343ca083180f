/** Names of the bindings of shards: `DB`, `DB_1`, `DB_2` … */

/** The first shard also stores the partners and the data of the admin routes. */
export const FIRST_SHARD = 'DB';

export function isShardName(name: string): boolean {
  return /^DB(_[1-9]\d*)?$/.test(name);
}
