import * as v from 'valibot';
import { FIRST_SHARD } from '../../src/config/bindings.ts';
import type { Row } from '../../terminal/wrangler.ts';
import { statementsFor } from '../row-statements.ts';

/** The database of a gatekeeper network before a restore. */
export const Placement = v.object({ key: v.string(), shard: v.string() });
export type Placement = v.InferOutput<typeof Placement>;

/** In the first database. */
export const READ_PLACEMENTS = 'SELECT key, shard FROM gatekeeper_networks';
/** The moves from or to a database that have begun and not ended. */
export const READ_MOVES = `SELECT gatekeeper_network FROM moves WHERE phase NOT IN ('done', 'canceled', 'leaves') OR stage = 1`;

export const placementsIn = (rows: readonly Row[]): Placement[] => v.parse(v.array(Placement), rows);

/** The tables with rows of a gatekeeper network in its database. */
const TABLES = ['passes', 'events', 'feeds', 'usage', 'unsettled', 'removed_gatekeepers', 'issuers'];

/**
 * Returns the SQL that puts every gatekeeper network back where it was before the restore: the restored moment may be before a move, or in
 * the middle of it. A rebuild writes the rows of those that belong to the database. It loses those of others, and refuses new ones.
 */
export function restorePlacements(shard: string, placements: readonly Placement[]): string[] {
  const rowsOf = (some: readonly Placement[]) => some.map((each) => [each.key, each.shard]);
  const places = statementsFor(
    rowsOf(placements),
    (rows) =>
      `INSERT INTO gatekeeper_networks (key, shard) SELECT value ->> 0, value ->> 1 FROM json_each(${rows}) WHERE true
       ON CONFLICT (key) DO UPDATE SET shard = excluded.shard, moves = moves + 1 WHERE shard <> excluded.shard`,
  );
  return [
    ...(shard === FIRST_SHARD ? places : []),
    'DELETE FROM moves',
    ...statementsFor(
      rowsOf(placements.filter((each) => each.shard !== shard)),
      (rows) =>
        `INSERT INTO moves (gatekeeper_network, shard, step, stage, phase)
         SELECT value ->> 0, value ->> 1, 1000000 * unixepoch(), 2, 'leaves' FROM json_each(${rows})`,
    ),
    ...TABLES.map((table) => `DELETE FROM ${table} WHERE gatekeeper_network IN (SELECT gatekeeper_network FROM moves)`),
  ];
}
