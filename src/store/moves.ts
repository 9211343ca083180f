import { FREEZE_SECONDS } from './moved-networks.ts';
import { beginMoving, changeShard, endMoving, findMoving, findPlacement } from './partner-changes.ts';
import { STATEMENT_MAX_CHARS } from './passes.ts';
import { type Databases, shardOf } from './shards.ts';

/**
 * All statements of a move of a gatekeeper network from one shard to another. They copy rows in slices, while the source notes the passes
 * that change. Each slice is stored with the place that it reaches, in one commit of the target, so a slice that is repeated changes
 * nothing. The move is done in one commit of the source (`departures.has_left`).
 */

/** The place that a move has reached, as the target stores it. */
export interface Move {
  readonly gatekeeper_network: string;
  readonly from_shard: string;
  readonly has_arrived: number;
  readonly step: number;
  /** `passes`, `events` and `changes` copy rows. `rest` deletes those of the source, and `cancel` those of the target. */
  readonly phase: 'passes' | 'events' | 'changes' | 'rest' | 'done' | 'cancel' | 'canceled';
  readonly last_pass: string;
  readonly last_event: number;
  readonly last_change: number;
  readonly passes: number;
  readonly events: number;
  readonly started: number;
  readonly updated: number;
}

const COPIES: readonly Move['phase'][] = ['passes', 'events', 'changes'];
const ENDS: readonly Move['phase'][] = ['done', 'canceled'];
const PAUSE_MS = 250;

/** The databases of a move: the source, the target and the first shard. */
interface MoveDatabases {
  readonly source: D1Database;
  readonly target: D1Database;
  readonly first: D1Database;
  /** The name of the target. */
  readonly to: string;
  /** Maximum number of rows of a table in a slice. */
  readonly maxRows: number;
}

type Row = Readonly<Record<string, unknown>>;

const findMove = (target: D1Database, key: string): Promise<Move | null> =>
  target.prepare('SELECT * FROM arrivals WHERE gatekeeper_network = ?1').bind(key).first<Move>();

/** Whether the gatekeeper network has left the shard, once and for all. Undefined: the shard notes no changes for a move. */
async function hasLeft(source: D1Database, key: string): Promise<boolean | undefined> {
  const query = 'SELECT has_left FROM departures WHERE gatekeeper_network = ?1';
  const left = await source.prepare(query).bind(key).first<number>('has_left');
  return left === null ? undefined : left === 1;
}

/** Whether the gatekeeper network has left the shard, or its writes wait, because a request copies the last rows. */
async function isFrozen(source: D1Database, key: string): Promise<boolean> {
  const query = 'SELECT 1 FROM refused_writes WHERE gatekeeper_network = ?1';
  return (await source.prepare(query).bind(key).first()) !== null;
}

/** From then on, the source notes the passes that change. */
async function beginMove(source: D1Database, target: D1Database, key: string, from: string, to: string) {
  await source
    .prepare(`INSERT INTO departures (gatekeeper_network, to_shard) VALUES (?1, ?2)
      ON CONFLICT (gatekeeper_network) DO UPDATE SET to_shard = ?2 WHERE NOT has_left`)
    .bind(key, to)
    .run();
  // No two moves have the same step, so a late slice of a canceled move is refused too.
  await target
    .prepare(`INSERT INTO arrivals (gatekeeper_network, from_shard, step)
      VALUES (?1, ?2, 1000 * CAST(1000 * unixepoch('subsec') AS INTEGER))
      ON CONFLICT DO NOTHING`)
    .bind(key, from)
    .run();
  return findMove(target, key);
}

/** Other queries of the database wait for a slice. */
const SLICE_MAX_ROWS = 500;
/** The list of unsettled passes moves at once, so the switch waits until it is short. */
const UNSETTLED_MAX = 5_000;
/** The tables that move at once, because they are short. */
const SHORT_TABLES = ['feeds', 'usage', 'unsettled', 'removed_gatekeepers', 'issuers'];

/** Thrown if another request has stored the slice. Read the place again. */
const MOVED_ON = 'move/advanced';

/** Throws MOVED_ON if the move has left that place. */
const demandPlace = (target: D1Database, { gatekeeper_network, step }: Move) =>
  target
    .prepare(`SELECT json_extract('{}', '${MOVED_ON}')
      WHERE NOT EXISTS (SELECT 1 FROM arrivals WHERE gatekeeper_network = ?1 AND step = ?2)`)
    .bind(gatekeeper_network, step);

