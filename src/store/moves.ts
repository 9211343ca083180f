import { SECOND_MS } from '../lib/units.ts';
import { changeShard, countMoves } from './partner-changes.ts';
import { STATEMENT_MAX_CHARS } from './passes.ts';
import { findShard } from './placements.ts';
import { findRuns, type Run } from './runs.ts';
import { askAllShards, type Databases, shardOf } from './shards.ts';

/**
 * All statements of a move of a gatekeeper network from one shard, the source, to another one, the target. The source refuses publications
 * meanwhile, so the rows stand still: the move copies them in slices, compares them, switches, and deletes the old ones. Each slice is
 * stored with the place that it reaches, in one commit of the target, so a slice that is repeated or late changes nothing.
 */

/** The row of a move in the target. Its first column has the same meaning in the row of the source, whose phase is `leaves`. */
export interface Move {
  readonly gatekeeper_network: string;
  /** The other shard. */
  readonly shard: string;
  readonly step: number;
  readonly stage: 0 | 1 | 2;
  /** `settle`: every isolate learns the new shard. `rest`: deletes the rows of the source, and `clear` and `cancel` those of the target. */
  readonly phase:
    | 'clear'
    | 'copy'
    | 'compare'
    | 'switch'
    | 'settle'
    | 'rest'
    | 'done'
    | 'cancel'
    | 'canceled'
    | 'leaves';
  readonly place: string;
  readonly passes: number;
  readonly events: number;
  readonly started: number;
  readonly updated: number;
}

/** After the switch, an isolate may read the old shard for a minute, and a request for some seconds more. Nothing is published meanwhile. */
const SETTLE_SECONDS = 90;
/** Other queries of the database wait for a slice. */
const SLICE_MAX_ROWS = 500;
/** A comparison reads less of each row. */
const COMPARED_ROWS = 10;
const PAUSE_MS = SECOND_MS / 4;
const CANCELABLE: readonly Move['phase'][] = ['clear', 'copy', 'compare'];
const ENDS: readonly Move['phase'][] = ['done', 'canceled'];

/** The tables that move, the columns that order the rows of a gatekeeper network, and those that a comparison reads. */
const TABLES = [
  { name: 'passes', key: ['id'], compared: 'id, state, version, events_in_feed, length(record) AS size' },
  { name: 'events', key: ['sequence'], compared: 'sequence, type, length(body) AS size' },
  { name: 'usage', key: ['network', 'month'], compared: '*' },
  { name: 'unsettled', key: ['wallet', 'chain', 'network'], compared: '*' },
  // A trigger may name the contract.
  { name: 'removed_gatekeepers', key: ['network', 'gatekeeper'], compared: 'network, gatekeeper' },
  { name: 'issuers', key: ['network', 'gatekeeper'], compared: '*' },
] as const;
type Table = (typeof TABLES)[number];
/** One row, whose webhooks may change until the switch copies it. */
const FEEDS = 'feeds';

/** The databases of a move. */
interface Sides {
  readonly source: D1Database;
  readonly target: D1Database;
  readonly first: D1Database;
  /** The name of the target. */
  readonly to: string;
  /** Maximum number of rows of a table in a slice. */
  readonly maxRows: number;
}

type Row = Readonly<Record<string, unknown>>;

const OF_NETWORK = 'WHERE gatekeeper_network = ?1';

const findMove = (db: D1Database, key: string): Promise<Move | null> =>
  db.prepare(`SELECT * FROM moves ${OF_NETWORK}`).bind(key).first<Move>();

/** Ends the wait of the source, while its row is that of this move: a late statement does nothing to the next move. */
const setSource = (
  { source, to }: Sides,
  { gatekeeper_network: key, step }: Move,
  { step: after, stage, phase }: Pick<Move, 'step' | 'stage' | 'phase'>,
) =>
  source
    .prepare(`UPDATE moves SET step = ?4, stage = ?5, phase = ?6, updated = unixepoch()
      ${OF_NETWORK} AND shard = ?2 AND step < ?3 AND stage = 1 AND phase = 'leaves'`)
    .bind(key, to, step, after, stage, phase)
    .run();

