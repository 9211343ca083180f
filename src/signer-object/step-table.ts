import type { BlockReference } from '../chain/port.ts';
import type { Milliseconds, NanoCoins } from '../lib/brand.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import { type Answer, type Step, stepIdRange } from '../pass/step.ts';
import type { Rank, StepKind, Task } from '../pass/step-kinds.ts';
import type { Signer } from './signer.ts';
import type { Day } from './spending.ts';
import { formatStatus, parseStatus, parseTransactions, type StoredTransaction } from './stored-names.ts';

/** The signer's steps as rows, and the queries that read them. `add-steps.ts` adds rows; `transitions.ts` and `requeue.ts` change them. */

export type InFlightStage = 'unsent' | 'sent' | 'confirmed';

export interface StepEntry {
  readonly seq: number;
  readonly step: Step;
  readonly status: 'waiting' | InFlightStage | 'final';
  readonly answer: Answer;
  /** How often it was postponed. */
  readonly tries: number;
  /** Whether an earlier store of the signer, now lost, may have signed for it. Only the chain shows that. */
  readonly mayBeSigned: boolean;
  /** Whether the signer holds it: it prepares the step, which may end it, but never signs it. */
  readonly isHeld: boolean;
  /** How many of its transactions were mined without effect. */
  readonly ineffectiveAttempts: number;
  /** How many nonces were signed for it and given up. */
  readonly noncesGivenUp: number;
  /** Amount counted for its transactions on `costDay`. */
  readonly cost: NanoCoins;
  readonly costDay: Day | undefined;
  /** When the first of all its transactions was signed. Undefined: it was not signed, or by an earlier release. */
  readonly firstSignedAtMs: Milliseconds | undefined;
  /** All transactions that were signed for the step and may still count, the newest last. */
  readonly signed: readonly StoredTransaction[];
  /**
   * Undefined until the step is signed, and on chains without nonces. A step that waits to be signed again keeps the nonce
   * that it gave up until that nonce is settled.
   */
  readonly nonce: number | undefined;
  /** The block that included its transaction when it was last seen. */
  readonly includedIn: BlockReference | undefined;
}

interface Row extends Record<string, SqlStorageValue> {
  seq: number;
  id: string;
  gatekeeper_network: GatekeeperNetwork;
  wallet: Wallet;
  kind: string;
  rank: Rank;
  expiry: number | null;
  known: string | null;
  status: string;
  revision: number;
  standing: string;
  tries: number;
  heard: number;
  parked: string | null;
  misfires: number;
  nonces_given_up: number;
  client: string | null;
  cost: number;
  cost_day: number | null;
  first_signed_at: number | null;
  nonce: number | null;
  signed: string | null;
  place: string | null;
}

/** The parts of a signer that are needed to add and withdraw steps. */
export type StepQueue = Pick<Signer, 'storage' | 'lanes'>;

/** The network that this signer serves. It completes the keys of its passes. */
export type Served = Pick<Step['key'], 'chain' | 'network'>;

/** Repeats the condition of the index literally: otherwise SQLite does not use the index and reads every row. */
export const IS_IN_FLIGHT = "status IN ('signed', 'confirmed')";
/** Steps whose transaction is in no known block. The condition `<> 'confirmed'` would read every confirmed row. */
export const IS_UNMINED = `${IS_IN_FLIGHT} AND status = 'signed'`;
/** The status of a step. A signed step is `sent` if a node has accepted its transaction, and `unsent` otherwise. */
export const STAGE_SQL = "iif(status = 'signed', iif(taken, 'sent', 'unsent'), status)";
/** Steps that wait after they gave up a nonce that is not settled. */
export const IS_REQUEUED = "status = 'waiting' AND nonce IS NOT NULL";
/** Steps without a transaction that a block may include: neither from an earlier store nor at an unsettled nonce. */
export const IS_UNSIGNED = "status = 'waiting' AND heard = 0 AND nonce IS NULL";
/** The block of a confirmed step, written as in the index; null for a step that is not confirmed. */
const BLOCK_SQL = "place ->> '$.block'";
const ENTRY = `*, ${STAGE_SQL} AS status`;

export const WAITING_JSON = formatStatus({ type: 'waiting' });

/** Returns the status of a step; undefined if the signer does not have the step. */
export function answerFor(sql: SqlStorage, id: string): Answer | undefined {
  const query = 'SELECT revision, standing FROM step WHERE id = ?';
  const [row] = sql.exec<{ revision: number; standing: string }>(query, id).toArray();
  return row && { step: id, revision: row.revision, status: parseStatus(row.standing) };
}

/** Returns the unacknowledged outcomes of a pass, in the order of its steps. */
export function outcomesOf(sql: SqlStorage, pass: string): Answer[] {
  const query = 'SELECT id, revision, standing FROM step WHERE id > ? AND id < ? AND unacknowledged = 1 ORDER BY seq';
  return sql
    .exec<{ id: string; revision: number; standing: string }>(query, ...stepIdRange(pass))
    .toArray()
    .map(({ id, revision, standing }) => ({ step: id, revision, status: parseStatus(standing) }));
}

/** Whether the step waits to be signed. */
export function isWaiting(sql: SqlStorage, id: string): boolean {
  return sql.exec("SELECT 1 FROM step WHERE id = ? AND status = 'waiting'", id).toArray().length > 0;
}