/** Stores a slice and the place after it in one commit. Throws MOVED_ON if the move has left the place before. */
async function store(target: D1Database, move: Move, next: Partial<Move>, statements: D1PreparedStatement[] = []) {
  const after = { ...move, ...next, step: move.step + 1 };
  await target.batch([
    demandPlace(target, move),
    ...statements,
    target
      .prepare(`UPDATE arrivals SET step = ?2, phase = ?3, last_pass = ?4, last_event = ?5, last_change = ?6, passes = ?7, events = ?8,
        has_arrived = ?9, updated = unixepoch() WHERE gatekeeper_network = ?1`)
      .bind(
        ...[after.gatekeeper_network, after.step, after.phase, after.last_pass, after.last_event, after.last_change],
        ...[after.passes, after.events, after.has_arrived],
      ),
  ]);
  return after;
}

/** Returns the statements that write rows with whatever columns they have: a later release may add some. */
function putRows(target: D1Database, table: string, rows: readonly Row[]): D1PreparedStatement[] {
  const columns = Object.keys(rows[0] ?? {});
  const values = columns.map((name) => `value ->> '$.${name}'`);
  const put = target.prepare(
    `INSERT OR REPLACE INTO ${table} (${columns.join()}) SELECT ${values.join()} FROM json_each(?1)`,
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
  return texts.map((each) => put.bind(`[${each.join()}]`));
}

const OF_NETWORK = 'WHERE gatekeeper_network = ?1';
const allIn = (table: string) => `FROM ${table} ${OF_NETWORK}`;
/** The tables that move in slices, and the column that orders their rows. */
const LONG_TABLES = { passes: 'id', events: 'sequence', changed_passes: 'number' } as const;
type LongTable = keyof typeof LONG_TABLES;
const rowsAfter = (table: LongTable, maxRows: number) => `
  SELECT * FROM ${table} NOT INDEXED ${OF_NETWORK} AND ${LONG_TABLES[table]} > ?2
  ORDER BY ${LONG_TABLES[table]} LIMIT ${maxRows}`;
const changesAfter = (maxRows: number) => `
  SELECT number, id FROM changed_passes NOT INDEXED ${OF_NETWORK} AND number > ?2 ORDER BY number LIMIT ${maxRows}`;
const changed = (maxRows: number) =>
  `SELECT * ${allIn('passes')} AND id IN (SELECT id FROM (${changesAfter(maxRows)}))`;

/** Copies the next slice of all passes or events. */
async function copyAll({ source, target, maxRows }: MoveDatabases, move: Move): Promise<Move> {
  const [table, after, phase] =
    move.phase === 'passes'
      ? (['passes', move.last_pass, 'events'] as const)
      : (['events', move.last_event, 'changes'] as const);
  const { results: rows } = await source
    .prepare(rowsAfter(table, maxRows))
    .bind(move.gatekeeper_network, after)
    .all<Row>();
  const last = rows.at(-1);
  const next = {
    [table]: move[table] + rows.length,
    ...(last && (table === 'passes' ? { last_pass: String(last.id) } : { last_event: Number(last.sequence) })),
    ...(rows.length < maxRows && { phase }),
  };
  return store(target, move, next, putRows(target, table, rows));
}

/**
 * Copies the passes and events that have changed since the last slice.
 * @param isLast Also copies the short tables. The writes of the source must wait meanwhile.
 * @returns The place, and whether nothing else had changed.
 */
async function copyChanges(
  { source, target, maxRows }: MoveDatabases,
  move: Move,
  isLast: boolean,
): Promise<[Move, boolean]> {
  const key = move.gatekeeper_network;
  const read = (sql: string, ...after: (string | number)[]) => source.prepare(sql).bind(key, ...after);
  // A batch reads one version of the database.
  const [changes, passes, events, oldest, ...short] = (
    await source.batch<Row>([
      read(changesAfter(maxRows), move.last_change),
      read(changed(maxRows), move.last_change),
      read(rowsAfter('events', maxRows), move.last_event),
      read(`SELECT coalesce(min(sequence), ${Number.MAX_SAFE_INTEGER}) AS oldest ${allIn('events')}`),
      ...(isLast ? SHORT_TABLES.map((table) => read(`SELECT * ${allIn(table)}`)) : []),
    ])
  ).map(({ results }) => results) as [Row[], Row[], Row[], Row[], ...Row[][]];
  const isAll = changes.length < maxRows && events.length < maxRows;
  const next = {
    has_arrived: Number(isLast && isAll),
    last_change: Number(changes.at(-1)?.number ?? move.last_change),
    last_event: Number(events.at(-1)?.sequence ?? move.last_event),
    passes: move.passes + passes.length,
    events: move.events + events.length,
  };
  const on = (sql: string, ...values: unknown[]) => target.prepare(sql).bind(key, ...values);
  return [
    await store(target, move, next, [
      on(
        `DELETE ${allIn('passes')} AND id IN (SELECT value FROM json_each(?2))`,
        JSON.stringify(changes.map(({ id }) => id)),
      ),
      ...putRows(target, 'passes', passes),
      ...putRows(target, 'events', events),
      // The source may have deleted old events meanwhile. A feed with a gap would be read as if it were complete.
      on(`DELETE ${allIn('events')} AND sequence < ?2`, oldest[0]?.oldest),
      ...short.flatMap((rows, index) => [
        on(`DELETE ${allIn(SHORT_TABLES[index] as string)}`),
        ...putRows(target, SHORT_TABLES[index] as string, rows),
      ]),
    ]),
    isAll,
  ];
}

/** Copies what has changed. Once little is left, has writes wait, copies the rest, and switches to the target. */
async function switchOver(databases: MoveDatabases, before: Move): Promise<void> {
  const { source } = databases;
  const key = before.gatekeeper_network;
  // Another request copies the last rows, and a slice that is stored after its switch would undo it. If the other request begins after
  // this look, its last slice makes the next one of this request fail.
  if (await isFrozen(source, key)) return;
  let [move, isAll] = await copyChanges(databases, before, false);
  const listed = `SELECT count(*) AS n FROM (SELECT 1 ${allIn('unsettled')} LIMIT ${UNSETTLED_MAX + 1})`;
  if (!isAll || ((await source.prepare(listed).bind(key).first<number>('n')) ?? 0) > UNSETTLED_MAX) return;
  const frozenUntil = await source
    .prepare(`UPDATE departures SET frozen_until = unixepoch() + ${FREEZE_SECONDS} ${OF_NETWORK} AND NOT has_left
      AND frozen_until <= unixepoch() RETURNING frozen_until`)
    .bind(key)
    .first<number>('frozen_until');
  if (frozenUntil === null) return;
  do [move, isAll] = await copyChanges(databases, move, true);
  while (!isAll);
  const gone = `${OF_NETWORK} AND EXISTS (SELECT 1 FROM departures ${OF_NETWORK} AND has_left)`;
  await source.batch([
    // Writes have waited since the last rows were read, or the move does not end now.
    source
      .prepare(`UPDATE departures SET has_left = 1 ${OF_NETWORK} AND frozen_until = ?2 AND frozen_until > unixepoch()`)
      .bind(key, frozenUntil),
    ...SHORT_TABLES.map((table) => source.prepare(`DELETE FROM ${table} ${gone}`).bind(key)),
  ]);
}

/** Deletes a slice of the rows of a gatekeeper network, after the given statements. Returns whether more may be left. */
async function deleteRows(
  db: D1Database,
  key: string,
  maxRows: number,
  tables: readonly LongTable[],
  conditions: readonly D1PreparedStatement[] = [],
): Promise<boolean> {
  const results = await db.batch([
    ...conditions,
    ...tables.map((table) => {
      const column = LONG_TABLES[table];
      // The comparison makes the table of changes begin at its first row instead of being scanned.
      const slice = `SELECT ${column} FROM ${table} NOT INDEXED ${OF_NETWORK} AND ${column} >= 0 LIMIT ${maxRows}`;
      return db.prepare(`DELETE ${allIn(table)} AND ${column} IN (${slice})`).bind(key);
    }),
    ...(tables.length === 1 ? [] : SHORT_TABLES).map((table) => db.prepare(`DELETE ${allIn(table)}`).bind(key)),
  ]);
  return results.some(({ meta }) => meta.changes >= maxRows);
}

/** Does the next slice of a move, and returns the place after it. */
async function moveSlice(databases: MoveDatabases, move: Move): Promise<Move> {
  const { source, target, first, to, maxRows } = databases;
  const { gatekeeper_network: key, phase } = move;
  if (phase === 'changes') {
    if (!(await hasLeft(source, key))) await switchOver(databases, move);
    const now = (await findMove(target, key)) ?? move;
    const left = await hasLeft(source, key);
    // A late statement of a canceled move has deleted the row, so changes may be missing.
    if (left === undefined) return store(target, now, { phase: 'cancel' });
    if (!left) return now;
    await changeShard(first, key, to);
    return store(target, now, { phase: 'rest' });
  }
  if (phase === 'rest') {
    if (await deleteRows(source, key, maxRows, ['passes', 'events', 'changed_passes'])) return move;
    await endMoving(first, key, to);
    return store(target, move, { phase: 'done' });
  }
  if (phase === 'cancel') {
    // From here on, the source notes no more changes, so the move could only begin again with all passes.
    await source.prepare(`DELETE FROM departures ${OF_NETWORK} AND NOT has_left`).bind(key).run();
    if (await hasLeft(source, key)) return store(target, move, { phase: 'changes' });
    if (await deleteRows(target, key, maxRows, ['passes', 'events'], [demandPlace(target, move)])) return move;
    if (await deleteRows(source, key, maxRows, ['changed_passes'])) return move;
    await target.prepare(`DELETE FROM arrivals ${OF_NETWORK} AND step = ?2`).bind(key, move.step).run();
    await endMoving(first, key, to);
    return { ...move, phase: 'canceled' };
  }
  return copyAll(databases, move);
}

/**
 * Why a gatekeeper network is not moved: it has no row; it moves to another shard; it was in the shard before; it does not move, or is in
 * the shard; the shard has no room.
 */
export type MoveRefusal = 'unknown' | 'elsewhere' | 'returns' | 'idle' | 'full';

/** A request to move a gatekeeper network, or to cancel its move. */
export interface MoveRequest {
  readonly gatekeeperNetwork: string;
  readonly to: string;
  readonly cancel?: boolean | undefined;
}

/** Returns the place of the move that is asked for. Begins the move if it has not begun, also after an interruption. */
async function findOrBegin(
  databases: Databases,
  { gatekeeperNetwork: key, to, cancel = false }: MoveRequest,
): Promise<Move | MoveRefusal> {
  const [{ db: first }, { db: target }] = [shardOf(databases), shardOf(databases, to)];
  const placed = await findPlacement(first, key);
  if (placed === null) return 'unknown';
  const { shard, moving_to } = placed;
  if (moving_to !== null && moving_to !== to) return 'elsewhere';
  const move = await findMove(target, key);
  if (shard === to && (move === null || cancel) && moving_to === null) return 'idle';
  // A repeated command finds the move done.
  if (shard === to && move?.phase === 'done') {
    await endMoving(first, key, to);
    return move;
  }
  if (shard !== to && moving_to === null) {
    if (move === null || move.phase === 'done') {
      if (cancel) return 'idle';
      if (await hasLeft(target, key)) return 'returns';
    }
    if (!(await beginMoving(first, key, to))) return 'elsewhere';
  }
  // Null: another request has canceled the move since.
  return move ?? (await beginMove(shardOf(databases, shard).db, target, key, shard, to)) ?? 'idle';
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
  const { to, cancel: asksToCancel = false } = asked;
  const deadline = Date.now() + forMs;
  const found = await findOrBegin(databases, asked);
  if (typeof found === 'string') return found;
  const [{ db: first }, { db: target }] = [shardOf(databases), shardOf(databases, to)];
  const places = { source: shardOf(databases, found.from_shard).db, target, first, to, maxRows };
  let move = found;
  let cancels = asksToCancel;
  do {
    const before: Move = move;
    if (!cancels && COPIES.includes(move.phase) && !(await hasRoom())) return 'full';
    try {
      if (cancels && COPIES.includes(move.phase)) move = await store(target, move, { phase: 'cancel' });
      cancels = false;
      move = await moveSlice(places, move);
    } catch (fault) {
      if (!String(fault).includes(MOVED_ON)) throw fault;
      move = (await findMove(target, before.gatekeeper_network)) ?? { ...move, phase: 'canceled' };
    }
    if (waitsForSwitch(before, move) && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  } while (!ENDS.includes(move.phase) && Date.now() < deadline);
  return move;
}

/** Whether nothing is left to copy, and the switch waits for a moment with few unsettled passes, or for another request. */
function waitsForSwitch(before: Move, after: Move): boolean {
  const isSame = before.passes === after.passes && before.events === after.events;
  return before.phase === 'changes' && after.phase === 'changes' && isSame;
}

/** Returns the moves that have begun and not ended, with their targets. */
export async function findMoves(databases: Databases): Promise<(Move & { readonly to: string })[]> {
  const moving = await findMoving(shardOf(databases).db);
  const moves = moving.map(async ({ key, moving_to }) => {
    const { name: to, db } = shardOf(databases, moving_to ?? undefined);
    const move = await findMove(db, key);
    return move && { ...move, to };
  });
  return (await Promise.all(moves)).filter((move) => move !== null);
}
