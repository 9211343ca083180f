import type { PassKey } from '../pass/pass.ts';
import type { PassState } from '../pass/vocabulary.ts';
import { answerInTime } from './d1-circuit-breaker.ts';

/** A pass as it is written to the read model. */
export interface Publication {
  readonly key: PassKey;
  /** Which database it is in; none: the first one. */
  readonly shard?: string | undefined;
  readonly id: string;
  readonly state: PassState;
  readonly version: number;
  /** The record as JSON, answered as it stands. */
  readonly record: string;
  /** The version before has the same state: where the row is of that one, no index has to be written. */
  readonly isStateUnchanged?: boolean;
}

/** All passes of a batch in one statement: each one is work for the Worker as well as for the database. */
const INSERT = `
  INSERT INTO passes (gatekeeper_network, wallet, chain, network, id, state, version, record)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7
  FROM json_each(?) WHERE true
  ON CONFLICT (gatekeeper_network, wallet, chain, network) DO UPDATE`;
/** The newer version stays, whichever comes last. A column of an index that is set is a row more, whatever it was before. */
const PUBLISH = `${INSERT}
  SET state = excluded.state, version = excluded.version, record = excluded.record WHERE excluded.version > version`;
const PUBLISH_SAME_STATE = `${INSERT}
  SET version = excluded.version, record = excluded.record
  WHERE excluded.version > version AND excluded.state = state RETURNING id`;
/** What is bound to a statement at most, in characters: D1 takes two million bytes. */
const STATEMENT_MAX_CHARS = 500_000;

/** Who settles passes can wait for the read model, but not for ever: others stand behind them. */
const WRITE_TIMEOUT_MS = 10_000;

/** Writes passes to a database of the read model in one batch. Throws when it does not answer. */
export async function publishPasses(
  db: Pick<D1Database, 'prepare' | 'batch'>,
  projections: readonly Publication[],
): Promise<void> {
  if (projections.length === 0) return;
  const statements = (sql: string, some: readonly Publication[]) =>
    splitIntoTexts(some).map((text) => db.prepare(sql).bind(text));
  const write = (some: D1PreparedStatement[]) => answerInTime(db.batch<{ id: string }>(some), WRITE_TIMEOUT_MS);
  const beside = projections.filter(({ isStateUnchanged }) => isStateUnchanged);
  const whole = projections.filter(({ isStateUnchanged }) => !isStateUnchanged);
  const written = await write([...statements(PUBLISH_SAME_STATE, beside), ...statements(PUBLISH, whole)]);
  // The row is newer than that, or of another state after all: a version in between has not come here.
  const done = new Set(beside.length === 0 ? [] : written.flatMap(({ results }) => results.map(({ id }) => id)));
  const left = beside.filter(({ id }) => !done.has(id));
  if (left.length > 0) await write(statements(PUBLISH, left));
}

/** The rows as JSON, in as many texts as are not too long. */
function splitIntoTexts(projections: readonly Publication[]): string[] {
  const rows = projections.map(({ key: { gatekeeperNetwork, wallet, chain, network }, id, state, version, record }) =>
    JSON.stringify([gatekeeperNetwork, wallet, chain, network, id, state, version, record]),
  );
  const parts: string[][] = [];
  let length = 0;
  for (const row of rows) {
    length += row.length;
    const part = parts.at(-1);
    if (part === undefined || length > STATEMENT_MAX_CHARS) {
      parts.push([row]);
      length = row.length;
    } else part.push(row);
  }
  return parts.map((part) => `[${part.join()}]`);
}

/** What a fetch needs of a row. */
export type FoundPass = Pick<Publication, 'id' | 'version' | 'record'>;

/** Returns a pass as the read model has it; undefined if it has none. Reads one row. */
export async function findPass(db: Pick<D1Database, 'prepare'>, key: PassKey): Promise<FoundPass | undefined> {
  const row = await db
    .prepare(
      'SELECT id, version, record FROM passes WHERE gatekeeper_network = ?1 AND wallet = ?2 AND chain = ?3 AND network = ?4',
    )
    .bind(key.gatekeeperNetwork, key.wallet, key.chain, key.network)
    .first<FoundPass>();
  return row ?? undefined;
}
