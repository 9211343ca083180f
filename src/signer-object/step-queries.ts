import type { Milliseconds } from '../lib/units.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import type { OnChain, PassKey } from '../pass/pass.ts';
import { type Answer, isOutcome, isSatisfied, type Step, stepIdRange } from '../pass/step.ts';
import { type Rank, STEP_KINDS, type StepKind, type Task } from '../pass/step-kinds.ts';
import type { WaitCode } from '../pass/wait-reasons.ts';
import { answerOf, entryOf, type Row, type Served, type StepEntry } from './schema.ts';

/** The queries on the table `step`. `StepTable` changes its rows. */

/** Steps without a transaction that a block may include: neither from an earlier store nor at a nonce that is not final. */
export const IS_UNSIGNED = "status = 'waiting' AND may_be_signed = 0 AND nonce IS NULL";
/** Repeats the condition of the index literally: otherwise SQLite does not use the index and reads every row. */
const IS_CONFIRMED = "is_open = 1 AND status = 'confirmed'";

type AnswerRow = Pick<Row, 'id' | 'status' | 'revision' | 'answer'>;

/** Returns the status of a step as stored; undefined if the signer does not have the step. */
export function storedAnswer(sql: SqlStorage, id: string): Answer | undefined {
  const query = 'SELECT id, status, revision, answer FROM step WHERE id = ?';
  const [row] = sql.exec<AnswerRow>(query, id).toArray();
  return row && answerOf(row);
}

/** Returns the outcomes of a pass that are unacknowledged as far as the rows show, in the order of its steps. */
export function outcomesOf(sql: SqlStorage, pass: string): Answer[] {
  const query = `SELECT id, status, revision, answer FROM step
    WHERE id > ? AND id < ? AND unacknowledged > 0 ORDER BY seq`;
  return sql
    .exec<AnswerRow>(query, ...stepIdRange(pass))
    .toArray()
    .map(answerOf)
    .filter(isOutcome);
}

/** Returns the entry of a step; undefined if the signer does not have the step. */
export function findStep(sql: SqlStorage, served: Served, id: string): StepEntry | undefined {
  return readEntries(sql, served, 'SELECT * FROM step WHERE id = ?', id)[0];
}

/** Returns the steps of a pass that are still in the table, in order. */
export function stepsOf(sql: SqlStorage, pass: string): (Task & { readonly status: Row['status'] })[] {
  const query = 'SELECT kind, expiry, status FROM step WHERE id > ? AND id < ? ORDER BY seq';
  return sql
    .exec<{ kind: StepKind; expiry: number | null; status: Row['status'] }>(query, ...stepIdRange(pass))
    .toArray()
    .map(({ expiry, ...step }) => ({ ...step, expiry: expiry ?? undefined }));
}

/** Whether an earlier step of the pass is signed and not final. `kind` restricts the check to steps of that kind. */
export function hasNonFinalStep(sql: SqlStorage, pass: string, kind?: StepKind): boolean {
  return stepsOf(sql, pass).some(
    (step) => (kind === undefined || step.kind === kind) && (step.status === 'signed' || step.status === 'confirmed'),
  );
}

/** Returns when the oldest signed step of the pass that is not final was first signed; undefined if there is none. */
export function oldestOpenSignature(sql: SqlStorage, pass: string): Milliseconds | undefined {
  return oldestSignature(sql, pass, "status IN ('signed', 'confirmed')", []);
}

/**
 * Returns when the oldest transaction of the pass was signed that may be in a block, and whose outcome the pass has not recorded; undefined if
 * there is none.
 * @param unrecorded The ids of the steps with such an outcome.
 */
export function oldestOpenOutcome(
  sql: SqlStorage,
  pass: string,
  unrecorded: readonly string[],
): Milliseconds | undefined {
  return oldestSignature(sql, pass, "status = 'signed'", unrecorded);
}

function oldestSignature(sql: SqlStorage, pass: string, isOpen: string, others: readonly string[]) {
  const query = `SELECT min(first_signed_at) AS at FROM step WHERE id > ?1 AND id < ?2
    AND (${isOpen} OR nonce IS NOT NULL AND status = 'waiting' OR id IN (SELECT value FROM json_each(?3)))`;
  return sql.exec<{ at: number | null }>(query, ...stepIdRange(pass), JSON.stringify(others)).one().at ?? undefined;
}

