import * as v from 'valibot';
import { type Milliseconds, nowSeconds, SECOND_MS, type UnixSeconds } from '../lib/units.ts';

/** Work in many slices: the reconciliation, which may take several nights, or the rebuild of a shard. Only its newest run is stored. */
export interface Run {
  /** The shard of a rebuild; empty for the reconciliation. */
  readonly subject: string;
  readonly run: number;
  readonly started: UnixSeconds;
  /** When a rebuild last made progress; the night in which the reconciliation last began or continued. */
  readonly updated: UnixSeconds;
  /** Null: not finished. */
  readonly finished: UnixSeconds | null;
  /** Where the next slice begins; null: at the beginning. After the last slice of a reconciliation, where the next run begins. */
  readonly position: string | null;
  /** Number of slices done; of the reconciliation, in that night. */
  readonly slices: number;
  readonly counts: Counts;
}

/** Number of findings by kind. */
export type Counts = Readonly<Record<string, number>>;

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

type Kind = 'reconciliation' | 'rebuild';
type Row = Omit<Run, 'counts'> & { readonly counts: string };

const Counted = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.number()));
const runOf = (row: Row): Run => ({ ...row, counts: v.parse(Counted, row.counts) });

const FIND = `
  SELECT subject, run, started, updated, finished, position, slices, counts FROM runs WHERE kind = ? ORDER BY subject`;
const find = (db: D1Database, kind: Kind) => db.prepare(FIND).bind(kind);

/** Returns the newest run of each subject. */
export async function findRuns(db: D1Database, kind: Kind): Promise<Run[]> {
  return (await find(db, kind).all<Row>()).results.map(runOf);
}

/** Returns the newest run of the reconciliation, or undefined if there was none. */
export async function lastRun(db: D1Database): Promise<Run | undefined> {
  return (await findRuns(db, 'reconciliation'))[0];
}

/** Begins a run of the reconciliation at the position that the last one left, or continues an unfinished one in another night. */
const OPEN = `
  INSERT INTO runs (kind, subject, started, updated) VALUES ('reconciliation', '', ?1, ?1)
  ON CONFLICT (kind, subject) DO UPDATE SET
    run = run + (finished IS NOT NULL), started = iif(finished IS NULL, started, ?1), updated = ?1, finished = NULL,
    slices = 0, counts = iif(finished IS NULL, counts, '{}')`;
const OPEN_IN_NIGHT = `${OPEN} WHERE updated < ?1`;
const BEGIN_NEXT = `${OPEN} WHERE finished IS NOT NULL`;
/** Only the counts of this run and the previous one still matter. */
const FORGET = `DELETE FROM absences WHERE run < (SELECT run FROM runs WHERE kind = 'reconciliation' AND subject = '') - 1`;

/** Returns the run of the reconciliation in that night; undefined if it is finished, or if a later night has begun. */
export async function runOfNight(db: D1Database, night: UnixSeconds): Promise<Run | undefined> {
  const run = await reconciliationAfter(db, [db.prepare(OPEN_IN_NIGHT).bind(night), db.prepare(FORGET)]);
  return run.updated === night && run.finished === null ? run : undefined;
}

/** An earlier part of the same network may have visited passes that changed after it began. */
const ADD_PART = `
  UPDATE runs SET position = json_set(coalesce(position, '{}'), '$.first', json((
    SELECT json_group_array(json(part)) FROM (
      SELECT value AS part FROM json_each(position, '$.first') WHERE value ->> 'network' <> ?1
      UNION ALL SELECT json_object('network', ?1, 'since', ?2)))))
  WHERE kind = 'reconciliation' AND subject = '' AND NOT EXISTS (SELECT 1 FROM json_each(position, '$.first')
    WHERE value ->> 'network' = ?1 AND value ->> 'since' >= ?2)`;

/**
 * Has the run visit the passes of a network before all others, and begins a run if none is unfinished. Does nothing if such a part
 * waits or has begun, and was asked for at that time or later. Returns the night of the run, for the message that starts it.
 * @param since Time at which the need was seen. The part visits every pass after it.
 */
export async function reconcileFirst(db: D1Database, network: string, since: Milliseconds): Promise<UnixSeconds> {
  const { updated } = await reconciliationAfter(db, [
    db.prepare(BEGIN_NEXT).bind(Math.floor(since / SECOND_MS)),
    db.prepare(ADD_PART).bind(network, since),
  ]);
  return updated;
}

async function reconciliationAfter(db: D1Database, changes: readonly D1PreparedStatement[]): Promise<Run> {
  const results = await db.batch<Row>([...changes, find(db, 'reconciliation')]);
  const [row] = results.at(-1)?.results ?? [];
  if (row === undefined) throw new Error('the database returned no row');
  return runOf(row);
}

/** Begins a rebuild of the shard, unless it has one and `replaces` is false. */
export async function beginRebuild(db: D1Database, shard: string, replaces: boolean): Promise<void> {
  const begin = `
    INSERT OR ${replaces ? 'REPLACE' : 'IGNORE'} INTO runs (kind, subject, started, updated) VALUES ('rebuild', ?1, ?2, ?2)`;
  await db.prepare(begin).bind(shard, nowSeconds()).run();
}

/** The result of a slice. */
interface DoneSlice {
  /** Added to those of the run. */
  readonly counts: Counts;
  /** Undefined keeps the position, and whether the run is finished. */
  readonly position?: string | null | undefined;
  /** When the run was finished. */
  readonly finished?: UnixSeconds | undefined;
}

