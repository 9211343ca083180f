import type { Milliseconds } from '../lib/brand.ts';
import { CHAIN_RULES } from '../pass/chain-rules.ts';
import { passIdOf, type Step, stepIdRange } from '../pass/step.ts';

/**
 * On a chain where a reorg can give the token of a mint to another wallet, a change of the token waits until the mint is
 * final. The signer knows the mints that it signed, so it defers such a change without asking the chain.
 */

type Change = Pick<Step, 'id' | 'kind' | 'key'>;

/** A deferral ends when the mint becomes final. This time limit ends it if the signer missed that. */
const MINT_DEFERRAL_MS = 3_600_000;
const MINT_IS_NOT_FINAL = 'the mint of the pass is not final';

/** Whether the mint of the step's own pass is signed and not final. */
export function waitsForMint(sql: SqlStorage, { id, kind, key }: Change): boolean {
  if (kind === 'issue' || !CHAIN_RULES[key.chain].tokenIdsMove) return false;
  const query = `SELECT 1 FROM step INDEXED BY step_by_id
    WHERE id > ? AND id < ? AND kind = 'issue' AND status IN ('signed', 'confirmed') LIMIT 1`;
  return sql.exec(query, ...stepIdRange(passIdOf(id))).toArray().length > 0;
}

/** Returns when the signer prepares a new step for the first time, and the reason if that is not at once. */
export function firstPreparation(
  sql: SqlStorage,
  step: Change,
  now: Milliseconds,
): { readonly notBefore: Milliseconds; readonly why?: string } {
  return waitsForMint(sql, step) ? { notBefore: now + MINT_DEFERRAL_MS, why: MINT_IS_NOT_FINAL } : { notBefore: now };
}

export function deferUntilMintIsFinal(sql: SqlStorage, seq: number, now: Milliseconds): void {
  sql.exec('UPDATE step SET not_before = ?, why = ? WHERE seq = ?', now + MINT_DEFERRAL_MS, MINT_IS_NOT_FINAL, seq);
}

/** Makes the waiting steps of the pass due now, because its mint is final or given up. Does nothing if `step` is no mint. */
export function endMintDeferral(sql: SqlStorage, { id, kind, key }: Change, now: Milliseconds): void {
  if (kind !== 'issue' || !CHAIN_RULES[key.chain].tokenIdsMove) return;
  sql.exec(
    `UPDATE step SET not_before = ?, why = NULL
     WHERE id > ? AND id < ? AND status = 'waiting' AND parked IS NULL AND not_before > ?`,
    now,
    ...stepIdRange(passIdOf(id)),
    now,
  );
}
