import type { BlockReference } from '../chain/port.ts';
import type { Milliseconds, NanoCoins } from '../lib/brand.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { StepStatus } from '../pass/step.ts';
import type { Rank } from '../pass/step-kinds.ts';
import { isEarlierStoreOver } from './earlier-store.ts';
import { endMintDeferral } from './mint-deferral.ts';
import type { Signer } from './signer.ts';
import { dayOf } from './spending.ts';
import { addedCost, costCorrection } from './step-cost.ts';
import { IS_UNSIGNED, type StepEntry, type StepQueue } from './step-table.ts';
import { formatStatus, formatTransaction, type StoredTransaction } from './stored-names.ts';

/**
 * The transitions of the signer's steps, except into `waiting` (`add-steps.ts`, `requeue.ts`): waiting → unsent (signed and stored) → sent (a node accepted it) → confirmed →
 * final. Every function is synchronous: calls without an `await` between them commit together.
 */

/** The parts of a signer that are needed to count costs. */
type SpendingQueue = Pick<Signer, 'storage' | 'lanes' | 'spending'>;

/** How long a step stays in the table after it is final and its outcome is acknowledged. */
const KEEP_FINAL_MS = 24 * 3_600_000;

/** Stores the signed bytes and counts their maximum cost. The signer sends bytes only after this. `now` in milliseconds. */
export function storeSigned(
  { storage: { sql }, lanes, spending }: SpendingQueue,
  entry: StepEntry,
  signed: StoredTransaction,
  nonce: number | undefined,
  now: Milliseconds = Date.now(),
): void {
  const { maxCost = 0 } = signed;
  const lane = entry.step.key.gatekeeperNetwork;
  spending.change(lane, now, () => {
    const [row] = sql
      .exec<{ rank: Rank }>(
        `UPDATE step SET status = 'signed', nonce = ?1, signed = ?2, tries = 0, why = NULL,
           cost = iif(cost_day = ?3, cost, 0) + ?4, cost_day = ?3, first_signed_at = coalesce(first_signed_at, ?6)
         WHERE seq = ?5 AND status = 'waiting' RETURNING rank`,
        nonce ?? null,
        `[${[...entry.signed, signed].map(formatTransaction).join()}]`,
        dayOf(now),
        maxCost,
        entry.seq,
        signed.signedAtMs ?? now,
      )
      .toArray();
    // A step must never get two independent transactions: both could take effect.
    if (row === undefined) throw new Error(`step ${entry.step.id} is no longer waiting: its new bytes are discarded`);
    lanes.add(lane, row.rank, -1);
    return maxCost;
  });
}

/**
 * Stores a replacement at the same nonce before the signer sends it: a block may include any of the transactions. Returns
 * false if the step is no longer signed at that nonce. The answer to the pass names the newest replacement.
 */
export function storeReplacement(
  { storage: { sql }, spending }: SpendingQueue,
  entry: StepEntry,
  raised: StoredTransaction,
  now: Milliseconds,
): boolean {
  const added = addedCost(entry, raised, now);
  let isStored = false;
  spending.change(entry.step.key.gatekeeperNetwork, now, () => {
    const { rowsWritten } = sql.exec(
      `UPDATE step SET signed = json_insert(signed, '$[#]', json(?1)),
         revision = revision + iif(standing ->> 'at' = 'sent', 1, 0),
         standing = iif(standing ->> 'at' = 'sent', json_set(standing, '$.transaction', ?2), standing),
         cost = iif(cost_day = ?3, cost, 0) + ?4, cost_day = ?3
       WHERE seq = ?5 AND nonce = ?6 AND status = 'signed'`,
      formatTransaction(raised),
      raised.identifier,
      dayOf(now),
      added,
      entry.seq,
      entry.nonce ?? null,
    );
    isStored = rowsWritten > 0;
    return isStored ? added : 0;
  });
  return isStored;
}

/** Records that a node accepted the transaction. The first time, the answer to the pass changes to `sent`. */
export function setSent(sql: SqlStorage, { seq, answer }: StepEntry, transaction: string): void {
  const news = answer.status.type === 'waiting' ? 1 : 0;
  sql.exec(
    `UPDATE step SET taken = 1, revision = revision + ?, standing = iif(?, ?, standing)
     WHERE seq = ? AND status = 'signed' AND NOT taken`,
    news,
    news,
    formatStatus({ type: 'sent', transaction }),
    seq,
  );
}

/** Postpones a step until the given time (milliseconds). `why` is for the operator. */
export function postpone(sql: SqlStorage, seq: number, until: number, why: string): void {
  sql.exec('UPDATE step SET not_before = ?, tries = tries + 1, why = ? WHERE seq = ?', until, why, seq);
}

/** Makes issuances that an earlier store may have signed due at `now` (milliseconds). */
export function release(sql: SqlStorage, now: number): void {
  const query = `UPDATE step SET not_before = ?, tries = 0, why = NULL
    WHERE status = 'waiting' AND kind = 'issue' AND heard = 1 AND parked IS NULL AND not_before > ?`;
  sql.exec(query, now, now);
}

/**
 * Records that a block includes the transaction. Another block than before is a new outcome as well: a node that is behind
 * that block does not show the effect.
 */
