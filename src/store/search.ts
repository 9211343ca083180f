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
 * Records as JSON texts, newest first by id. A page walks the table or an index in the order of the answer and reads its own
 * rows. For a wallet it reads all the wallet's passes, at most one per network, and sorts them.
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
  // Naming the index keeps the plan from ever turning into a scan: without that index the statement fails.
  const sql = `SELECT record FROM passes ${indexFor(state, wallet)} WHERE ${where} ORDER BY id DESC LIMIT ? OFFSET ?`;
  return { sql, values: [...given.map(([, value]) => value), limit, skip] };
}

function indexFor(state: string | undefined, wallet: string | undefined): string {
  if (wallet !== undefined) return 'INDEXED BY passes_by_wallet';
  // The rows of a table without row ids are in the order of its primary key, which is the order of the answer.
  return state === undefined ? 'NOT INDEXED' : 'INDEXED BY passes_by_state';
}
