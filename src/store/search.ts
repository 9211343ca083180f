import type { UnixSeconds } from '../lib/units.ts';
import type { PassKey } from '../pass/pass.ts';
import type { Standing } from '../pass/verdict.ts';
import { PASS_STATES, type PassState } from '../pass/vocabulary.ts';
import { byKey, type Publication, valuesOf } from './passes.ts';
import { IS_VOID } from './validity.ts';
import { FOLDED_WALLET, walletIs } from './wallet-column.ts';

/** The reads of partners: one pass, and a search. */

/** A pass as its partner reads it, with the facts that decide whether it is valid. */
export interface FoundPass extends Pick<Publication, 'id' | 'version' | 'record' | 'state'> {
  readonly validity: Omit<Standing, 'state'>;
}

const FOUND = `id, version, record, state, on_chain_state AS onChainState, valid_until AS until, pending, ${IS_VOID} AS isVoid`;

interface FoundRow
  extends Pick<FoundPass, 'id' | 'version' | 'record' | 'state'>,
    Pick<Standing, 'onChainState' | 'until'> {
  readonly pending: number;
  readonly isVoid: number;
  /** Undefined: the id. */
  readonly place?: string;
}

function foundOf({ id, version, record, state, onChainState, until, pending, isVoid }: FoundRow): FoundPass {
  return {
    id,
    version,
    record,
    state,
    validity: { onChainState, until, isPending: pending === 1, isVoid: isVoid === 1 },
  };
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
  /** The beginning of a wallet, in any case. */
  readonly walletPrefix?: string | undefined;
  /** It excludes the other conditions, because many passes may have the same one. */
  readonly reference?: string | undefined;
  /** It excludes the other conditions too. */
  readonly subject?: string | undefined;
  /** Only passes in force whose last second is in this range (Unix). */
  readonly until?: { readonly from: UnixSeconds; readonly before?: UnixSeconds | undefined } | undefined;
  /** Whether others must not have taken access away. */
  readonly isUndisputed?: boolean | undefined;
  readonly isOldestFirst?: boolean | undefined;
  readonly limit: number;
  /** Number of passes to skip. The database reads them too, so this is for the first pages only. */
  readonly skip: number;
  /** The place after which the page begins. A page costs the same at any depth. */
  readonly after?: string | undefined;
  /** Whether to count the passes of all pages. */
  readonly counts?: boolean | undefined;
}

/** A page of a search. */
export interface FoundPasses {
  readonly passes: readonly FoundPass[];
  /** The place after this page. Undefined: it is the last one. */
  readonly next: string | undefined;
  /** Undefined: the search does not count. */
  readonly count: PassCount | undefined;
}

interface PassCount {
  readonly count: number;
  /** Whether there may be more. */
  readonly isMinimum: boolean;
}

/** A page ends after this number of rows, although it has fewer passes, because no index has every pair of conditions. */
const READ_MAX = 1_000;

/** Up to this number, skipping rows costs less than finding the first row of the page by the index alone. */
const SKIP_FEW = 100;

/**
 * Returns a page of passes: newest or oldest first by id, soonest end first if the search asks for an end, and by wallet for a prefix. The
 * query walks the table or an index in the order of the result. By network alone, it merges the five states, which are one such walk
 * each. For a wallet it reads all passes of the wallet, at most one per network, and sorts them. Without a condition that the index
 * lacks, it reads only the rows of the page.
 */
export async function searchPasses(
  db: Pick<D1Database, 'prepare'>,
  search: Search,
  onMeta: (meta: D1Meta) => void = () => {},
): Promise<FoundPasses> {
  const ask = ({ sql, values }: Statement) => db.prepare(sql).bind(...values);
  const [{ results: rows, meta }, counted] = await Promise.all([
    ask(pageOf(search)).all<FoundRow>(),
    search.counts ? ask(countOf(search)).first<Counted>() : undefined,
  ]);
  onMeta(meta);
  const end = rows.length < search.limit ? endOf(search) : undefined;
  const last = rows[search.limit - 1];
  const next = end === undefined ? (last?.place ?? last?.id) : await ask(end).first<string>('place');
  const count = counted && { count: Math.min(counted.count, READ_MAX), isMinimum: counted.walked > READ_MAX };
  return { passes: rows.map(foundOf), next: next ?? undefined, count: count ?? undefined };
}

