import type { BlockReference } from '../chain/port.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import { type Answer, type Step, type SubmittedStep, stepId } from '../pass/step.ts';
import type { StepKind, Task } from '../pass/task.ts';
import { formatStatus, parseStatus, parseTransactions, type StoredTransaction } from './stored-names.ts';

/** The signer's steps as rows: taken in, and read. How they move on is in `transitions.ts`. */

/** Waiting steps of one gatekeeper network; beyond it, its passes wait in their own alarms. */
export const LANE_MAX_STEPS = 10_000;

export type InFlightStage = 'unsent' | 'sent' | 'confirmed';

export interface StepEntry {
  readonly seq: number;
  readonly step: Step;
  readonly status: 'waiting' | InFlightStage | 'final';
  readonly answer: Answer;
  /** How often it was put off. */
  readonly tries: number;
  /** How many of its transactions were mined without effect. */
  readonly ineffectiveAttempts: number;
  /** Every transaction that was signed for the step and may still count, newest last. */
  readonly signed: readonly StoredTransaction[];
  /** Undefined until it is signed, and on chains without nonces. */
  readonly nonce: number | undefined;
  /** The block its transaction was last seen in. */
  readonly includedIn: BlockReference | undefined;
}

interface Row extends Record<string, SqlStorageValue> {
  seq: number;
  id: string;
  gatekeeper_network: GatekeeperNetwork;
  wallet: Wallet;
  kind: string;
  expiry: number | null;
  known: string | null;
  status: string;
  revision: number;
  standing: string;
  tries: number;
  misfires: number;
  nonce: number | null;
  signed: string | null;
  place: string | null;
}

/** The network this signer serves: the rest of the keys of its passes. */
export type Served = Pick<Step['key'], 'chain' | 'network'>;

/** The condition of the index, word by word: without it SQLite reads every step there ever was. */
export const IS_IN_FLIGHT = "status IN ('signed', 'confirmed')";
/** What is signed, by whether a node has it. */
export const STAGE_SQL = "iif(status = 'signed', iif(taken, 'sent', 'unsent'), status)";
const ENTRY = `*, ${STAGE_SQL} AS status`;

export const WAITING_JSON = formatStatus({ type: 'waiting' });

/**
 * Takes steps in and returns those that are new. Left out is what is known already, what finds its lane full, and an
 * issuance for a wallet while another one for it is unfinished.
 */
export function addSteps(sql: SqlStorage, steps: readonly SubmittedStep[]): SubmittedStep[] {
  return [...Map.groupBy(steps, ({ key }) => key.gatekeeperNetwork)].flatMap(([lane, wanted]) => {
    sql.exec('INSERT OR IGNORE INTO lane (gatekeeper_network) VALUES (?)', lane);
    let room = LANE_MAX_STEPS - countWaiting(sql, lane);
    return wanted.filter((step) => {
      const isNew = room > 0 && insertStep(sql, step);
      room -= isNew ? 1 : 0;
      return isNew;
    });
  });
}

function insertStep(sql: SqlStorage, { id, key, kind, expiry, known, revision = 0 }: SubmittedStep): boolean {
  const { rowsWritten } = sql.exec(
    `INSERT OR IGNORE INTO step
       (id, gatekeeper_network, wallet, kind, unfinished, expiry, known, status, standing, revision, heard)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?, ?)`,
    id,
    key.gatekeeperNetwork,
    key.wallet,
    kind,
    kind === 'issue' ? 1 : null,
    expiry ?? null,
    known === undefined ? null : JSON.stringify(known),
    WAITING_JSON,
    revision + 1,
    // An earlier store may have signed for it: only the chain knows.
    revision > 0 ? 1 : 0,
  );
  return rowsWritten > 0;
}

/** How many steps of a gatekeeper network wait. */
export function countWaiting(sql: SqlStorage, lane: string): number {
  const query = "SELECT count(*) AS n FROM step WHERE status = 'waiting' AND gatekeeper_network = ?";
  return sql.exec<{ n: number }>(query, lane).one().n;
}

/** Where a step stands; undefined when the signer does not have it. */
export function answerFor(sql: SqlStorage, id: string): Answer | undefined {
  const query = 'SELECT revision, standing FROM step WHERE id = ?';
  const [row] = sql.exec<{ revision: number; standing: string }>(query, id).toArray();
  return row && { step: id, revision: row.revision, status: parseStatus(row.standing) };
}