/** The condition that the move is still at a place. Its values are the last two that a statement binds. */
const isAt = (first: number) =>
  `EXISTS (SELECT 1 FROM moves WHERE gatekeeper_network = ?${first} AND step = ?${first + 1})`;

/** Stores a slice and the place after it in one commit, which lifts the refusal for itself. Returns undefined if the move has left the place. */
async function store(
  target: D1Database,
  move: Move,
  next: Partial<Move>,
  statements: readonly D1PreparedStatement[] = [],
): Promise<Move | undefined> {
  const { gatekeeper_network: key, step } = move;
  const after = { ...move, ...next, step: step + 1 };
  const { stage, phase, place, passes, events } = after;
  const results = await target.batch([
    target.prepare(`UPDATE moves SET stage = 0 ${OF_NETWORK} AND step = ?2`).bind(key, step),
    ...statements,
    target
      .prepare(`UPDATE moves SET step = step + 1, stage = ?3, phase = ?4, place = ?5, passes = ?6, events = ?7, updated = unixepoch()
        ${OF_NETWORK} AND step = ?2`)
      .bind(key, step, stage, phase, place, passes, events),
  ]);
  return results.at(-1)?.meta.changes === 0 ? undefined : after;
}

/**
 * Whether the source still has this move, at that stage. If not, but the move is at the place, then passes may have been published: the copy
 * must not be used, and this throws. False: the move has left the place.
 */
async function isFenced({ source, target, to }: Sides, move: Move, stage: Move['stage']): Promise<boolean> {
  const { gatekeeper_network: key, step } = move;
  const left = await findMove(source, key);
  if (left?.phase === 'leaves' && left.shard === to && left.stage === stage && left.step <= step) return true;
  if ((await store(target, move, { phase: 'compare', place: JSON.stringify(FIRST_PLACE) })) === undefined) return false;
  throw new Error(`the passes of ${key} no longer wait for this move: cancel the move`);
}

/** Returns the statements that write rows, with whatever columns they have: a later release may add some. */
function putRows(target: D1Database, { gatekeeper_network, step }: Move, table: string, rows: readonly Row[]) {
  const columns = Object.keys(rows[0] ?? {});
  const put = target.prepare(
    `INSERT OR REPLACE INTO ${table} (${columns.join()}) SELECT ${columns.map((name) => `value ->> '$.${name}'`).join()}
     FROM json_each(?1) WHERE ${isAt(2)}`,
  );
  const texts: string[][] = [];
  let left = 0;
  for (const text of rows.map((row) => JSON.stringify(row))) {
    left -= text.length;
    if (left < 0) {
      texts.push([]);
      left = STATEMENT_MAX_CHARS - text.length;
    }
    texts.at(-1)?.push(text);
  }
  return texts.map((each) => put.bind(`[${each.join()}]`, gatekeeper_network, step));
}

/** Returns the statement that deletes a slice of a table, if the condition holds, which may bind values from ?2 on. */
function deleteSlice(db: D1Database, table: string, key: readonly string[], maxRows: number, condition: string) {
  const columns = key.length === 0 ? 'gatekeeper_network' : key.join();
  const slice = `SELECT ${columns} FROM ${table} NOT INDEXED ${OF_NETWORK} LIMIT ${maxRows}`;
  return db.prepare(`DELETE FROM ${table} ${OF_NETWORK} AND (${columns}) IN (${slice}) AND ${condition}`);
}

/** Deletes a slice of all tables. Returns whether rows may be left. */
async function deleteRows(db: D1Database, maxRows: number, condition: string, ...values: unknown[]): Promise<boolean> {
  const statements = [...TABLES, { name: FEEDS, key: [] }].map(({ name, key }) =>
    deleteSlice(db, name, key, maxRows, condition).bind(...values),
  );
  return (await db.batch(statements)).some(({ meta }) => meta.changes >= maxRows);
}