interface Counted {
  readonly walked: number;
  readonly count: number;
}

interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

type Bind = (value: unknown) => string;

/** Returns the statement that `write` makes of a walk, with the values that both bind. */
function statementOf(search: Search, write: (walk: Walk, bind: Bind) => string): Statement {
  const values: unknown[] = [search.gatekeeperNetwork];
  const bind: Bind = (value) => `?${values.push(value)}`;
  return { sql: write(walkOf(search, bind), bind), values };
}

const pageOf = (search: Search) =>
  statementOf(search, (walk, bind) => {
    const { further } = walk;
    const columns = walk.place === 'id' ? FOUND : `${FOUND}, ${walk.place} AS place`;
    const limit = bind(search.limit);
    const page = search.skip === 0 ? '' : ` OFFSET ${bind(search.skip)}`;
    if (further.length > 0) {
      const read = `${sortedRows('*', walk)} LIMIT ${READ_MAX}`;
      return `SELECT ${columns} FROM (${read}) AS passes WHERE ${further.join(' AND ')} LIMIT ${limit}${page}`;
    }
    if (search.skip <= SKIP_FEW || walk.fromFirst === undefined)
      return `${sortedRows(columns, walk)} LIMIT ${limit}${page}`;
    // The index alone finds the first row. Otherwise the database would read the record of every row that the page skips.
    const first = `WITH first AS MATERIALIZED (${sortedRows('id', walk)} LIMIT 1${page})`;
    return `${first} ${sortedRows(columns, { ...walk, beyond: [walk.fromFirst] })} LIMIT ${limit}`;
  });

const countOf = (search: Search) =>
  statementOf({ ...search, after: undefined }, (walk) => {
    const read = `${rowsIn('*', walk)} LIMIT ${READ_MAX + 1}`;
    return `SELECT count(*) AS walked, total(${walk.further.join(' AND ') || 'true'}) AS count FROM (${read}) AS passes`;
  });

/** Returns the statement that finds the place at which a page has read enough; undefined: it reads no row beside its own. */
const endOf = (search: Search) => {
  const statement = statementOf(search, (walk) =>
    walk.further.length === 0 ? '' : `${sortedRows(`${walk.place} AS place`, walk)} LIMIT 1 OFFSET ${READ_MAX - 1}`,
  );
  return statement.sql === '' ? undefined : statement;
};

const rowsIn = (columns: string, { index, within, beyond }: Walk) =>
  within
    .map((each) => ['gatekeeper_network = ?1', ...each, ...beyond].join(' AND '))
    .map((conditions) => `SELECT ${columns} FROM passes ${index} WHERE ${conditions}`)
    .join(' UNION ALL ');

const sortedRows = (columns: string, walk: Walk) => `${rowsIn(columns, walk)} ORDER BY ${walk.order.join()}`;

const STATES = `
  SELECT ${PASS_STATES.map((state) => `sum(state = '${state}') AS ${state}`).join()}
  FROM passes INDEXED BY passes_by_subject WHERE gatekeeper_network = ?1 AND subject = ?2`;

/** Returns the number of passes of a subject by their state, without zeros. Reads an entry of the index for each. */
export async function countStates(
  db: Pick<D1Database, 'prepare'>,
  { gatekeeperNetwork, subject }: { readonly gatekeeperNetwork: string; readonly subject: string },
): Promise<Readonly<Record<string, number>>> {
  const counts = await db.prepare(STATES).bind(gatekeeperNetwork, subject).first<Record<string, number | null>>();
  return Object.fromEntries(Object.entries(counts ?? {}).flatMap(([state, count]) => (count ? [[state, count]] : [])));
}