const ADVANCE = `
  UPDATE runs SET slices = slices + 1, updated = max(updated, ?3), counts = json_patch(counts, (
      SELECT json_group_object(key, value + coalesce(runs.counts ->> key, 0)) FROM json_each(?4))),
    position = iif(?5, ?6, position), finished = iif(?5, ?7, finished)
  WHERE kind = ?1 AND subject = ?2 AND (?8 IS NULL OR run = ?8 AND position IS ?9 AND finished IS NULL)
  RETURNING counts`;

/** @param from Changes nothing unless the run is still there. */
function advance(
  db: D1Database,
  kind: Kind,
  { subject, updated }: Pick<Run, 'subject' | 'updated'>,
  { counts, position, finished }: DoneSlice,
  from?: Pick<Run, 'run' | 'position'>,
): D1PreparedStatement {
  const moves = position === undefined ? 0 : 1;
  const values = [updated, JSON.stringify(counts), moves, position ?? null, finished ?? null];
  return db.prepare(ADVANCE).bind(kind, subject, ...values, from?.run ?? null, from?.position ?? null);
}

/** Stores the result of a slice of a rebuild. Slices run in parallel, and one that is sent twice counts twice. */
export async function advanceRebuild(db: D1Database, shard: string, slice: DoneSlice): Promise<void> {
  await advance(db, 'rebuild', { subject: shard, updated: nowSeconds() }, slice).run();
}

/**
 * Stores the result of a slice of the reconciliation. Returns the counts of the run, or undefined if the slice was already done
 * elsewhere.
 */
export async function advanceRun(
  db: D1Database,
  run: Run,
  slice: DoneSlice,
  absences: readonly Absences[] = [],
): Promise<Counts | undefined> {
  const results = await db.batch<Pick<Row, 'counts'>>([
    ...(absences.length > 0 ? [db.prepare(STORE).bind(run.run, run.position, JSON.stringify(absences))] : []),
    advance(db, 'reconciliation', run, slice, run),
  ]);
  const [row] = results.at(-1)?.results ?? [];
  return row && v.parse(Counted, row.counts);
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

// A hold of the previous run stays in force until the operator accepts it. An acceptance in the previous run counts too.
const OF_PAIRS = `
  SELECT value ->> 'gatekeeperNetwork' AS gatekeeperNetwork, value ->> 'network' AS network,
    coalesce(own.compared, 0) AS compared, coalesce(own.absent, 0) AS absent,
    max(coalesce(own.held, 0), coalesce(previous.held, 0)) AS isHeld,
    max(coalesce(own.accepted, 0), coalesce(previous.accepted, 0)) AS accepted
  FROM json_each(?2)
    LEFT JOIN absences AS own ON own.run = ?1
      AND own.gatekeeper_network = value ->> 'gatekeeperNetwork' AND own.network = value ->> 'network'
    LEFT JOIN absences AS previous ON previous.run = ?1 - 1
      AND previous.gatekeeper_network = value ->> 'gatekeeperNetwork' AND previous.network = value ->> 'network'
  WHERE own.run IS NOT NULL OR previous.run IS NOT NULL`;

/** Returns the counts of a run for these pairs. It omits pairs that neither this run nor the previous one has counted. */
export async function absencesIn(db: D1Database, run: number, pairs: readonly Pair[]): Promise<Absences[]> {
  const asked = pairs.map(({ gatekeeperNetwork, network }) => ({ gatekeeperNetwork, network }));
  const found = await db
    .prepare(OF_PAIRS)
    .bind(run, JSON.stringify(asked))
    .all<Omit<Absences, 'isHeld'> & { readonly isHeld: number }>();
  return found.results.map((each) => ({ ...each, isHeld: each.isHeld > 0 }));
}

/** Maximum number of held pairs per answer. */
const MAX_HELD = 100;
const HELD = `
  SELECT gatekeeper_network AS gatekeeperNetwork, network, compared, absent FROM absences
  WHERE run IN (?1 - 1, ?1) AND held AND NOT EXISTS (SELECT 1 FROM absences AS other
    WHERE other.run IN (?1 - 1, ?1) AND other.gatekeeper_network = absences.gatekeeper_network
      AND other.network = absences.network AND other.held AND (other.absent, other.run) > (absences.absent, absences.run))
  ORDER BY run DESC LIMIT ${MAX_HELD}`;

/** Returns the held pairs with the larger counts of this run and the previous one, because this run may not have counted yet. */
export async function heldAbsences(db: D1Database, run: number): Promise<Omit<Absences, 'isHeld' | 'accepted'>[]> {
  return (await db.prepare(HELD).bind(run).all<Absences>()).results;
}

/**
 * Sets the counts of a run if it is still at that position, so a slice that runs twice counts once. If the operator accepted the losses after
 * the slice read the counts, only a higher number of absences holds the pair again.
 */
const STORE = `
  INSERT INTO absences (run, gatekeeper_network, network, compared, absent, held)
  SELECT ?1, value ->> 'gatekeeperNetwork', value ->> 'network', value ->> 'compared', value ->> 'absent',
    iif(now_accepted > value ->> 'accepted', value ->> 'absent' > now_accepted, value ->> 'isHeld')
  FROM (SELECT value, (SELECT max(accepted) FROM absences WHERE run IN (?1 - 1, ?1)
      AND gatekeeper_network = value ->> 'gatekeeperNetwork' AND network = value ->> 'network') AS now_accepted
    FROM json_each(?3))
  WHERE EXISTS (SELECT 1 FROM runs
    WHERE kind = 'reconciliation' AND subject = '' AND run = ?1 AND position IS ?2 AND finished IS NULL)
  ON CONFLICT (run, gatekeeper_network, network) DO UPDATE SET
    compared = excluded.compared, absent = excluded.absent, held = excluded.held`;

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
