import type { Pairs } from '../chain/pairs.ts';
import type { PrepareResult } from '../chain/port.ts';
import { backoff } from '../lib/backoff.ts';
import { log } from '../log/log.ts';
import { pauseLane, resumeLane } from './lane-pause.ts';
import { pauseSigner } from './pause.ts';
import type { Signer } from './signer.ts';
import type { StepEntry } from './step-table.ts';
import { postpone, setEnded } from './transitions.ts';

const POSTPONE_MIN_MS = 2_000;
const POSTPONE_MAX_MS = 60_000;

/**
 * Records the results of `prepare`, except for ready calls, which are signed. An obstacle for many steps pauses their lane,
 * or the signer, once.
 */
export function applyFindings(signer: Signer, results: Pairs<StepEntry, PrepareResult>): void {
  const { sql } = signer.storage;
  const paused = new Map<string, string>();
  let wholeSigner: string | undefined;
  for (const [entry, result] of results) {
    const { seq, step, tries } = entry;
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
        break;
      case 'not-now':
        log('step-waits', { signer: signer.name, step: step.id, why: result.why, keeps: result.blocks });
        if (result.blocks === 'signer') wholeSigner = result.why;
        else if (result.blocks === 'gatekeeper-network') paused.set(lane, result.why);
        else postpone(sql, seq, Date.now() + backoff(POSTPONE_MIN_MS, tries, POSTPONE_MAX_MS), result.why);
        break;
    }
  }
  for (const [lane, why] of paused) pauseLane(sql, lane, why, Date.now());
  if (wholeSigner !== undefined) pauseSigner(signer, wholeSigner);
}
