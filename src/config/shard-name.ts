/** What the bindings of databases are called that hold passes: `DB`, `DB_1`, `DB_2` … */

/** It also holds what is not a pass: partners, and what the operator sees. */
export const FIRST_SHARD = 'DB';

export function isShardName(name: string): boolean {
  return /^DB(_[1-9]\d*)?$/.test(name);
}
