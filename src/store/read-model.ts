import type { PassKey } from '../pass/pass.ts';
import type { PassState } from '../pass/vocabulary.ts';
import { type PassRow, passKeyOf } from './pass-row.ts';
import type { Publication, PublishedRow } from './passes.ts';

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
  readonly rows: readonly PublishedRow[];
  /** Undefined after the last row of the last shard. */
  readonly next: RowPlace | undefined;
}

const COLUMNS = 'gatekeeper_network, wallet, chain, network, id, state, version, record';
const PAGE = `
  SELECT ${COLUMNS} FROM passes NOT INDEXED WHERE (gatekeeper_network, id) > (?1, ?2)
  ORDER BY gatekeeper_network, id LIMIT ?3`;

/** Returns the rows after the given one, in the order of their primary key. */
export async function rowsAfter(db: D1Database, after: RowId | undefined, limit: number): Promise<PublishedRow[]> {
  const { results } = await db
    .prepare(PAGE)
    .bind(after?.gatekeeperNetwork ?? '', after?.id ?? '', limit)
    .all<Row>();
  return results.map(publishedRowOf);
}

const ONE = `
  SELECT ${COLUMNS} FROM passes INDEXED BY passes_by_wallet
  WHERE gatekeeper_network = ?1 AND wallet = ?2 AND chain = ?3 AND network = ?4`;

/** Returns the rows of these passes in the same order; undefined for a pass without a row. */
export async function rowsOf(db: D1Database, keys: readonly PassKey[]): Promise<(PublishedRow | undefined)[]> {
  if (keys.length === 0) return [];
  const one = db.prepare(ONE);
  const asked = keys.map((key) => one.bind(key.gatekeeperNetwork, key.wallet, key.chain, key.network));
  const answers = await db.batch<Row>(asked);
  return answers.map(({ results: [row] }) => row && publishedRowOf(row));
}

const CORRECT = `
  UPDATE passes INDEXED BY passes_by_wallet
  SET id = ?5, state = ?6, version = ?7, record = ?8, on_chain_state = ?10, valid_until = ?11
  WHERE gatekeeper_network = ?1 AND wallet = ?2 AND chain = ?3 AND network = ?4 AND version = ?9`;

/** Overwrites a row that has the version `seen`, even with a lower version, which a publication would not do. */
export async function correctRow(db: D1Database, publication: Publication, seen: number): Promise<void> {
  const { key, id, state, version, record, validity } = publication;
  const named = [key.gatekeeperNetwork, key.wallet, key.chain, key.network];
  await db
    .prepare(CORRECT)
    .bind(...named, id, state, version, record, seen, validity.onChainState, validity.until)
    .run();
}

interface Row extends PassRow {
  id: string;
  state: string;
  version: number;
  record: string;
}

function publishedRowOf({ id, state, version, record, ...row }: Row): PublishedRow {
  return { key: passKeyOf(row), id, state: state as PassState, version, record };
}