export function setConfirmed(sql: SqlStorage, seq: number, status: StepStatus, place: BlockReference): void {
  sql.exec(
    `UPDATE step SET status = 'confirmed', taken = 1, unfinished = NULL, place = ?, standing = ?, revision = revision + 1,
       unacknowledged = 1 WHERE seq = ?`,
    JSON.stringify(place),
    formatStatus(status),
    seq,
  );
}

/** Ends a step that has no valid transaction: it was adopted or refused, or its transaction left the chain irreversibly. */
export function setEnded({ storage: { sql }, lanes }: StepQueue, entry: StepEntry, status: StepStatus): void {
  const { rank } = sql
    .exec<{ rank: Rank }>(
      `UPDATE step SET status = 'final', unfinished = NULL, standing = ?, revision = revision + 1, unacknowledged = 1
       WHERE seq = ? RETURNING rank`,
      formatStatus(status),
      entry.seq,
    )
    .one();
  if (entry.status === 'waiting') lanes.add(entry.step.key.gatekeeperNetwork, rank, -1);
  endMintDeferral(sql, entry.step, Date.now());
}

/**
 * Ends a waiting step that is superseded or abandoned. It does nothing if a block may still include a transaction for the
 * step: an earlier store may have signed one, or the nonce of the last one is not settled.
 */
export function withdraw(
  { storage: { sql }, lanes }: StepQueue,
  id: string,
  status: StepStatus = { type: 'withdrawn' },
): void {
  const [row] = sql
    .exec<{ lane: GatekeeperNetwork; rank: Rank }>(
      `UPDATE step SET status = 'final', unfinished = NULL, standing = ?, revision = revision + 1, unacknowledged = 1
       WHERE id = ? AND ${IS_UNSIGNED} RETURNING gatekeeper_network AS lane, rank`,
      formatStatus(status),
      id,
    )
    .toArray();
  if (row !== undefined) lanes.add(row.lane, row.rank, -1);
}

/**
 * Withdraws at most `limit` waiting steps: another signer does the next steps of their passes. It keeps issuances that an
 * earlier store may have signed until the nonces of that store are final, because a second mint would succeed. Any other
 * change may be made twice.
 */
export function withdrawWaiting(signer: Pick<Signer, 'storage' | 'lanes' | 'network'>, limit: number): void {
  const isOver = isEarlierStoreOver(signer) ? 1 : 0;
  signer.storage.sql.exec(
    `UPDATE step SET status = 'final', unfinished = NULL, standing = ?, revision = revision + 1, unacknowledged = 1
     WHERE seq IN (SELECT seq FROM step INDEXED BY step_waiting
       WHERE status = 'waiting' AND nonce IS NULL AND (heard = 0 OR kind <> 'issue' OR ?) LIMIT ?)`,
    formatStatus({ type: 'withdrawn' }),
    isOver,
    limit,
  );
  signer.lanes.recount();
}

/**
 * Records that a step is final. Its row is deleted a day after its outcome is also acknowledged.
 * @param cost Actual cost of its transaction. If it is unknown (undefined), the maximum cost stays counted.
 */
export function setFinal(
  { storage: { sql }, spending }: SpendingQueue,
  entry: StepEntry,
  now: Milliseconds,
  cost?: NanoCoins,
): void {
  const correction = costCorrection(entry, cost, now);
  spending.change(entry.step.key.gatekeeperNetwork, now, () => {
    sql.exec(
      `UPDATE step SET status = 'final', forget_at = CASE unacknowledged WHEN 0 THEN ? END, cost = cost + ? WHERE seq = ?`,
      now + KEEP_FINAL_MS,
      correction,
      entry.seq,
    );
    return correction;
  });
  endMintDeferral(sql, entry.step, now);
}

/**
 * Records that the block of a step left the chain. The signer sends the same bytes again and announces this to the pass. Returns
 * false if nothing changed.
 */
export function setVanished(sql: SqlStorage, seq: number, transaction: string, now: number): boolean {
  // No other issuance for the wallet should be unfinished. If one is, this step stays confirmed, and the next run tries again.
  const { rowsWritten } = sql.exec(
    `UPDATE OR IGNORE step SET status = 'signed', taken = 0, unfinished = iif(kind = 'issue', 1, NULL), place = NULL,
       not_before = 0, standing = ?, revision = revision + 1, unacknowledged = 1, forget_at = NULL,
       signed = json_set(signed, '$[#-1].at', ?)
     WHERE seq = ? AND status = 'confirmed'`,
    formatStatus({ type: 'vanished', transaction }),
    // The transaction waits for a block from now on.
    now,
    seq,
  );
  return rowsWritten > 0;
}

/** Records that the pass has stored the outcome of that revision. */
export function acknowledge(sql: SqlStorage, step: string, revision: number, now: number): void {
  sql.exec(
    `UPDATE step SET unacknowledged = 0, forget_at = CASE status WHEN 'final' THEN ? END
     WHERE id = ? AND revision = ? AND unacknowledged = 1`,
    now + KEEP_FINAL_MS,
    step,
    revision,
  );
}

export function deleteForgotten(sql: SqlStorage, now: number): void {
  sql.exec('DELETE FROM step WHERE forget_at <= ?', now);
}
