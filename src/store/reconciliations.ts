import * as v from 'valibot';
import { type Absences, storeAbsences } from './absences.ts';

/** A run of the reconciliation. It may take several nights. */
export interface Run {
  readonly run: number;
  /** Unix seconds. */
  readonly started: number;
  readonly finished?: number | undefined;
  /** When it last began or continued: Unix seconds. */
  readonly night: number;
  /** Position of the run: JSON. */
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

export type RunProgress = Pick<Run, 'position' | 'finished' | 'counts'>;

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
