import type { BlockReference, Signed } from '../chain/port.ts';
import type { OnChain, PassKey } from '../pass/pass.ts';
import type { Answer, Standing, Step, StepKind } from '../pass/step.ts';

/** The signer's steps as rows: taken in, and read. How they move on is in `transitions.ts`. */

/** Waiting steps of one gatekeeper network; beyond it, its passes wait in their own alarms. */
const LANE_LIMIT = 10_000;

export type InFlight = 'unsent' | 'sent' | 'confirmed';

/** A signed transaction as it is stored, and what the chain holds once it has succeeded. */
export interface StoredTransaction extends Signed {
  readonly leaves: OnChain;
}

export interface Entry {
  readonly seq: number;
  readonly step: Step;
  readonly status: 'waiting' | InFlight | 'final';
  readonly answer: Answer;
  /** How often it was put off. */
  readonly tries: number;
  /** How many of its transactions were mined without effect. */
  readonly misfires: number;
  /** Every transaction that was signed for the step and may still count, newest last. */
  readonly signed: readonly StoredTransaction[];
  /** The block its transaction was last seen in. */
  readonly place: BlockReference | undefined;
}

interface Row extends Record<string, SqlStorageValue> {
  seq: number;
  id: string;
  gatekeeper_network: string;
  wallet: string;
  kind: string;
  expiry: number | null;
  known: string | null;
  status: string;
  revision: number;
  standing: string;
  tries: number;
  misfires: number;
  signed: string | null;
  place: string | null;
}

/** The network this signer serves: the rest of the keys of its passes. */
export type Served = Pick<Step['key'], 'chain' | 'network'>;

/** The condition of the index, word by word: without it SQLite reads every step there ever was. */
export const IS_IN_FLIGHT = "status IN ('unsent', 'sent', 'confirmed')";

export const WAITING = JSON.stringify({ at: 'waiting' } satisfies Standing);

/**
 * Takes steps in and returns those that are new. Left out is what is known already, what finds its lane full, and an
 * issuance for a wallet while another one for it is unfinished.
 */
export function accept(sql: SqlStorage, steps: readonly Step[]): Step[] {
  return [...Map.groupBy(steps, ({ key }) => key.gatekeeperNetwork)].flatMap(([lane, wanted]) => {
    sql.exec('INSERT OR IGNORE INTO lane (gatekeeper_network) VALUES (?)', lane);
    let room = LANE_LIMIT - waitingIn(sql, lane);
    return wanted.filter((step) => {
      const isNew = room > 0 && insert(sql, step);
      room -= isNew ? 1 : 0;
      return isNew;
    });
  });
}

function insert(sql: SqlStorage, { id, key, kind, expiry, known }: Step): boolean {
  const { rowsWritten } = sql.exec(
    `INSERT OR IGNORE INTO step (id, gatekeeper_network, wallet, kind, expiry, known, status, revision, standing)
     VALUES (?, ?, ?, ?, ?, ?, 'waiting', 1, ?)`,
    id,
    key.gatekeeperNetwork,
    key.wallet,
    kind,
    expiry ?? null,
    known === undefined ? null : JSON.stringify(known),
    WAITING,
  );
  return rowsWritten > 0;
}

function waitingIn(sql: SqlStorage, lane: string): number {
  const query = "SELECT count(*) AS n FROM step WHERE status = 'waiting' AND gatekeeper_network = ?";
  return sql.exec<{ n: number }>(query, lane).one().n;
}

/** Where a step stands; undefined when the signer does not have it. */
export function answerTo(sql: SqlStorage, id: string): Answer | undefined {
  const query = 'SELECT revision, standing FROM step WHERE id = ?';
  const [row] = sql.exec<{ revision: number; standing: string }>(query, id).toArray();
  return row && { step: id, revision: row.revision, standing: JSON.parse(row.standing) };
}

/** Whether nothing is signed for the step yet. */
export function isWaiting(sql: SqlStorage, id: string): boolean {
  return sql.exec("SELECT 1 FROM step WHERE id = ? AND status = 'waiting'", id).toArray().length > 0;
}

/** Whether the wallet of that pass has a step of such a status. */
export function hasStep(
  sql: SqlStorage,
  { gatekeeperNetwork, wallet }: PassKey,
  status: 'waiting' | InFlight,
): boolean {
  const found =
    status === 'waiting'
      ? "INDEXED BY step_waiting WHERE status = 'waiting'"
      : `INDEXED BY step_in_flight WHERE ${IS_IN_FLIGHT} AND status = '${status}'`;
  const query = `SELECT 1 FROM step ${found} AND gatekeeper_network = ? AND wallet = ? LIMIT 1`;
  return sql.exec(query, gatekeeperNetwork, wallet).toArray().length > 0;
}

/** The oldest waiting steps of a lane that may be tried at `now` (milliseconds). */
export function waiting(sql: SqlStorage, served: Served, lane: string, now: number, limit: number): Entry[] {
  const query = `SELECT * FROM step WHERE status = 'waiting' AND gatekeeper_network = ? AND not_before <= ?
    ORDER BY seq LIMIT ?`;
  return entries(sql, served, query, lane, now, limit);
}

/** The oldest transactions that no node is known to have and that may be handed out at `now` (milliseconds). */
export function unsent(sql: SqlStorage, served: Served, now: number, limit: number): Entry[] {
  const query = `SELECT * FROM step INDEXED BY step_in_flight
    WHERE ${IS_IN_FLIGHT} AND status = 'unsent' AND not_before <= ? ORDER BY seq LIMIT ?`;
  return entries(sql, served, query, now, limit);
}

export function inFlight(sql: SqlStorage, served: Served, status: InFlight, limit: number): Entry[] {
  const query = `SELECT * FROM step INDEXED BY step_in_flight
    WHERE ${IS_IN_FLIGHT} AND status = ? ORDER BY seq LIMIT ?`;
  return entries(sql, served, query, status, limit);
}

/** Outcomes that nobody has confirmed to have recorded. */
export function unacknowledged(sql: SqlStorage, served: Served, limit: number): Entry[] {
  return entries(sql, served, 'SELECT * FROM step WHERE unacknowledged = 1 ORDER BY seq LIMIT ?', limit);
}

function entries(sql: SqlStorage, { chain, network }: Served, query: string, ...bindings: SqlStorageValue[]): Entry[] {
  return sql
    .exec<Row>(query, ...bindings)
    .toArray()
    .map((row) => ({
      seq: row.seq,
      step: {
        id: row.id,
        kind: row.kind as StepKind,
        expiry: row.expiry ?? undefined,
        known: row.known === null ? undefined : JSON.parse(row.known),
        key: { gatekeeperNetwork: row.gatekeeper_network, chain, network, wallet: row.wallet },
      },
      status: row.status as Entry['status'],
      answer: { step: row.id, revision: row.revision, standing: JSON.parse(row.standing) },
      tries: row.tries,
      misfires: row.misfires,
      signed: row.signed === null ? [] : JSON.parse(row.signed),
      place: row.place === null ? undefined : JSON.parse(row.place),
    }));
}

/** How many transactions no block is known to hold. */
export function unmined(sql: SqlStorage): number {
  const query = `SELECT count(*) AS n FROM step INDEXED BY step_in_flight
    WHERE ${IS_IN_FLIGHT} AND status <> 'confirmed'`;
  return sql.exec<{ n: number }>(query).one().n;
}
