import * as v from 'valibot';
import type { Row } from '../../terminal/wrangler.ts';
import { statementsFor } from '../row-statements.ts';

/** The changes of a gatekeeper network on a network in a month. */
export const UsageRow = v.object({
  gatekeeper_network: v.string(),
  network: v.string(),
  month: v.string(),
  issued: v.number(),
  renewed: v.number(),
  revoked: v.number(),
});
export type UsageRow = v.InferOutput<typeof UsageRow>;

export const READ_USAGE = 'SELECT gatekeeper_network, network, month, issued, renewed, revoked FROM usage';

export function usageIn(rows: readonly Row[]): UsageRow[] {
  return v.parse(v.array(UsageRow), rows);
}

/**
 * Returns the SQL that gives a restored database the changes that were counted before the restore: the passes were issued on chain,
 * and no later publication counts them again. It keeps the restored numbers of active passes, which belong to the restored rows.
 */
export function restoreUsage(before: readonly UsageRow[], restored: readonly UsageRow[]): string[] {
  const same = new Set(restored.map((row) => JSON.stringify(valuesOf(row))));
  const rows = before.map(valuesOf).filter((row) => !same.has(JSON.stringify(row)));
  return statementsFor(
    rows,
    (literal) =>
      `INSERT INTO usage (gatekeeper_network, network, month, issued, renewed, revoked)
       SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(${literal}) WHERE true
       ON CONFLICT (gatekeeper_network, network, month) DO UPDATE SET
         issued = excluded.issued, renewed = excluded.renewed, revoked = excluded.revoked`,
  );
}

function valuesOf({ gatekeeper_network, network, month, issued, renewed, revoked }: UsageRow) {
  return [gatekeeper_network, network, month, issued, renewed, revoked];
}