/** The number of the table that a move has reached, and the key of the last row before the place; none: its beginning. */
type Place = readonly [table: number, ...after: (string | number)[]];
const FIRST_PLACE: Place = [0];

/** Returns the rows after a place, in the order of their keys. */
async function rowsAt(db: D1Database, key: string, [table, ...after]: Place, columns: string, maxRows: number) {
  const { name, key: order } = TABLES[table] as Table;
  const beyond =
    after.length === 0 ? '' : `AND (${order.join()}) > (${after.map((_, index) => `?${index + 2}`).join()})`;
  const sql = `SELECT ${columns} FROM ${name} NOT INDEXED ${OF_NETWORK} ${beyond} ORDER BY ${order.join()} LIMIT ${maxRows}`;
  return (
    await db
      .prepare(sql)
      .bind(key, ...after)
      .all<Row>()
  ).results;
}

/** Returns the place after a slice; undefined after the last one. */
function placeAfter([table]: Place, rows: readonly Row[], maxRows: number): Place | undefined {
  const { key } = TABLES[table] as Table;
  const last = rows.length < maxRows ? undefined : rows.at(-1);
  if (last !== undefined) return [table, ...key.map((column) => last[column] as string | number)];
  return table + 1 < TABLES.length ? [table + 1] : undefined;
}

/** Copies the next slice. */
async function copySlice({ source, target, maxRows }: Sides, move: Move): Promise<Move | undefined> {
  const place: Place = JSON.parse(move.place);
  const { name } = TABLES[place[0]] as Table;
  const rows = await rowsAt(source, move.gatekeeper_network, place, '*', maxRows);
  const next = placeAfter(place, rows, maxRows);
  const counted = name === 'passes' || name === 'events' ? { [name]: move[name] + rows.length } : {};
  const then = { place: JSON.stringify(next ?? FIRST_PLACE), ...(next === undefined && { phase: 'compare' as const }) };
  return store(target, move, { ...counted, ...then }, rows.length > 0 ? putRows(target, move, name, rows) : []);
}

/** Compares the next slice. Throws if the copy differs: the move can be canceled. */
async function compareSlice(sides: Sides, move: Move): Promise<Move | undefined> {
  const { source, target, maxRows } = sides;
  const place: Place = JSON.parse(move.place);
  const { name, compared } = TABLES[place[0]] as Table;
  const limit = COMPARED_ROWS * maxRows;
  const [rows, copies] = await Promise.all(
    [source, target].map((db) => rowsAt(db, move.gatekeeper_network, place, compared, limit)),
  );
  if (JSON.stringify(rows) !== JSON.stringify(copies))
    throw new Error(`the copy of ${move.gatekeeper_network} in ${name} differs: cancel the move`);
  const next = placeAfter(place, rows ?? [], limit);
  if (next !== undefined) return store(target, move, { place: JSON.stringify(next) });
  return (await isFenced(sides, move, 1)) ? store(target, move, { phase: 'switch' }) : undefined;
}

/** A feed without a row begins after the row '' of a restored shard, which the target does not have. */
const KEEP_FLOOR = `
  INSERT INTO ${FEEDS} (gatekeeper_network, sequence)
  SELECT ?1, sequence FROM ${FEEDS} WHERE gatekeeper_network = '' AND ${isAt(1)} ON CONFLICT DO NOTHING`;

/** Ends the changes of webhooks in the source, copies the feed with them, and names the target in the row of the gatekeeper network. */
async function switchOver(sides: Sides, move: Move): Promise<Move | undefined> {
  const { source, target, first, to } = sides;
  const { gatekeeper_network: key, shard, step } = move;
  await setSource(sides, move, { step, stage: 2, phase: 'leaves' });
  // Read before the row of the source, so the number is of this move. Undefined: a killed request has named the target.
  const moves = await countMoves(first, key, shard);
  if (moves !== undefined && !(await isFenced(sides, move, 2))) return undefined;
  await source.prepare(KEEP_FLOOR).bind(key, step).run();
  const { results } = await source.prepare(`SELECT * FROM ${FEEDS} ${OF_NETWORK}`).bind(key).all<Row>();
  if (results.length > 0) await target.batch(putRows(target, move, FEEDS, results));
  if (moves !== undefined) await changeShard(first, key, moves, shard, to);
  return store(target, move, { phase: 'settle', stage: 1 });
}

