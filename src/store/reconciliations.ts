import * as v from 'valibot';
import { type Absences, storeAbsences } from './absences.ts';

/** One run of the reconciliation, which may take several nights. */
export interface Run {
  readonly run: number;
  /** Unix seconds. */
  readonly started: number;
  readonly finished?: number | undefined;
  /** When it was begun or gone on with last: Unix seconds. */
  readonly night: number;
  /** How far it has come: JSON. */
  readonly position: string;
  /** How many slices were done this night. */
  readonly slices: number;
  readonly counts: Counts;
}

export type RunProgress = Pick<Run, 'position' | 'finished' | 'counts'>;

/** How often something was met, by what it was. */
export type Counts = Readonly<Record<string, number>>;

const RUN = 'run, started, finished, night, position, slices, counts';
const Counted = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.number()));

/** The newest run; undefined when there was none. */
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
/** Runs that are kept and shown. */
const MAX_RUNS = 30;

export async function beginRun(db: D1Database, run: number, night: number, position: string): Promise<void> {
  await db.batch([
    db.prepare(BEGIN).bind(run, night, position),
    db.prepare('DELETE FROM reconciliations WHERE run <= ?').bind(run - MAX_RUNS),
    // Only those of the run before still count.
    db.prepare('DELETE FROM absences WHERE run < ?').bind(run - 1),
  ]);
}

const CONTINUE = 'UPDATE reconciliations SET night = ?2, slices = 0 WHERE run = ?1 AND night < ?2';

/** Another night of a run that is not finished. */
export async function continueRun(db: D1Database, run: number, night: number): Promise<void> {
  await db.prepare(CONTINUE).bind(run, night).run();
}

const ADVANCE = `
  UPDATE reconciliations SET position = ?3, finished = ?4, counts = ?5, slices = slices + 1
  WHERE run = ?1 AND position = ?2 AND finished IS NULL`;

/** One slice further. False: somebody else has done that slice meanwhile. */
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
