/** Names and triggers in `wrangler.toml`. */

/** The first shard also stores the partners and the data of the admin routes. */
export const FIRST_SHARD = 'DB';

/** Whether the text is the name of a shard's binding: `DB`, `DB_1`, `DB_2` … */
export function isShardName(name: string): boolean {
  return /^DB(_[1-9]\d*)?$/.test(name);
}

/**
 * Whether a schedule of `[triggers] crons` runs every hour: the field for the hour is `*`. Any other schedule is the nightly one,
 * so that operators choose the times.
 */
export function isHourly(cron: string | undefined): boolean {
  return cron?.trim().split(/\s+/)[1] === '*';
}
