import type { PassKey } from '../pass/pass.ts';
import type { PassState } from '../pass/vocabulary.ts';
import { answerInTime } from './d1-circuit-breaker.ts';

/** A pass as published to the read model. */
export interface Publication {
  readonly key: PassKey;
  /** Name of its shard; absent: the first one. */
  readonly shard?: string | undefined;
  readonly id: string;
  readonly state: PassState;
  readonly version: number;
  /** The record as JSON, exactly as GET returns it. */
  readonly record: string;
}

/**
 * Writes all passes of a batch in one statement, because every statement is work for the Worker and the database.
 *
 * SQLite rewrites each index that has a column in SET, even if the value does not change. So the first clause, for a row of the
 * same state, names no indexed column. The third clause is for a pass object that lost its storage and gave its wallet a new id.
 */
const PUBLISH = `
  INSERT INTO passes (gatekeeper_network, id, wallet, chain, network, state, version, record)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7
  FROM json_each(?) WHERE true
  ON CONFLICT (gatekeeper_network, state, id) DO UPDATE
    SET version = excluded.version, record = excluded.record WHERE excluded.version > version
  ON CONFLICT (gatekeeper_network, id) DO UPDATE
    SET state = excluded.state, version = excluded.version, record = excluded.record WHERE excluded.version > version
  ON CONFLICT (gatekeeper_network, wallet, chain, network) DO UPDATE
    SET id = excluded.id, state = excluded.state, version = excluded.version, handed_over = excluded.handed_over,
      record = excluded.record WHERE excluded.id > id`;
/** Maximum length of a bound value: D1 accepts two million bytes. */
const STATEMENT_MAX_CHARS = 500_000;

/** Background work can wait for the read model, but not indefinitely, because other work waits behind it. */
const WRITE_TIMEOUT_MS = 10_000;

/** Writes passes to a shard in one batch and returns D1's metadata. Throws if D1 does not answer. */
export async function publishPasses(
  db: Pick<D1Database, 'prepare' | 'batch'>,
  publications: readonly Publication[],
): Promise<D1Meta | undefined> {
  if (publications.length === 0) return undefined;
  const statement = db.prepare(PUBLISH);
  const batch = splitIntoTexts(publications).map((text) => statement.bind(text));
  const written = await answerInTime(db.batch(batch), WRITE_TIMEOUT_MS);
  return written.at(-1)?.meta;
}

/** Returns the rows as JSON arrays, split into texts within the maximum length. */
function splitIntoTexts(publications: readonly Publication[]): string[] {
  const rows = publications.map(({ key: { gatekeeperNetwork, wallet, chain, network }, id, state, version, record }) =>
    JSON.stringify([gatekeeperNetwork, id, wallet, chain, network, state, version, record]),
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

/** The columns that a read of one pass needs. */
export type FoundPass = Pick<Publication, 'id' | 'version' | 'record'>;

/** Names its index, so that the plan never becomes a scan. Without that index the statement fails. */
const FIND = `
  SELECT id, version, record FROM passes INDEXED BY passes_by_wallet
  WHERE gatekeeper_network = ?1 AND wallet = ?2 AND chain = ?3 AND network = ?4`;

/** Returns a pass from the read model, or undefined. Reads one row. */
export async function findPass(db: Pick<D1Database, 'prepare'>, key: PassKey): Promise<FoundPass | undefined> {
  const row = await db.prepare(FIND).bind(key.gatekeeperNetwork, key.wallet, key.chain, key.network).first<FoundPass>();
  return row ?? undefined;
}
