import type { PassKey } from '../pass/pass.ts';
import type { PassState } from '../pass/vocabulary.ts';
import { type PassRow, passKeyOf } from './pass-row.ts';
import { type Publication, validityColumns } from './passes.ts';
import { ADD_TO_MONTH, THIS_MONTH } from './usage.ts';

/** Reads and corrects rows of the read model for the comparison with the pass objects. */

/** The primary key of a row. */
export type RowId = { readonly gatekeeperNetwork: string; readonly id: string };

export function rowIdOf({ key: { gatekeeperNetwork }, id }: Pick<Publication, 'key' | 'id'>): RowId {
  return { gatekeeperNetwork, id };
}

/** A position in the order of all rows. */
export interface RowPlace {
  /** Undefined: the first shard. */
  readonly shard?: string | undefined;
  /** The last row before the position; undefined: the beginning of the shard. */
  readonly after?: RowId | undefined;
}

export interface RowPage {
  readonly rows: readonly Publication[];
  /** Undefined after the last row of the last shard. */
  readonly next: RowPlace | undefined;
}

const COLUMNS = 'gatekeeper_network, wallet, chain, network, id, state, version, record';
const PAGE = `
  SELECT ${COLUMNS} FROM passes NOT INDEXED WHERE (gatekeeper_network, id) > (?1, ?2)
  ORDER BY gatekeeper_network, id LIMIT ?3`;

/** Returns the rows after the given one, in the order of their primary key. */
export async function rowsAfter(db: D1Database, after: RowId | undefined, limit: number): Promise<Publication[]> {
  const { results } = await db
    .prepare(PAGE)
    .bind(after?.gatekeeperNetwork ?? '', after?.id ?? '', limit)
    .all<Row>();
  return results.map(publicationOfRow);
}

const ONE = `
  SELECT ${COLUMNS} FROM passes INDEXED BY passes_by_wallet
  WHERE gatekeeper_network = ?1 AND wallet = ?2 AND chain = ?3 AND network = ?4`;

/** Returns the rows of these passes in the same order; undefined for a pass without a row. */
export async function rowsOf(db: D1Database, keys: readonly PassKey[]): Promise<(Publication | undefined)[]> {
  if (keys.length === 0) return [];
  const one = db.prepare(ONE);
  const asked = keys.map((key) => one.bind(key.gatekeeperNetwork, key.wallet, key.chain, key.network));
  const answers = await db.batch<Row>(asked);
  return answers.map(({ results: [row] }) => row && publicationOfRow(row));
}

const CORRECT = `
  UPDATE passes INDEXED BY passes_by_wallet
  SET id = ?5, state = ?6, version = ?7, record = ?8, on_chain_state = ?10, valid_until = ?11, validity_version = ?12
  WHERE gatekeeper_network = ?1 AND wallet = ?2 AND chain = ?3 AND network = ?4 AND version = ?9`;

/** Overwrites a row that has the version `seen`, even with a lower version, which a publication would not do. */
export async function correctRow(db: D1Database, publication: Publication, seen: number): Promise<void> {
  const { key, id, state, version, record, validity } = publication;
  const named = [key.gatekeeperNetwork, key.wallet, key.chain, key.network];
  await db
    .prepare(CORRECT)
    .bind(...named, id, state, version, record, seen, ...validityColumns(version, validity))
    .run();
}

/** Counts the rows of a range whose state the usage does not reflect, because an earlier release wrote it. */
const RECOUNT = `
  INSERT INTO usage (gatekeeper_network, network, month, active)
  SELECT gatekeeper_network, network, ${THIS_MONTH}, sum((state = 'ACTIVE') - is_counted)
  FROM passes NOT INDEXED
  WHERE (gatekeeper_network, id) >= (?1, ?2) AND (gatekeeper_network, id) <= (?3, ?4) AND is_counted <> (state = 'ACTIVE')
  GROUP BY 1, 2${ADD_TO_MONTH}`;
const MARK_COUNTED = `
  UPDATE passes NOT INDEXED SET is_counted = (state = 'ACTIVE')
  WHERE (gatekeeper_network, id) >= (?1, ?2) AND (gatekeeper_network, id) <= (?3, ?4) AND is_counted <> (state = 'ACTIVE')`;

/** Corrects the number of active passes for the rows from the first to the last one, in the order of their primary key. */
export async function recountRows(db: D1Database, first: RowId, last: RowId): Promise<void> {
  const range = [first.gatekeeperNetwork, first.id, last.gatekeeperNetwork, last.id];
  await db.batch([db.prepare(RECOUNT).bind(...range), db.prepare(MARK_COUNTED).bind(...range)]);
}

interface Row extends PassRow {
  id: string;
  state: string;
  version: number;
  record: string;
}

function publicationOfRow({ id, state, version, record, ...row }: Row): Publication {
  return { key: passKeyOf(row), id, state: state as PassState, version, record };
}
