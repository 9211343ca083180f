import type { Pairs } from '../chain/pairs.ts';
import { isUnknownError } from '../chain/reasons.ts';
import { backoff } from '../lib/backoff.ts';
import { log, logFault } from '../log/log.ts';
import { lanePauseMs, pauseLane, resumeLane } from './lane-pause.ts';
import { postponeHeld } from './parked-steps.ts';
import { pauseSigner } from './pause.ts';
import { HELD_RETRY_MAX_MS, HELD_RETRY_MIN_MS, type StepResult } from './requeue.ts';
import type { Signer } from './signer.ts';
import type { StepEntry } from './step-table.ts';
import { addToTotals, noGrowth } from './totals.ts';
import { postpone, setEnded } from './transitions.ts';
import { recordUnknownErrors } from './unknown-errors.ts';

const POSTPONE_MIN_MS = 2_000;
const POSTPONE_MAX_MS = 60_000;

/**
 * Records the results of `prepare`, except for ready calls, which the signer signs. An obstacle that concerns many steps
 * pauses their lane, or the signer, once. If another call of the lane succeeds in simulation, only the affected steps wait:
 * a contract that refuses to mint must not delay a revocation.
 */
export function applyFindings(signer: Signer, results: Pairs<StepEntry, StepResult>): void {
  const { storage } = signer;
  const { sql } = storage;
  const now = Date.now();
  const succeeding = new Set(
    results.flatMap(([{ step }, { type }]) => (type === 'ready' ? step.key.gatekeeperNetwork : [])),
  );
  const unknown = results.flatMap(([, result]) =>
    result.type === 'not-now' && isUnknownError(result.code) ? result.why : [],
  );
  const news = new Set(recordUnknownErrors(storage, unknown, now));
  const paused = new Map<string, string>();
  const growth = noGrowth();
  let wholeSigner: string | undefined;
  for (const [entry, result] of results) {
    const { seq, step, tries, isHeld } = entry;
    const lane = step.key.gatekeeperNetwork;
    switch (result.type) {
      case 'ready':
        resumeLane(sql, lane);
        break;
      case 'found':
        setEnded(signer, entry, { type: 'found', onChain: result.onChain });
        break;
      case 'refused':
        setEnded(signer, entry, { type: 'failed', reason: result.reason });
        growth.failed += 1;
        break;
      case 'not-now':
        if (!isUnknownError(result.code)) {
          log('signer.step_postponed', {
            signer: signer.name,
            step: step.id,
            reason: result.why,
            blocks: result.blocks,
          });
        } else if (news.delete(result.why)) {
          logFault('signer.contract_error_unknown', result.why, { signer: signer.name, step: step.id });
        }
        if (result.blocks === 'signer') wholeSigner = result.why;
        else if (result.blocks === 'gatekeeper-network' && !succeeding.has(lane)) {
          paused.set(lane, result.why);
          // Postpone it for longer than the lane pauses: other steps of the lane come first, even those of a lower rank.
          if (isUnknownError(result.code)) postpone(sql, seq, now + 2 * lanePauseMs(tries), result.why);
        } else if (isHeld) {
          postponeHeld(sql, seq, now + backoff(HELD_RETRY_MIN_MS, tries, HELD_RETRY_MAX_MS), result.why);
        } else postpone(sql, seq, now + backoff(POSTPONE_MIN_MS, tries, POSTPONE_MAX_MS), result.why);
        break;
    }
  }
  addToTotals(storage, growth);
  for (const [lane, why] of paused) pauseLane(sql, lane, why, now);
  if (wholeSigner !== undefined) pauseSigner(signer, wholeSigner);
}
