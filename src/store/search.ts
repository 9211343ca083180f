import type { PassKey } from '../pass/pass.ts';
import { PASS_STATES, type PassState } from '../pass/vocabulary.ts';

/** A partner's search within its own gatekeeper network. */
export interface Search {
  readonly gatekeeperNetwork: string;
  readonly state?: PassState | undefined;
  readonly on?: Pick<PassKey, 'chain' | 'network'> | undefined;
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
 * only the rows of the page. By network alone, it merges the five states, which are one such walk each. For a wallet it reads all
 * passes of the wallet, at most one per network, and sorts them.
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

function searchStatement({ gatekeeperNetwork, state, on, wallet, limit, skip, after }: Search) {
  const walked = on !== undefined && wallet === undefined && state === undefined ? PASS_STATES : [state];
  const conditions: readonly [sql: string, value: string | undefined][] = [
    ['gatekeeper_network = ?1', gatekeeperNetwork],
    ['wallet = ?2', wallet],
    ['chain = ?3', on?.chain],
    ['network = ?4', on?.network],
    ['id < ?5', after],
  ];
  const given = conditions.filter(([, value]) => value !== undefined).map(([sql]) => sql);
  const selects = walked.map((state, index) => {
    const where = [...given, ...(state === undefined ? [] : [`state = ?${8 + index}`])].join(' AND ');
    // Name the index, so that the plan never becomes a scan. Without that index the statement fails.
    return `SELECT id, record FROM passes ${indexFor({ state, on, wallet })} WHERE ${where}`;
  });
  const sql = `${selects.join(' UNION ALL ')} ORDER BY id DESC LIMIT ?6 OFFSET ?7`;
  const states = walked.filter((state) => state !== undefined);
  return { sql, values: [...conditions.map(([, value]) => value ?? null), limit, skip, ...states] };
}

function indexFor({ state, on, wallet }: Pick<Search, 'state' | 'on' | 'wallet'>): string {
  if (wallet !== undefined) return 'INDEXED BY passes_by_wallet';
  if (on !== undefined) return 'INDEXED BY passes_by_network';
  // A table without row ids is sorted by its primary key, which is the order of the result.
  return state === undefined ? 'NOT INDEXED' : 'INDEXED BY passes_by_state';
}