/** A walk through an index in the order of the result. */
interface Walk {
  /** Named, so that the plan never becomes a scan. Without that index the statement fails. */
  readonly index: string;
  readonly order: readonly string[];
  /** The values of the columns of the order, as a text. */
  readonly place: string;
  /** The conditions that the index has. More than one list: the walk merges them. */
  readonly within: readonly (readonly string[])[];
  /** The condition that the row is after the given place. */
  readonly beyond: readonly string[];
  /** The condition that a walk by id is at the row `first`, or after it; undefined: the walk has another order. */
  readonly fromFirst: string | undefined;
  /** The conditions that it lacks. */
  readonly further: readonly string[];
}

const ORDER_BY_WALLET = [FOLDED_WALLET, 'wallet', 'chain', 'network'];

function walkOf(search: Search, bind: Bind): Walk {
  const { state, on, wallet, walletPrefix, reference, subject, until, isUndisputed, isOldestFirst, after } = search;
  // The index of networks lacks the chain: no two chains have a network of the same name.
  const isByNetwork = (walletPrefix ?? wallet ?? until ?? reference ?? subject) === undefined;
  const onNetwork =
    on === undefined ? [] : [`network = ${bind(on.network)}`, ...(isByNetwork ? [] : [`chain = ${bind(on.chain)}`])];
  const inState = state === undefined ? [] : [`state = ${bind(state)}`];
  const others = [...onNetwork, ...inState, ...(isUndisputed ? ['pending = 0', `NOT ${IS_VOID}`] : [])];
  const order = walletPrefix === undefined ? [...(until ? ['in_force_until'] : []), 'id'] : ORDER_BY_WALLET;
  const isDescending = order.length === 1 && !isOldestFirst;
  const place = after?.split('.') ?? [];
  // The plan begins at the first bound of the index, so that must be the place of the page.
  const [begin] = place;
  const from = until && (order.length === 2 ? Math.max(until.from, Number(begin ?? 0)) : until.from);
  const ends = [
    ...(from === undefined ? [] : [`in_force_until >= ${bind(from)}`]),
    ...(until?.before === undefined ? [] : [`in_force_until < ${bind(until.before)}`]),
  ];
  const beyond =
    place.length === 0 ? [] : [`(${order.join()}) ${isDescending ? '<' : '>'} (${place.map(bind).join()})`];
  const walk = (index: string, within: readonly (readonly string[])[], further: readonly string[] = []): Walk => ({
    index,
    order: order.map((column) => (isDescending ? `${column} DESC` : column)),
    place: order.join(" || '.' || "),
    within,
    beyond,
    fromFirst: order.length === 1 ? `id ${isDescending ? '<=' : '>='} (SELECT id FROM first)` : undefined,
    further,
  });
  if (walletPrefix !== undefined) {
    const isBeyond = begin !== undefined && begin.toLowerCase() > walletPrefix.toLowerCase();
    // No wallet has a character after '~'.
    const [first, end] = [bind(isBeyond ? begin : walletPrefix), bind(`${walletPrefix}~`)];
    const within = [`${FOLDED_WALLET} >= ${first}`, `${FOLDED_WALLET} < ${end}`];
    return walk('INDEXED BY passes_by_wallet', [within], [...ends, ...others]);
  }
  if (wallet !== undefined) return walk('INDEXED BY passes_by_wallet', [[walletIs(bind(wallet)), ...ends, ...others]]);
  if (until !== undefined) return walk('INDEXED BY passes_by_end', [ends], others);
  if (reference !== undefined) return walk('INDEXED BY passes_by_reference', [[`reference = ${bind(reference)}`]]);
  if (subject !== undefined) return walk('INDEXED BY passes_by_subject', [[`subject = ${bind(subject)}`]]);
  if (on !== undefined) {
    const states = state === undefined ? PASS_STATES.map((each) => [`state = ${bind(each)}`]) : [inState];
    const within = states.map((each) => [...onNetwork, ...each]);
    return walk('INDEXED BY passes_by_network', within);
  }
  // A table without row ids is sorted by its primary key, which is the order of the result.
  return walk(state === undefined ? 'NOT INDEXED' : 'INDEXED BY passes_by_state', [inState]);
}
