import * as v from 'valibot';
import type { Milliseconds, UnixSeconds } from '../lib/units.ts';
import { SECOND_MS } from '../lib/units.ts';

/** A run of the reconciliation. It may take several nights. */
export interface Run {
  readonly run: number;
  /** Unix seconds. */
  readonly started: number;
  readonly finished?: number | undefined;
  /** When it last began or continued: Unix seconds. */
  readonly night: number;
  /** Position of the run: a JSON object. After the last slice, the position at which the next run begins. */
  readonly position: string;
  /** Number of slices done this night. */
  readonly slices: number;
  readonly counts: Counts;
}

/** The differences between the read model, a pass object and the chain, and how each is handled. Append-only. */
export const DIFFERENCES = [
  /** A row without a pass. The operator must decide. */
  'no-pass-object',
  /** For these three: the row is written again. */
  'row-missing',
  'row-stale',
  'row-altered',
  /** The pass lacked an alarm, and has one now. */
  'no-alarm',
  /** Others changed the token on chain, and the pass adopted the change. */
  'changed-on-chain',
] as const;
export type Difference = (typeof DIFFERENCES)[number];

type RunProgress = Pick<Run, 'position' | 'finished' | 'counts'>;

/** Number of findings by kind. */
export type Counts = Readonly<Record<string, number>>;

const RUN = 'run, started, finished, night, position, slices, counts';
const Counted = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.number()));

/** Returns the newest run, or undefined if there was none. */
export async function lastRun(db: D1Database): Promise<Run | undefined> {
  const row = await db
    .prepare(`SELECT ${RUN} FROM reconciliations WHERE run > 0 ORDER BY run DESC LIMIT 1`)
    .first<Omit<Run, 'counts' | 'finished'> & { counts: string; finished: number | null }>();
  return row === null
    ? undefined
    : { ...row, finished: row.finished ?? undefined, counts: v.parse(Counted, row.counts) };
}

const BEGIN = `
  INSERT INTO reconciliations (run, started, night, position, slices, counts) VALUES (?1, ?2, ?2, ?3, 0, '{}')
  ON CONFLICT (run) DO NOTHING`;
/** Number of runs that are stored and shown. */
const MAX_RUNS = 30;

export async function beginRun(db: D1Database, run: number, night: number, position: string): Promise<void> {
  await db.batch([
    db.prepare(BEGIN).bind(run, night, position),
    db.prepare('DELETE FROM reconciliations WHERE run <= ?').bind(run - MAX_RUNS),
    // Only the counts of this run and the previous one still matter.
    db.prepare('DELETE FROM absences WHERE run < ?').bind(run - 1),
  ]);
}

const NEWEST = 'run = (SELECT max(run) FROM reconciliations WHERE run > 0)';
/** Begins the next run, at the position that the last one left, unless a run is unfinished. */
const BEGIN_NEXT = `
  INSERT INTO reconciliations (run, started, night, position, slices, counts)
  SELECT coalesce((SELECT max(run) FROM reconciliations WHERE run > 0), 0) + 1, ?1, ?1,
    coalesce((SELECT position FROM reconciliations WHERE ${NEWEST}), '{}'), 0, '{}'
  WHERE NOT EXISTS (SELECT 1 FROM reconciliations WHERE ${NEWEST} AND finished IS NULL)`;
/** An earlier part of the same network may have visited passes that changed after it began. */
const ADD_PART = `
  UPDATE reconciliations SET position = json_set(position, '$.first', json((
    SELECT json_group_array(json(part)) FROM (
      SELECT value AS part FROM json_each(position, '$.first') WHERE value ->> 'network' <> ?1
      UNION ALL SELECT json_object('network', ?1, 'since', ?2)))))
  WHERE ${NEWEST} AND NOT EXISTS (SELECT 1 FROM json_each(position, '$.first')
    WHERE value ->> 'network' = ?1 AND value ->> 'since' >= ?2)`;

/**
 * Has the run visit the passes of a network before all others, and begins a run if none is unfinished. Does nothing if such a part
 * waits or has begun, and was asked for at that time or later. Returns the night of the run, for the message that starts it.
 * @param since Time at which the need was seen. The part visits every pass after it.
 */