/** Does the next slice of a move. Returns undefined if another request has done it. */
async function moveSlice(sides: Sides, move: Move): Promise<Move | undefined> {
  const { source, target, maxRows } = sides;
  const { gatekeeper_network: key, phase, step } = move;
  if (phase === 'copy') return copySlice(sides, move);
  if (phase === 'compare') return compareSlice(sides, move);
  if (phase === 'switch') return switchOver(sides, move);
  if (phase === 'settle') {
    const isOver = move.updated + SETTLE_SECONDS <= Date.now() / SECOND_MS;
    return isOver ? store(target, move, { phase: 'rest', stage: 0 }) : move;
  }
  if (phase === 'rest') {
    // Each later move has a higher step.
    const hasLeft = `EXISTS (SELECT 1 FROM moves ${OF_NETWORK} AND stage = 2 AND phase = 'leaves' AND step < ?2)`;
    return (await deleteRows(source, maxRows, hasLeft, key, step)) ? move : store(target, move, { phase: 'done' });
  }
  // Publications continue at once. The step is higher than that of any request for the move which has begun before.
  if (phase === 'cancel') await setSource(sides, move, { step: Math.max(step, stepNow()), stage: 0, phase: 'done' });
  if (await deleteRows(target, maxRows, isAt(1), key, step)) return move;
  return store(target, move, { phase: phase === 'clear' ? 'copy' : 'canceled' });
}

/**
 * Why a gatekeeper network is not moved: it has no row; it moves to another shard, or an earlier move has not ended; it does not move, or
 * is in the shard; one of the two shards is being rebuilt; the shard has no room.
 */
export type MoveRefusal = 'unknown' | 'elsewhere' | 'idle' | 'rebuilt' | 'full';

/** A request to move a gatekeeper network, or to cancel its move. */
export interface MoveRequest {
  readonly gatekeeperNetwork: string;
  readonly to: string;
  readonly cancel?: boolean | undefined;
}

/** No two moves have the same step. */
const stepNow = () => 1000 * Date.now();

/** One commit of the source begins the move and ends its publications. */
const LEAVE = `
  INSERT INTO moves (gatekeeper_network, shard, step, stage, phase) VALUES (?1, ?2, ?3, 1, 'leaves')
  ON CONFLICT (gatekeeper_network) DO UPDATE SET shard = excluded.shard, step = excluded.step, stage = 1, phase = 'leaves'
  WHERE stage = 0 AND phase = 'done' AND excluded.step > step`;
const ARRIVE = `
  INSERT INTO moves (gatekeeper_network, shard, step, stage, phase) VALUES (?1, ?2, ?3, 2, 'clear')
  ON CONFLICT (gatekeeper_network) DO UPDATE SET shard = excluded.shard, step = excluded.step, stage = 2, phase = 'clear',
    place = '[0]', passes = 0, events = 0, started = excluded.started, updated = excluded.updated
  WHERE excluded.step > step`;

/** Returns the place of the move that is asked for. Begins the move if it has not begun, also after an interruption. */
async function findOrBegin(
  databases: Databases,
  { gatekeeperNetwork: key, to, cancel = false }: MoveRequest,
): Promise<Move | MoveRefusal> {
  const [{ db: first }, { db: target }] = [shardOf(databases), shardOf(databases, to)];
  const from = await findShard(first, key);
  if (from === undefined) return 'unknown';
  const { db: source } = shardOf(databases, from);
  const move = await findMove(target, key);
  const isOver = move === null || move.phase === 'leaves' || ENDS.includes(move.phase);
  // A repeated command finds the move done.
  if (!isOver || (from === to && move?.phase === 'done' && !cancel)) return move ?? 'idle';
  if (from === to) return 'idle';
  // The rows that a rebuild has not written yet would not move.
  const isRebuilt = ({ subject, finished }: Run) => finished === null && [from, to].includes(subject);
  if (!cancel && (await findRuns(first, 'rebuild')).some(isRebuilt)) return 'rebuilt';
  if (!cancel) await source.prepare(LEAVE).bind(key, to, stepNow()).run();
  const left = await findMove(source, key);
  if (left?.phase !== 'leaves' || left.shard !== to) return cancel ? 'idle' : 'elsewhere';
  await target.prepare(ARRIVE).bind(key, from, left.step).run();
  return (await findMove(target, key)) ?? 'idle';
}

