import * as v from 'valibot';
import type { Row } from '../../terminal/wrangler.ts';
import { statementsFor } from '../row-statements.ts';

/** A gatekeeper network that has left the database, and its next database. */
export const Departure = v.object({ gatekeeper_network: v.string(), to_shard: v.string() });
export type Departure = v.InferOutput<typeof Departure>;

export const READ_DEPARTURES = 'SELECT gatekeeper_network, to_shard FROM departures WHERE has_left';
export const READ_ARRIVALS = 'SELECT gatekeeper_network FROM arrivals WHERE has_arrived';
/** The finished moves. */
export const READ_MOVES = { departures: READ_DEPARTURES, arrivals: READ_ARRIVALS };
/** Also the moves that have begun. A canceled one leaves no row. */
export const READ_ALL_MOVES = {
  departures: 'SELECT gatekeeper_network, to_shard FROM departures',
  arrivals: 'SELECT gatekeeper_network FROM arrivals',
};

export const departuresIn = (rows: readonly Row[]): Departure[] => v.parse(v.array(Departure), rows);

/**
 * Returns the SQL that repeats the finished moves in a restored database: passes that were created there would otherwise write there
 * again. A rebuild writes the rows of those that had arrived.
 */
export function restoreMoves(moves: {
  readonly departures: readonly Departure[];
  readonly arrivals: readonly string[];
}): string[] {
  return [
    ...statementsFor(
      moves.departures.map(({ gatekeeper_network, to_shard }) => [gatekeeper_network, to_shard]),
      (rows) =>
        `INSERT INTO departures (gatekeeper_network, to_shard, has_left)
         SELECT value ->> 0, value ->> 1, 1 FROM json_each(${rows}) WHERE true
         ON CONFLICT (gatekeeper_network) DO UPDATE SET to_shard = excluded.to_shard, has_left = 1`,
    ),
    ...statementsFor(
      moves.arrivals.map((key) => [key]),
      (rows) =>
        `UPDATE arrivals SET has_arrived = 1, phase = 'done'
         WHERE gatekeeper_network IN (SELECT value ->> 0 FROM json_each(${rows}))`,
    ),
  ];
}