export async function reconcileFirst(db: D1Database, network: string, since: Milliseconds): Promise<UnixSeconds> {
  const night = db.prepare(`SELECT night FROM reconciliations WHERE ${NEWEST}`);
  const results = await db.batch<{ night: UnixSeconds }>([
    db.prepare(BEGIN_NEXT).bind(Math.floor(since / SECOND_MS)),
    db.prepare(ADD_PART).bind(network, since),
    night,
  ]);
  const [row] = results.at(-1)?.results ?? [];
  if (row === undefined) throw new Error('the database returned no row');
  return row.night;
}

const CONTINUE = 'UPDATE reconciliations SET night = ?2, slices = 0 WHERE run = ?1 AND night < ?2';

/** Continues an unfinished run in another night. */
export async function continueRun(db: D1Database, run: number, night: number): Promise<void> {
  await db.prepare(CONTINUE).bind(run, night).run();
}

const ADVANCE = `
  UPDATE reconciliations SET position = ?3, finished = ?4, counts = ?5, slices = slices + 1
  WHERE run = ?1 AND position = ?2 AND finished IS NULL`;

/** Stores the result of a slice. Returns false if the slice was already done elsewhere. */
export async function advanceRun(
  db: D1Database,
  { run, position }: Run,
  next: RunProgress,
  absences: readonly Absences[] = [],
): Promise<boolean> {
  const values = [next.position, next.finished ?? null, JSON.stringify(next.counts)];
  const advance = db.prepare(ADVANCE).bind(run, position, ...values);
  const results = await db.batch([
    ...(absences.length > 0 ? [storeAbsences(db, { run, position }, absences)] : []),
    advance,
  ]);
  return (results.at(-1)?.meta.changes ?? 0) > 0;
}

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

interface AbsenceRow {
  run: number;
  gatekeeper_network: string;
  network: string;
  compared: number;
  absent: number;
  held: number;
  accepted: number;
}

const ABSENCE = 'run, gatekeeper_network, network, compared, absent, held, accepted';
const OF_PAIRS = `
  SELECT ${ABSENCE} FROM json_each(?2) CROSS JOIN absences
  WHERE run IN (?1 - 1, ?1) AND gatekeeper_network = value ->> 0 AND network = value ->> 1`;

/** Returns the counts of a run for these pairs. It omits pairs that neither this run nor the previous one has counted. */
export async function absencesIn(db: D1Database, run: number, pairs: readonly Pair[]): Promise<Absences[]> {
  const asked = JSON.stringify(pairs.map(({ gatekeeperNetwork, network }) => [gatekeeperNetwork, network]));
  const { results } = await db.prepare(OF_PAIRS).bind(run, asked).all<AbsenceRow>();
  return pairs.flatMap((pair) => {
    const rows = results.filter((row) => isOf(row, pair));
    return rows.length === 0 ? [] : [countsIn(run, pair, rows)];
  });
}

/** A hold of the previous run stays in force until the operator accepts it. An acceptance in the previous run counts too. */
function countsIn(run: number, { gatekeeperNetwork, network }: Pair, rows: readonly AbsenceRow[]): Absences {
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

function isOf(row: AbsenceRow, { gatekeeperNetwork, network }: Pair): boolean {
  return row.gatekeeper_network === gatekeeperNetwork && row.network === network;
}

/** Maximum number of held pairs per answer. */
const MAX_HELD = 100;
const HELD = `SELECT ${ABSENCE} FROM absences WHERE run IN (?1 - 1, ?1) AND held ORDER BY run DESC LIMIT ${2 * MAX_HELD}`;

/** Returns the held pairs with the larger counts of this run and the previous one, because this run may not have counted yet. */
export async function heldAbsences(db: D1Database, run: number): Promise<Omit<Absences, 'isHeld' | 'accepted'>[]> {
  const { results } = await db.prepare(HELD).bind(run).all<AbsenceRow>();
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
function storeAbsences(
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
