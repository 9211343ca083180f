import type { PrepareResult } from '../chain/port.ts';
import { backoff } from '../lib/backoff.ts';
import { log } from '../log/log.ts';
import { pauseLane, resumeLane } from './lanes.ts';
import { pauseSigner } from './pause.ts';
import type { Signer } from './signer.ts';
import type * as ledger from './step-table.ts';
import * as transitions from './transitions.ts';

const PUT_OFF_MS = 2_000;
const LONGEST_PUT_OFF_MS = 60_000;

/**
 * Records what a look found, but for the calls that are ready and on their way. What keeps many steps waiting pauses
 * their lane, or the signer, once.
 */
export function settleFindings(
  signer: Signer,
  entries: readonly ledger.Entry[],
  findings: readonly PrepareResult[],
): void {
  const { sql } = signer.storage;
  const paused = new Map<string, string>();
  let wholeSigner: string | undefined;
  for (const [index, { seq, step, tries }] of entries.entries()) {
    const finding = findings[index];
    const lane = step.key.gatekeeperNetwork;
    switch (finding?.is) {
      case 'ready':
        resumeLane(sql, lane);
        break;
      case 'found':
        transitions.setOver(sql, seq, { at: 'found', onChain: finding.onChain });
        break;
      case 'refused':
        transitions.setOver(sql, seq, { at: 'failed', reason: finding.reason });
        break;
      case 'not-now':
        log('step-waits', { signer: signer.name, step: step.id, why: finding.why, keeps: finding.keeps });
        if (finding.keeps === 'signer') wholeSigner = finding.why;
        else if (finding.keeps === 'gatekeeper-network') paused.set(lane, finding.why);
        else transitions.putOff(sql, seq, Date.now() + backoff(PUT_OFF_MS, tries, LONGEST_PUT_OFF_MS), finding.why);
        break;
    }
  }
  for (const [lane, why] of paused) pauseLane(sql, lane, why, Date.now());
  if (wholeSigner !== undefined) pauseSigner(signer, wholeSigner);
}