/** Whether a step of the pass waits or is in no known block. Then a difference on the chain may be the effect of that step. */
export function isUnderWay(sql: SqlStorage, pass: string): boolean {
  return stepsOf(sql, pass).some(({ status }) => status === 'waiting' || status === 'signed');
}

/**
 * Whether the reading lacks the effect of a step that is confirmed and not final. A reorg may have removed the step, and the
 * node that tracked it may not know of that reorg yet.
 */
export function lacksOwnSteps(sql: SqlStorage, pass: string, onChain: OnChain): boolean {
  const loose = stepsOf(sql, pass).filter(({ status }) => status === 'confirmed');
  const setsState = ({ kind }: { readonly kind: StepKind }) => STEP_KINDS[kind].stateAfter !== undefined;
  const newest = [loose.findLast(setsState), loose.findLast((step) => !setsState(step))];
  return newest.some((step) => step !== undefined && !isSatisfied(step, onChain));
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
  const query = `SELECT * FROM step INDEXED BY step_waiting
    WHERE status = 'waiting' AND gatekeeper_network = ? AND rank = ? AND not_before <= ?
    ORDER BY not_before, seq LIMIT ? OFFSET ?`;
  return readEntries(sql, served, query, gatekeeperNetwork, rank, now, limit, offset);
}

/** Returns how many waiting steps of the same lane and rank are due before that one, at most `limit`. */
export function countWaitingBefore(sql: SqlStorage, { step, notBefore, seq }: StepEntry, limit: number): number {
  const query = `SELECT count(*) AS n FROM (SELECT 1 FROM step INDEXED BY step_waiting
    WHERE status = 'waiting' AND gatekeeper_network = ? AND rank = ? AND (not_before, seq) < (?, ?) LIMIT ?)`;
  return sql.exec<{ n: number }>(query, step.key.gatekeeperNetwork, step.rank, notBefore, seq, limit).one().n;
}

/** Returns when the next step of that rank may be prepared (milliseconds); undefined if none waits. */
export function nextDue(sql: SqlStorage, lane: GatekeeperNetwork, rank: Rank): Milliseconds | undefined {
  const query = `SELECT min(not_before) AS due FROM step INDEXED BY step_waiting
    WHERE status = 'waiting' AND gatekeeper_network = ? AND rank = ?`;
  return sql.exec<{ due: number | null }>(query, lane, rank).one().due ?? undefined;
}

/** Returns the steps in no known block: signed ones, and waiting ones that keep a nonce. */
export function unminedSteps(sql: SqlStorage, served: Served): StepEntry[] {
  const query = `SELECT * FROM step INDEXED BY step_open
    WHERE is_open = 1 AND status IN ('signed', 'waiting') ORDER BY nonce, seq`;
  return readEntries(sql, served, query);
}

/**
 * Returns confirmed steps in the order of their nonces, which is that of their blocks, or in the order of arrival on chains
 * without nonces.
 */
export function confirmedSteps(sql: SqlStorage, served: Served, limit: number): StepEntry[] {
  const query = `SELECT * FROM step INDEXED BY step_open WHERE ${IS_CONFIRMED} ORDER BY nonce, seq LIMIT ?`;
  return readEntries(sql, served, query, limit);
}

/** Returns the confirmed steps in the highest blocks: a reorg removes these first. */
export function newestConfirmedSteps(sql: SqlStorage, served: Served, limit: number): StepEntry[] {
  const query = `SELECT * FROM step INDEXED BY step_open WHERE ${IS_CONFIRMED} ORDER BY nonce DESC, seq DESC LIMIT ?`;
  return readEntries(sql, served, query, limit);
}

export function hasConfirmed(sql: SqlStorage): boolean {
  const query = `SELECT 1 FROM step INDEXED BY step_open WHERE ${IS_CONFIRMED} ORDER BY nonce LIMIT 1`;
  return sql.exec(query).toArray().length > 0;
}

export function countConfirmed(sql: SqlStorage): number {
  const query = `SELECT count(*) AS n FROM step INDEXED BY step_open WHERE ${IS_CONFIRMED}`;
  return sql.exec<{ n: number }>(query).one().n;
}

