/** A gatekeeper network on one network. */
export type Pair = Pick<Absences, 'gatekeeperNetwork' | 'network'>;

/** Counts of a reconciliation run for one gatekeeper network on one network. */
export interface Absences {
  readonly gatekeeperNetwork: string;
  readonly network: string;
  /** Number of passes compared with the chain. */
  readonly compared: number;
  /** Number of passes that seem to have lost their valid token. */
  readonly absent: number;
  /** Whether the run changes nothing there, because the losses are too many and the operator has not accepted them. */
  readonly isHeld: boolean;
  /** Number of losses that the operator accepted in this run or the previous one. */
  readonly accepted: number;
}

interface Row {
  run: number;
  gatekeeper_network: string;
  network: string;
  compared: number;
  absent: number;
  held: number;
  accepted: number;
}

const COLUMNS = 'run, gatekeeper_network, network, compared, absent, held, accepted';
const OF_PAIRS = `
  SELECT ${COLUMNS} FROM json_each(?2) CROSS JOIN absences
  WHERE run IN (?1 - 1, ?1) AND gatekeeper_network = value ->> 0 AND network = value ->> 1`;

/** Returns the counts of a run for these pairs. It omits pairs that neither this run nor the previous one has counted. */
export async function absencesIn(db: D1Database, run: number, pairs: readonly Pair[]): Promise<Absences[]> {
  const asked = JSON.stringify(pairs.map(({ gatekeeperNetwork, network }) => [gatekeeperNetwork, network]));
  const { results } = await db.prepare(OF_PAIRS).bind(run, asked).all<Row>();
  return pairs.flatMap((pair) => {
    const rows = results.filter((row) => isOf(row, pair));
    return rows.length === 0 ? [] : [countsIn(run, pair, rows)];
  });
}

/** A hold of the previous run stays in force until the operator accepts it. An acceptance in the previous run counts too. */
function countsIn(run: number, { gatekeeperNetwork, network }: Pair, rows: readonly Row[]): Absences {
  const own = rows.find((row) => row.run === run);
  return {
    gatekeeperNetwork,
    network,
    compared: own?.compared ?? 0,
    absent: own?.absent ?? 0,
    isHeld: rows.some(({ held }) => held > 0),
    accepted: Math.max(...rows.map(({ accepted }) => accepted)),
  };
}

function isOf(row: Row, { gatekeeperNetwork, network }: Pair): boolean {
  return row.gatekeeper_network === gatekeeperNetwork && row.network === network;
}

/** Maximum number of held pairs per answer. */
const MAX_HELD = 100;
const HELD = `SELECT ${COLUMNS} FROM absences WHERE run IN (?1 - 1, ?1) AND held ORDER BY run DESC LIMIT ${2 * MAX_HELD}`;

/** Returns the held pairs with the larger counts of this run and the previous one, because this run may not have counted yet. */
export async function heldAbsences(db: D1Database, run: number): Promise<Omit<Absences, 'isHeld' | 'accepted'>[]> {
  const { results } = await db.prepare(HELD).bind(run).all<Row>();
  const byPair = Map.groupBy(results, ({ gatekeeper_network, network }) => `${gatekeeper_network}/${network}`);
  const held = [...byPair.values()].flatMap((rows) => rows.toSorted((a, b) => b.absent - a.absent)[0] ?? []);
  return held.slice(0, MAX_HELD).map(({ gatekeeper_network: gatekeeperNetwork, network, compared, absent }) => ({
    gatekeeperNetwork,
    network,
    compared,
    absent,
  }));
}

// If the operator accepted the losses after the slice read the counts, only a higher number of absences holds the pair again.
const STORE = `
  INSERT INTO absences (run, gatekeeper_network, network, compared, absent, held)
  SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3,
    iif(now_accepted > value ->> 5, value ->> 3 > now_accepted, value ->> 4)
  FROM (SELECT value, (SELECT max(accepted) FROM absences WHERE run IN (?1 - 1, ?1)
      AND gatekeeper_network = value ->> 0 AND network = value ->> 1) AS now_accepted FROM json_each(?3))
  WHERE EXISTS (SELECT 1 FROM reconciliations WHERE run = ?1 AND position = ?2 AND finished IS NULL)
  ON CONFLICT (run, gatekeeper_network, network) DO UPDATE SET
    compared = excluded.compared, absent = excluded.absent, held = excluded.held`;

/** Returns a statement that sets the counts of a run if it is still at that position, so a slice that runs twice counts once. */
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
    each.accepted,
  ]);
  return db.prepare(STORE).bind(run, position, JSON.stringify(rows));
}

const ACCEPT = `
  UPDATE absences SET held = 0, accepted = (SELECT max(absent) FROM absences AS counted
    WHERE counted.run IN (?1 - 1, ?1) AND counted.gatekeeper_network = ?2 AND counted.network = ?3)
  WHERE run IN (?1 - 1, ?1) AND gatekeeper_network = ?2 AND network = ?3 AND held`;

/** Accepts the losses that a run and the previous one counted for the pair. Returns whether the pair was held. */
export async function acceptAbsences(
  db: D1Database,
  run: number,
  { gatekeeperNetwork, network }: Pair,
): Promise<boolean> {
  const { meta } = await db.prepare(ACCEPT).bind(run, gatekeeperNetwork, network).run();
  return meta.changes > 0;
}
