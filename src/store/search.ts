import type { PassState } from '../pass/vocabulary.ts';

/** A partner's search within its own gatekeeper network. */
export interface Search {
  readonly gatekeeperNetwork: string;
  readonly state?: PassState | undefined;
  /** In its canonical form. */
  readonly wallet?: string | undefined;
  readonly limit: number;
  /** Number of rows to skip. The database reads them too, so this is for the first pages only. */
  readonly skip: number;
  /** Id of the last pass of the previous page. A page costs the same at any depth. */
  readonly after?: string | undefined;
}

/**
 * Returns records as JSON texts, newest first by id. The query walks the table or an index in the order of the result and reads
 * only the rows of the page. For a wallet it reads all passes of the wallet, at most one per network, and sorts them.
 */
export async function searchPasses(
  db: Pick<D1Database, 'prepare'>,
  search: Search,
  onMeta: (meta: D1Meta) => void = () => {},
): Promise<string[]> {
  const { sql, values } = searchStatement(search);
  const { results, meta } = await db
    .prepare(sql)
    .bind(...values)
    .all<{ record: string }>();
  onMeta(meta);
  return results.map(({ record }) => record);
}

function searchStatement({ gatekeeperNetwork, state, wallet, limit, skip, after }: Search) {
  const conditions: [sql: string, value: string | undefined][] = [
    ['gatekeeper_network = ?', gatekeeperNetwork],
    ['wallet = ?', wallet],
    ['state = ?', state],
    ['id < ?', after],
  ];
  const given = conditions.filter((condition): condition is [string, string] => condition[1] !== undefined);
  const where = given.map(([sql]) => sql).join(' AND ');
  // Name the index, so that the plan never becomes a scan. Without that index the statement fails.
  const sql = `SELECT record FROM passes ${indexFor(state, wallet)} WHERE ${where} ORDER BY id DESC LIMIT ? OFFSET ?`;
  return { sql, values: [...given.map(([, value]) => value), limit, skip] };
}

function indexFor(state: string | undefined, wallet: string | undefined): string {
  if (wallet !== undefined) return 'INDEXED BY passes_by_wallet';
  // A table without row ids is sorted by its primary key, which is the order of the result.
  return state === undefined ? 'NOT INDEXED' : 'INDEXED BY passes_by_state';
}