/** Returns the steps whose outcome has a number above `acknowledgedTo` and is unacknowledged, in the order of the outcomes. */
export function unacknowledgedSteps(
  sql: SqlStorage,
  { chain, network }: Served,
  acknowledgedTo: number,
): (Pick<Step, 'id' | 'key'> & { readonly n: number })[] {
  const query = `SELECT id, gatekeeper_network AS gatekeeperNetwork, wallet, unacknowledged AS n FROM step INDEXED BY step_open
    WHERE is_open = 1 AND unacknowledged > ? ORDER BY unacknowledged, seq`;
  return sql
    .exec<{ id: string; gatekeeperNetwork: GatekeeperNetwork; wallet: Wallet; n: number }>(query, acknowledgedTo)
    .toArray()
    .map(({ id, gatekeeperNetwork, wallet, n }) => ({ id, key: { gatekeeperNetwork, chain, network, wallet }, n }));
}

/** Returns the nonces from `from` up to, but not including, `to` of open steps that keep a signed transaction. */
export function usedNonces(sql: SqlStorage, from: number, to: number): ReadonlySet<number> {
  const query = `SELECT nonce FROM step INDEXED BY step_open WHERE is_open = 1 AND nonce >= ? AND nonce < ?
    AND status <> 'waiting' AND NOT (status = 'final' AND answer ->> 'type' = 'withdrawn')`;
  const rows = sql.exec<{ nonce: number }>(query, from, to).toArray();
  return new Set(rows.map(({ nonce }) => nonce));
}

/**
 * Returns the nonce after the highest one that a remembered final transaction used (0 if there is none), and the place of the
 * newest step in the order of arrival. Reads every row.
 */
export function endsOf(sql: SqlStorage): { readonly finalNonces: number; readonly lastSeq: number } {
  const query = `SELECT ifnull(max(seq), 0) AS lastSeq,
    ifnull(max(iif(status = 'final' AND answer ->> 'type' = 'confirmed', nonce, NULL)) + 1, 0) AS finalNonces FROM step`;
  return sql.exec<{ finalNonces: number; lastSeq: number }>(query).one();
}

/**
 * Returns the highest number of nonces that a withdrawn or failed step of the pass gave up. The next step continues that
 * count: a partner could otherwise get new nonces by changing the pass.
 */
export function noncesGivenUpBefore(sql: SqlStorage, pass: string): number {
  const query = `SELECT ifnull(max(nonces_given_up), 0) AS n FROM step
    WHERE id > ? AND id < ? AND answer ->> 'type' IN ('withdrawn', 'failed')`;
  return sql.exec<{ n: number }>(query, ...stepIdRange(pass)).one().n;
}

/** Returns the number of waiting steps by lane and rank. */
export function waitingCounts(sql: SqlStorage): { lane: GatekeeperNetwork; rank: Rank; n: number }[] {
  const query = `SELECT gatekeeper_network AS lane, rank, count(*) AS n FROM step INDEXED BY step_waiting
    WHERE status = 'waiting' GROUP BY 1, 2`;
  return sql.exec<{ lane: GatekeeperNetwork; rank: Rank; n: number }>(query).toArray();
}

/** A number of waiting steps of a lane that have the same rank, kind and reason of their own. */
interface WaitCount {
  readonly lane: GatekeeperNetwork;
  readonly rank: Rank;
  readonly kind: StepKind;
  readonly code: WaitCode | null;
  readonly n: number;
}

/** Counts the first waiting steps, at most `limit`. */
export function waitCounts(sql: SqlStorage, limit: number): WaitCount[] {
  const query = `SELECT lane, rank, kind, wait AS code, count(*) AS n FROM
    (SELECT gatekeeper_network AS lane, rank, kind, wait FROM step INDEXED BY step_waiting
     WHERE status = 'waiting' LIMIT ?) GROUP BY 1, 2, 3, 4`;
  return sql.exec<WaitCount & Record<string, SqlStorageValue>>(query, limit).toArray();
}

