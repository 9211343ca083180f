import type { PassKey } from '../pass/pass.ts';
import type { Standing } from '../pass/verdict.ts';
import { PASS_STATES, type PassState } from '../pass/vocabulary.ts';
import { limitHere } from './moved-networks.ts';
import { byKey, type Publication, valuesOf } from './passes.ts';
import { IS_VOID } from './validity.ts';

/** The reads of partners: one pass, and a search. */

/** A pass as its partner reads it, with the facts that decide whether it is valid. */
export interface FoundPass extends Pick<Publication, 'id' | 'version' | 'record' | 'state'> {
  readonly validity: Omit<Standing, 'state'>;
}

const FOUND = `id, version, record, state, on_chain_state AS onChainState, valid_until AS until, pending, ${IS_VOID}`;

interface FoundRow
  extends Pick<FoundPass, 'id' | 'version' | 'record' | 'state'>,
    Pick<Standing, 'onChainState' | 'until'> {
  readonly pending: number;
  readonly isVoid: number;
}

function foundOf({ id, version, record, state, pending, isVoid, ...rest }: FoundRow): FoundPass {
  return { id, version, record, state, validity: { ...rest, isPending: pending === 1, isVoid: isVoid === 1 } };
}

const FIND = byKey(FOUND);

/** Returns a pass from the read model, or undefined. Reads one row. */
export async function findPass(db: Pick<D1Database, 'prepare'>, key: PassKey): Promise<FoundPass | undefined> {
  const row = await db
    .prepare(FIND)
    .bind(...valuesOf(key))
    .first<FoundRow>();
  return row === null ? undefined : foundOf(row);
}

/** A partner's search within its own gatekeeper network. */
export interface Search {
  readonly gatekeeperNetwork: string;
  readonly state?: PassState | undefined;
  readonly on?: Pick<PassKey, 'chain' | 'network'> | undefined;
  /** In its canonical form. */
  readonly wallet?: string | undefined;
  /** It excludes the other conditions, because many passes may have the same one. */
  readonly reference?: string | undefined;
  readonly limit: number;
  /** Number of rows to skip. The database reads them too, so this is for the first pages only. */
  readonly skip: number;
  /** Id of the last pass of the previous page. A page costs the same at any depth. */
  readonly after?: string | undefined;
}

/**
 * Returns passes, newest first by id. The query walks the table or an index in the order of the result and reads
 * only the rows of the page. By network alone, it merges the five states, which are one such walk each. For a wallet it reads all
 * passes of the wallet, at most one per network, and sorts them.
 */
export async function searchPasses(
  db: Pick<D1Database, 'prepare'>,
  search: Search,
  onMeta: (meta: D1Meta) => void = () => {},
): Promise<FoundPass[]> {
  const { sql, values } = searchStatement(search);
  const { results, meta } = await db
    .prepare(sql)
    .bind(...values)
    .all<FoundRow>();
  onMeta(meta);
  return results.map(foundOf);
}

function searchStatement({ gatekeeperNetwork, state, on, wallet, reference, limit, skip, after }: Search) {
  const walked = on !== undefined && wallet === undefined && state === undefined ? PASS_STATES : [state];
  const conditions: readonly [sql: string, value: string | undefined][] = [
    ['gatekeeper_network = ?1', gatekeeperNetwork],
    ['wallet = ?2', wallet],
    ['chain = ?3', on?.chain],
    ['network = ?4', on?.network],
    ['id < ?5', after],
    ['reference = ?6', reference],
  ];
  const given = conditions.filter(([, value]) => value !== undefined).map(([sql]) => sql);
  const selects = walked.map((state, index) => {
    const where = [...given, ...(state === undefined ? [] : [`state = ?${9 + index}`])].join(' AND ');
    // Name the index, so that the plan never becomes a scan. Without that index the statement fails.
    return `SELECT ${FOUND} FROM passes ${indexFor({ state, on, wallet, reference })} WHERE ${where}`;
  });
  const sql = `${selects.join(' UNION ALL ')} ORDER BY id DESC LIMIT ${limitHere('?7')} OFFSET ?8`;
  const states = walked.filter((state) => state !== undefined);
  return { sql, values: [...conditions.map(([, value]) => value ?? null), limit, skip, ...states] };
}

function indexFor({ state, on, wallet, reference }: Pick<Search, 'state' | 'on' | 'wallet' | 'reference'>): string {
  if (reference !== undefined) return 'INDEXED BY passes_by_reference';
  if (wallet !== undefined) return 'INDEXED BY passes_by_wallet';
  if (on !== undefined) return 'INDEXED BY passes_by_network';
  // A table without row ids is sorted by its primary key, which is the order of the result.
  return state === undefined ? 'NOT INDEXED' : 'INDEXED BY passes_by_state';
}
