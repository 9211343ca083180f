import type { Milliseconds } from '../lib/brand.ts';
import { passIdOf, type SubmittedStep, stepIdRange } from '../pass/step.ts';
import type { Rank } from '../pass/step-kinds.ts';
import { mayBeSigned } from './earlier-store.ts';
import { firstPreparation } from './mint-deferral.ts';
import { type StepQueue, WAITING_JSON } from './step-table.ts';

/**
 * Adds steps and returns those that are new. It does not add a step in these cases:
 * - The signer has it already. If it waits in a lower rank than it is submitted with, it moves up, even if the higher rank
 *   is full, because the lane does not grow.
 * - Its rank has no room in its lane.
 * - It is an issuance for a wallet that has another unfinished issuance.
 */
export function addSteps(
  signer: StepQueue,
  steps: readonly SubmittedStep[],
  now: Milliseconds = Date.now(),
): SubmittedStep[] {
  const { storage, lanes } = signer;
  for (const lane of new Set(steps.map(({ key }) => key.gatekeeperNetwork))) {
    storage.sql.exec('INSERT OR IGNORE INTO lane (gatekeeper_network) VALUES (?)', lane);
  }
  return steps.filter((step) => {
    const { gatekeeperNetwork: lane } = step.key;
    const isNew = lanes.hasRoom(lane, step.rank) && insertStep(storage, step, now);
    if (isNew) lanes.add(lane, step.rank);
    else {
      liftStep(signer, step);
      changeClient(storage.sql, step, now);
    }
    return isNew;
  });
}

function insertStep({ sql, kv }: DurableObjectStorage, step: SubmittedStep, now: Milliseconds): boolean {
  const { id, key, kind, rank, expiry, known, revision = 0 } = step;
  const { notBefore, why } = firstPreparation(sql, { id, key, kind }, now);
  const { rowsWritten } = sql.exec(
    `INSERT OR IGNORE INTO step
       (id, gatekeeper_network, wallet, kind, rank, unfinished, expiry, known, status, standing, revision, heard,
        not_before, why, client, nonces_given_up)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?, ?, ?, ?, ?, ?)`,
    id,
    key.gatekeeperNetwork,
    key.wallet,
    kind,
    rank,
    kind === 'issue' ? 1 : null,
    expiry ?? null,
    known === undefined ? null : JSON.stringify(known),
    WAITING_JSON,
    revision + 1,
    mayBeSigned(kv, step) ? 1 : 0,
    notBefore,
    why ?? null,
    step.client ?? null,
    noncesGivenUpBefore(sql, id),
  );
  return rowsWritten > 0;
}

/**
 * Returns the highest number of nonces that a withdrawn or failed step of the pass gave up. The next step continues that
 * count: a partner could otherwise get new nonces by changing the pass.
 */
function noncesGivenUpBefore(sql: SqlStorage, id: string): number {
  const query = `SELECT ifnull(max(nonces_given_up), 0) AS n FROM step
    WHERE id > ? AND id < ? AND standing ->> 'at' IN ('withdrawn', 'failed')`;
  return sql.exec<{ n: number }>(query, ...stepIdRange(passIdOf(id))).one().n;
}

/** Moves a step that waits in a lower rank up to the rank of its new submission: a single request now asks for its pass. */
function liftStep({ storage: { sql }, lanes }: StepQueue, { id, key, rank }: SubmittedStep): void {
  const query = "SELECT rank FROM step WHERE id = ? AND status = 'waiting' AND rank > ?";
  const [lower] = sql.exec<{ rank: Rank }>(query, id, rank).toArray();
  if (lower === undefined) return;
  sql.exec('UPDATE step SET rank = ? WHERE id = ?', rank, id);
  lanes.add(key.gatekeeperNetwork, lower.rank, -1);
  lanes.add(key.gatekeeperNetwork, rank);
}

/** Records that another client now requests a waiting step. The step no longer waits for a suspended client. */
function changeClient(sql: SqlStorage, { id, client }: SubmittedStep, now: Milliseconds): void {
  if (client === undefined) return;
  sql.exec(
    `UPDATE step SET client = ?1, not_before = iif(parked = 'suspended', ?2, not_before),
       why = iif(parked = 'suspended', NULL, why), parked = nullif(parked, 'suspended')
     WHERE id = ?3 AND status = 'waiting' AND client IS NOT ?1`,
    client,
    now,
    id,
  );
}