/** Returns how many waiting steps of a lane the OAuth client requested, at most `limit`. */
export function countWaitingOfClient(sql: SqlStorage, client: string, lane: GatekeeperNetwork, limit: number): number {
  const query = `SELECT count(*) AS n FROM (SELECT 1 FROM step INDEXED BY step_waiting
    WHERE status = 'waiting' AND gatekeeper_network = ? AND client = ? LIMIT ?)`;
  return sql.exec<{ n: number }>(query, lane, client, limit).one().n;
}

/** A gatekeeper network, and the contract that has its tokens. */
export interface Lane {
  readonly lane: GatekeeperNetwork;
  readonly contract: string;
}

/** Returns the gatekeeper network and the contract of the step of the newest pass; undefined if the table is empty. */
export function newestLane(sql: SqlStorage): Lane | undefined {
  const query = 'SELECT gatekeeper_network AS lane, contract FROM step ORDER BY id DESC LIMIT 1';
  return sql.exec<{ lane: GatekeeperNetwork; contract: string }>(query).toArray()[0];
}

/** Selects the waiting steps that the operator ends. An undefined field does not restrict the selection. */
export interface WaitingSteps {
  readonly kinds: readonly StepKind[];
  readonly gatekeeperNetwork?: GatekeeperNetwork | undefined;
  /** OAuth client that requested them. */
  readonly client?: string | undefined;
}

const MATCHES = `kind IN (SELECT value FROM json_each(?1)) AND gatekeeper_network = ifnull(?2, gatekeeper_network)
  AND (?3 IS NULL OR client = ?3)`;
const IS_ENDABLE = `${IS_UNSIGNED} AND ${MATCHES}`;
const MAY_HAVE_BYTES = `status IN ('waiting', 'signed') AND NOT (${IS_UNSIGNED}) AND ${MATCHES}`;

const bindingsOf = ({ kinds, gatekeeperNetwork, client }: WaitingSteps) => [
  JSON.stringify(kinds),
  gatekeeperNetwork ?? null,
  client ?? null,
];

/** Returns at most `limit` of the selected steps without bytes that a block may include. */
export function findEndable(
  sql: SqlStorage,
  which: WaitingSteps,
  limit: number,
): { readonly id: string; readonly gatekeeperNetwork: GatekeeperNetwork; readonly wallet: Wallet }[] {
  const query = `SELECT id, gatekeeper_network AS gatekeeperNetwork, wallet FROM step WHERE ${IS_ENDABLE} LIMIT ?4`;
  return sql
    .exec<{ id: string; gatekeeperNetwork: GatekeeperNetwork; wallet: Wallet }>(query, ...bindingsOf(which), limit)
    .toArray();
}

/** Returns how many of the selected steps can be ended, and how many cannot, because they may have signed bytes. */
export function countEndable(sql: SqlStorage, which: WaitingSteps): { waiting: number; signed: number } {
  const count = (condition: string) =>
    sql.exec<{ n: number }>(`SELECT count(*) AS n FROM step WHERE ${condition}`, ...bindingsOf(which)).one().n;
  return { waiting: count(IS_ENDABLE), signed: count(MAY_HAVE_BYTES) };
}

/** Returns the passes that have steps in the table after the step with that id, in the order of the ids. */
export function passesWithSteps(
  sql: SqlStorage,
  { chain, network }: Served,
  after: string,
  limit: number,
): { id: string; key: PassKey }[] {
  const query = `SELECT id, gatekeeper_network AS gatekeeperNetwork, wallet FROM step
    WHERE id > ? ORDER BY id LIMIT ?`;
  return sql
    .exec<{ id: string; gatekeeperNetwork: GatekeeperNetwork; wallet: Wallet }>(query, after, limit)
    .toArray()
    .map(({ id, gatekeeperNetwork, wallet }) => ({ id, key: { gatekeeperNetwork, chain, network, wallet } }));
}

/** Whether the table has a step that is not final. */
export function hasUnfinished(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM step WHERE status <> 'final' LIMIT 1").toArray().length > 0;
}

function readEntries(sql: SqlStorage, served: Served, query: string, ...bindings: SqlStorageValue[]): StepEntry[] {
  return sql
    .exec<Row>(query, ...bindings)
    .toArray()
    .map((row) => entryOf(row, served));
}
