/**
 * Whether a schedule of `[triggers] crons` runs every hour: the field for the hour is `*`. Any other schedule is the nightly one,
 * so that operators choose the times, and a block of an earlier release still begins the reconciliation.
 */
export function isHourly(cron: string | undefined): boolean {
  return cron?.trim().split(/\s+/)[1] === '*';
}