/** Returns the steps of a pass that are still in the table, in order. */
export function stepsOf(sql: SqlStorage, pass: string): (Task & { readonly status: StepEntry['status'] })[] {
  const query = `SELECT kind, expiry, ${STAGE_SQL} AS status FROM step WHERE id > ? AND id < ? ORDER BY seq`;
  return sql
    .exec<{ kind: StepKind; expiry: number | null; status: StepEntry['status'] }>(query, ...stepIdRange(pass))
    .toArray()
    .map(({ expiry, ...step }) => ({ ...step, expiry: expiry ?? undefined }));
}

/** Returns waiting steps of one rank of a lane that are due at `now` (milliseconds), the longest due first. */
export function waitingSteps(
  sql: SqlStorage,
  served: Served,
  { gatekeeperNetwork, rank }: { readonly gatekeeperNetwork: GatekeeperNetwork; readonly rank: Rank },
  now: Milliseconds,
  limit: number,
  offset = 0,
): StepEntry[] {
  const query = `SELECT ${ENTRY} FROM step INDEXED BY step_waiting
    WHERE status = 'waiting' AND gatekeeper_network = ? AND rank = ? AND not_before <= ?
    ORDER BY not_before, seq LIMIT ? OFFSET ?`;
  return readEntries(sql, served, query, gatekeeperNetwork, rank, now, limit, offset);
}

/** Returns when the next step of that rank may be prepared (milliseconds); undefined if none waits. */
export function nextDue(sql: SqlStorage, lane: GatekeeperNetwork, rank: Rank): Milliseconds | undefined {
  const query = `SELECT min(not_before) AS due FROM step INDEXED BY step_waiting
    WHERE status = 'waiting' AND gatekeeper_network = ? AND rank = ?`;
  return sql.exec<{ due: number | null }>(query, lane, rank).one().due ?? undefined;
}

/** Returns the oldest signed steps whose transaction no node has accepted and that are due at `now` (milliseconds). */
export function unsentSteps(sql: SqlStorage, served: Served, now: number, limit: number): StepEntry[] {
  const query = `SELECT ${ENTRY} FROM step INDEXED BY step_in_flight
    WHERE ${IS_IN_FLIGHT} AND status = 'signed' AND NOT taken AND not_before <= ? ORDER BY seq LIMIT ?`;
  return readEntries(sql, served, query, now, limit);
}

/** Returns the oldest steps in flight: confirmed ones in the order of their blocks, others in the order of arrival. */
export function stepsInFlight(sql: SqlStorage, served: Served, status: InFlightStage, limit: number): StepEntry[] {
  const is =
    status === 'confirmed' ? "status = 'confirmed'" : `status = 'signed' AND taken = ${status === 'sent' ? 1 : 0}`;
  const query = `SELECT ${ENTRY} FROM step INDEXED BY step_in_flight
    WHERE ${IS_IN_FLIGHT} AND ${is} ORDER BY ${BLOCK_SQL}, seq LIMIT ?`;
  return readEntries(sql, served, query, limit);
}

/** Returns the confirmed steps in the highest blocks: a reorg removes these first. */
export function newestConfirmedSteps(sql: SqlStorage, served: Served, limit: number): StepEntry[] {
  const query = `SELECT ${ENTRY} FROM step INDEXED BY step_in_flight
    WHERE ${IS_IN_FLIGHT} AND status = 'confirmed' ORDER BY ${BLOCK_SQL} DESC, seq DESC LIMIT ?`;
  return readEntries(sql, served, query, limit);
}

/** Returns the steps after `after` whose outcome is unacknowledged. */
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
        rank: row.rank,
        expiry: row.expiry ?? undefined,
        client: row.client ?? undefined,
        known: row.known === null ? undefined : JSON.parse(row.known),
        key: { gatekeeperNetwork: row.gatekeeper_network, chain, network, wallet: row.wallet },
      },
      status: row.status as StepEntry['status'],
      answer: { step: row.id, revision: row.revision, status: parseStatus(row.standing) },
      tries: row.tries,
      mayBeSigned: row.heard === 1,
      isHeld: row.parked === 'held',
      ineffectiveAttempts: row.misfires,
      noncesGivenUp: row.nonces_given_up,
      cost: row.cost,
      costDay: row.cost_day ?? undefined,
      firstSignedAtMs: row.first_signed_at ?? undefined,
      signed: row.signed === null ? [] : parseTransactions(row.signed),
      nonce: row.nonce ?? undefined,
      includedIn: row.place === null ? undefined : JSON.parse(row.place),
    }));
}

/** Returns how many waiting steps of a lane the OAuth client requested, at most `limit`. */
export function countWaiting(sql: SqlStorage, client: string, lane: GatekeeperNetwork, limit: number): number {
  const query = `SELECT count(*) AS n FROM (SELECT 1 FROM step INDEXED BY step_waiting
    WHERE status = 'waiting' AND gatekeeper_network = ? AND client = ? LIMIT ?)`;
  return sql.exec<{ n: number }>(query, lane, client, limit).one().n;
}

/** Returns how many transactions are in no known block. A step that gave up its nonce counts until the nonce is settled. */
export function countUnmined(sql: SqlStorage): number {
  const query = `SELECT count(*) AS n FROM step INDEXED BY step_in_flight
    WHERE ${IS_UNMINED}`;
  return sql.exec<{ n: number }>(query).one().n + countRequeued(sql);
}

/** Returns how many waiting steps gave up a nonce that is not settled. */
export function countRequeued(sql: SqlStorage): number {
  const query = `SELECT count(*) AS n FROM step INDEXED BY step_requeued WHERE ${IS_REQUEUED}`;
  return sql.exec<{ n: number }>(query).one().n;
}
