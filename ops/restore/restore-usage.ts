import * as v from 'valibot';
import type { Row } from '../../scripts/wrangler.ts';

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

/** Below the size limit of a command-line argument. */
const STATEMENT_MAX_ROWS = 200;

/**
 * Returns the SQL that gives a restored database the changes that were counted before the restore: the passes were issued on chain,
 * and no later publication counts them again. It keeps the restored numbers of active passes, which belong to the restored rows.
 */
export function restoreUsage(before: readonly UsageRow[], restored: readonly UsageRow[]): string[] {
  const same = new Set(restored.map(valuesOf));
  const values = before.map(valuesOf).filter((row) => !same.has(row));
  const count = Math.ceil(values.length / STATEMENT_MAX_ROWS);
  return Array.from({ length: count }, (_, index) => {
    const rows = values.slice(index * STATEMENT_MAX_ROWS, (index + 1) * STATEMENT_MAX_ROWS);
    return `INSERT INTO usage (gatekeeper_network, network, month, issued, renewed, revoked) VALUES ${rows.join(', ')}
      ON CONFLICT (gatekeeper_network, network, month) DO UPDATE SET
        issued = excluded.issued, renewed = excluded.renewed, revoked = excluded.revoked`;
  });
}

function valuesOf({ gatekeeper_network, network, month, issued, renewed, revoked }: UsageRow): string {
  return `('${gatekeeper_network}', '${network}', '${month}', ${issued}, ${renewed}, ${revoked})`;
}
