/** A gatekeeper network on one network. */
export type Pair = Pick<Absences, 'gatekeeperNetwork' | 'network'>;

/** What a run has counted for one gatekeeper network on one network. */
export interface Absences {
  readonly gatekeeperNetwork: string;
  readonly network: string;
  /** Passes that were compared with the chain. */
  readonly compared: number;
  /** Passes that seem to have lost their valid token. */
  readonly absent: number;
  /** Whether these are too many to change anything, and the operator has not accepted them. */
  readonly isHeld: boolean;
  /** How many the operator has accepted, in this run and the one before. */
  readonly accepted: number;
}

interface Row {
  gatekeeper_network: string;
  network: string;
  compared: number;
  absent: number;
  held: number;
  accepted: number;
}

/** The counts of a run. A hold of the run before is in force until the operator accepts it, and an acceptance still counts. */
const COUNTS = `
  SELECT gatekeeper_network, network, sum(iif(run = ?1, compared, 0)) AS compared, sum(iif(run = ?1, absent, 0)) AS absent,
    max(held) AS held, max(accepted) AS accepted
  FROM absences WHERE run BETWEEN ?1 - 1 AND ?1`;

/** Returns the counts of these pairs of gatekeeper network and network in a run. */
export async function absencesIn(db: D1Database, run: number, pairs: readonly Pair[]): Promise<Absences[]> {
  const asked = JSON.stringify(pairs.map(({ gatekeeperNetwork, network }) => [gatekeeperNetwork, network]));
  const query = `${COUNTS} AND (gatekeeper_network, network) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2))
    GROUP BY gatekeeper_network, network`;
  const { results } = await db.prepare(query).bind(run, asked).all<Row>();
  return results.map(absencesOf);
}

/** Held pairs that are shown. */
const MAX_HELD = 100;

/** Returns the held pairs of a run, for the operator. */
export async function heldAbsences(db: D1Database, run: number): Promise<Absences[]> {
  const query = `SELECT gatekeeper_network, network, max(compared) AS compared, max(absent) AS absent, 1 AS held, 0 AS accepted
    FROM absences WHERE run BETWEEN ?1 - 1 AND ?1 AND held GROUP BY gatekeeper_network, network LIMIT ${MAX_HELD}`;
  const { results } = await db.prepare(query).bind(run).all<Row>();
  return results.map(absencesOf);
}

/** Sets the counts of a run, if it is still at that position: a slice that is done twice counts once. */
export function storeAbsences(
  db: D1Database,
  { run, position }: { readonly run: number; readonly position: string },
  counts: readonly Absences[],
): D1PreparedStatement {
  const rows = counts.map((each) => [
    each.gatekeeperNetwork,
    each.network,
    each.compared,
    each.absent,
    each.isHeld ? 1 : 0,
  ]);
  const query = `
    INSERT INTO absences (run, gatekeeper_network, network, compared, absent, held)
    SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?3)
    WHERE EXISTS (SELECT 1 FROM reconciliations WHERE run = ?1 AND position = ?2 AND finished IS NULL)
    ON CONFLICT (run, gatekeeper_network, network) DO UPDATE SET
      compared = excluded.compared, absent = excluded.absent, held = excluded.held`;
  return db.prepare(query).bind(run, position, JSON.stringify(rows));
}

const ACCEPT = `
  UPDATE absences SET held = 0, accepted = counted.absent
  FROM (SELECT max(absent) AS absent FROM absences
    WHERE run BETWEEN ?1 - 1 AND ?1 AND gatekeeper_network = ?2 AND network = ?3 AND held) AS counted
  WHERE run BETWEEN ?1 - 1 AND ?1 AND gatekeeper_network = ?2 AND network = ?3 AND held`;

/** Accepts what a run and the one before counted there. Returns whether anything was held. */
export async function acceptAbsences(
  db: D1Database,
  run: number,
  { gatekeeperNetwork, network }: Pair,
): Promise<boolean> {
  const { meta } = await db.prepare(ACCEPT).bind(run, gatekeeperNetwork, network).run();
  return meta.changes > 0;
}

function absencesOf({ gatekeeper_network, network, compared, absent, held, accepted }: Row): Absences {
  return { gatekeeperNetwork: gatekeeper_network, network, compared, absent, isHeld: held > 0, accepted };
}