/**
 * Begins or continues a move for some seconds, and returns the place that it has reached. Several requests at once do no harm.
 * @param hasRoom Whether the target has room for more passes.
 * @param forMs Begins no slice after this time.
 */
export async function moveNetwork(
  databases: Databases,
  asked: MoveRequest,
  hasRoom: () => Promise<boolean>,
  forMs = 10_000,
  maxRows = SLICE_MAX_ROWS,
): Promise<Move | MoveRefusal> {
  const { to, cancel } = asked;
  const deadline = Date.now() + forMs;
  const found = await findOrBegin(databases, asked);
  if (typeof found === 'string') return found;
  const [{ db: first }, { db: target }] = [shardOf(databases), shardOf(databases, to)];
  const sides = { source: shardOf(databases, found.shard).db, target, first, to, maxRows };
  const key = found.gatekeeper_network;
  const findAgain = async () => (await findMove(target, key)) as Move;
  let move = found;
  if (cancel && CANCELABLE.includes(move.phase))
    move = (await store(target, move, { phase: 'cancel' })) ?? (await findAgain());
  while (!ENDS.includes(move.phase)) {
    if (move.phase === 'copy' && !(await hasRoom())) return 'full';
    const next = await moveSlice(sides, move);
    // The answer says that the move has switched.
    if (Date.now() >= deadline || move.phase === 'switch') return next ?? findAgain();
    if (next === move && move.phase === 'settle') await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    move = next ?? (await findAgain());
  }
  return move;
}

const HAS_ENDED = "(phase IN ('done', 'canceled') OR (phase = 'leaves' AND stage <> 1))";
const UNDER_WAY = `SELECT * FROM moves WHERE NOT ${HAS_ENDED}`;

/** Returns the moves that have begun and not ended, with their targets. Throws if a shard does not answer. */
export async function findMoves(databases: Databases): Promise<(Move & { readonly to: string })[]> {
  const { answers, unread, fault } = await askAllShards(databases, (db) => db.prepare(UNDER_WAY).all<Move>());
  if (unread.length > 0) throw fault;
  const all = answers.flatMap(({ shard: here, answer }) => answer.results.map((move) => ({ ...move, to: here })));
  const [leaving, arriving] = [
    all.filter(({ phase }) => phase === 'leaves'),
    all.filter(({ phase }) => phase !== 'leaves'),
  ];
  // A request has ended before it reached the target.
  const begun = leaving.filter(
    (each) => !arriving.some((other) => other.gatekeeper_network === each.gatekeeper_network),
  );
  return [...arriving, ...begun.map((each) => ({ ...each, phase: 'clear' as const, shard: each.to, to: each.shard }))];
}

const NEWEST = `SELECT max(iif(${HAS_ENDED}, updated, ${Number.MAX_SAFE_INTEGER})) AS at FROM moves`;

/** Returns when a move was last under way (Unix seconds); infinite: now, -infinite: never. Throws if a shard does not answer. */
export async function lastMoveAt(databases: Databases): Promise<number> {
  if (Object.keys(databases).length === 1) return Number.NEGATIVE_INFINITY;
  const { answers, unread, fault } = await askAllShards(databases, (db) => db.prepare(NEWEST).first<number>('at'));
  if (unread.length > 0) throw fault;
  const newest = Math.max(...answers.map(({ answer }) => answer ?? Number.NEGATIVE_INFINITY));
  return newest === Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : newest;
}