/** The outcomes of a pass that nobody has confirmed to have recorded, in the order of its steps. */
export function outcomesOf(sql: SqlStorage, pass: string): Answer[] {
  const query = 'SELECT id, revision, standing FROM step WHERE id > ? AND id < ? AND unacknowledged = 1 ORDER BY seq';
  return sql
    .exec<{ id: string; revision: number; standing: string }>(query, ...idRangeOf(pass))
    .toArray()
    .map(({ id, revision, standing }) => ({ step: id, revision, status: parseStatus(standing) }));
}

/** Whether nothing is signed for the step yet. */
export function isWaiting(sql: SqlStorage, id: string): boolean {
  return sql.exec("SELECT 1 FROM step WHERE id = ? AND status = 'waiting'", id).toArray().length > 0;
}

/** The steps of a pass that are remembered, in order. */
export function stepsOf(sql: SqlStorage, pass: string): (Task & { readonly status: StepEntry['status'] })[] {
  const query = `SELECT kind, expiry, ${STAGE_SQL} AS status FROM step WHERE id > ? AND id < ? ORDER BY seq`;
  return sql
    .exec<{ kind: StepKind; expiry: number | null; status: StepEntry['status'] }>(query, ...idRangeOf(pass))
    .toArray()
    .map(({ expiry, ...step }) => ({ ...step, expiry: expiry ?? undefined }));
}

/** All ids of the steps of a pass, and no others, lie between these two. */
function idRangeOf(pass: string): [after: string, before: string] {
  return [stepId(pass, ''), stepId(pass, ':')];
}

/** The oldest waiting steps of a lane that may be tried at `now` (milliseconds). */
export function waitingSteps(sql: SqlStorage, served: Served, lane: string, now: number, limit: number): StepEntry[] {
  const query = `SELECT ${ENTRY} FROM step WHERE status = 'waiting' AND gatekeeper_network = ? AND not_before <= ?
    ORDER BY seq LIMIT ?`;
  return readEntries(sql, served, query, lane, now, limit);
}

/** The oldest transactions that no node is known to have and that may be handed out at `now` (milliseconds). */
export function unsentSteps(sql: SqlStorage, served: Served, now: number, limit: number): StepEntry[] {
  const query = `SELECT ${ENTRY} FROM step INDEXED BY step_in_flight
    WHERE ${IS_IN_FLIGHT} AND status = 'signed' AND NOT taken AND not_before <= ? ORDER BY seq LIMIT ?`;
  return readEntries(sql, served, query, now, limit);
}

export function stepsInFlight(sql: SqlStorage, served: Served, status: InFlightStage, limit: number): StepEntry[] {
  const is =
    status === 'confirmed' ? "status = 'confirmed'" : `status = 'signed' AND taken = ${status === 'sent' ? 1 : 0}`;
  const query = `SELECT ${ENTRY} FROM step INDEXED BY step_in_flight WHERE ${IS_IN_FLIGHT} AND ${is} ORDER BY seq LIMIT ?`;
  return readEntries(sql, served, query, limit);
}

/** Outcomes that nobody has confirmed to have recorded, from behind that step on. */
export function unacknowledgedSteps(sql: SqlStorage, served: Served, after: number, limit: number): StepEntry[] {
  const query = `SELECT ${ENTRY} FROM step WHERE unacknowledged = 1 AND seq > ? ORDER BY seq LIMIT ?`;
  return readEntries(sql, served, query, after, limit);
}

function readEntries(
  sql: SqlStorage,
  { chain, network }: Served,
  query: string,
  ...bindings: SqlStorageValue[]
): StepEntry[] {
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
      status: row.status as StepEntry['status'],
      answer: { step: row.id, revision: row.revision, status: parseStatus(row.standing) },
      tries: row.tries,
      ineffectiveAttempts: row.misfires,
      signed: row.signed === null ? [] : parseTransactions(row.signed),
      nonce: row.nonce ?? undefined,
      includedIn: row.place === null ? undefined : JSON.parse(row.place),
    }));
}

/** How many transactions no block is known to hold. */
export function countUnmined(sql: SqlStorage): number {
  const query = `SELECT count(*) AS n FROM step INDEXED BY step_in_flight
    WHERE ${IS_IN_FLIGHT} AND status <> 'confirmed'`;
  return sql.exec<{ n: number }>(query).one().n;
}
