import type { PrepareResult } from '../chain/port.ts';
import { backoff } from '../lib/backoff.ts';
import { log } from '../log/log.ts';
import { pauseLane, resumeLane } from './lanes.ts';
import { pauseSigner } from './pause.ts';
import type { Signer } from './signer.ts';
import type * as ledger from './step-table.ts';
import * as transitions from './transitions.ts';

const POSTPONE_MIN_MS = 2_000;
const POSTPONE_MAX_MS = 60_000;

/**
 * Records what a look found, but for the calls that are ready and on their way. What keeps many steps waiting pauses
 * their lane, or the signer, once.
 */
export function applyFindings(
  signer: Signer,
  entries: readonly ledger.StepEntry[],
  findings: readonly PrepareResult[],
): void {
  const { sql } = signer.storage;
  const paused = new Map<string, string>();
  let wholeSigner: string | undefined;
  for (const [index, { seq, step, tries }] of entries.entries()) {
    const finding = findings[index];
    const lane = step.key.gatekeeperNetwork;
    switch (finding?.type) {
      case 'ready':
        resumeLane(sql, lane);
        break;
      case 'found':
        transitions.setEnded(sql, seq, { type: 'found', onChain: finding.onChain });
        break;
      case 'refused':
        transitions.setEnded(sql, seq, { type: 'failed', reason: finding.reason });
        break;
      case 'not-now':
        log('step-waits', { signer: signer.name, step: step.id, why: finding.why, keeps: finding.blocks });
        if (finding.blocks === 'signer') wholeSigner = finding.why;
        else if (finding.blocks === 'gatekeeper-network') paused.set(lane, finding.why);
        else transitions.postpone(sql, seq, Date.now() + backoff(POSTPONE_MIN_MS, tries, POSTPONE_MAX_MS), finding.why);
        break;
    }
  }
  for (const [lane, why] of paused) pauseLane(sql, lane, why, Date.now());
  if (wholeSigner !== undefined) pauseSigner(signer, wholeSigner);
}
