import type { PassState } from '../pass/vocabulary.ts';

/** What a partner searches for, inside its own gatekeeper network. */
export interface Search {
  readonly gatekeeperNetwork: string;
  readonly state?: PassState | undefined;
  /** In its canonical form. */
  readonly wallet?: string | undefined;
  readonly limit: number;
  /** Reads as many rows more: for the first pages. */
  readonly skip: number;
  /** A position, exclusive: costs the same at any depth. */
  readonly after?: string | undefined;
}

/**
 * Records as JSON texts, newest first by id. A page walks an index in the order of the answer and reads its own rows; the
 * passes of a wallet, at most one per network, are read all and sorted.
 */
export async function searchPasses(db: Pick<D1Database, 'prepare'>, search: Search): Promise<string[]> {
  const { sql, values } = searchStatement(search);
  const { results } = await db
    .prepare(sql)
    .bind(...values)
    .all<{ record: string }>();
  return results.map(({ record }) => record);
}

/** What SQLite calls the primary key of the table. */
const PRIMARY_KEY = 'sqlite_autoindex_passes_1';

function searchStatement({ gatekeeperNetwork, state, wallet, limit, skip, after }: Search) {
  const conditions: [sql: string, value: string | undefined][] = [
    ['gatekeeper_network = ?', gatekeeperNetwork],
    ['wallet = ?', wallet],
    ['state = ?', state],
    ['id < ?', after],
  ];
  const given = conditions.filter((condition): condition is [string, string] => condition[1] !== undefined);
  const where = given.map(([sql]) => sql).join(' AND ');
  // The index is named so that a plan can never turn into a scan: without it the statement fails.
  const sql = `SELECT record FROM passes INDEXED BY ${indexFor(state, wallet)} WHERE ${where} ORDER BY id DESC LIMIT ? OFFSET ?`;
  return { sql, values: [...given.map(([, value]) => value), limit, skip] };
}

function indexFor(state: string | undefined, wallet: string | undefined): string {
  if (wallet !== undefined) return PRIMARY_KEY;
  return state === undefined ? 'passes_by_id' : 'passes_by_state';
}
