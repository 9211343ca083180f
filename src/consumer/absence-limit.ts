import { hasValidToken, type OnChain } from '../pass/pass.ts';
import type { PassReading } from '../signer-object/read-passes.ts';
import type { Absences, Pair } from '../store/reconciliations.ts';

/** A pass that was compared with the chain. */
export interface ComparedPass {
  readonly key: Pair;
  readonly known: OnChain;
  readonly reading: PassReading;
}

/**
 * For each pair of gatekeeper network and network, a run adopts the loss of this many tokens, or of `MAX_SHARE` of the
 * compared passes if that is more. More losses look like a wrong contract address, or nodes without data.
 */
const FREE_ABSENCES = 5;
const MAX_SHARE = 0.02;

/** Returns the counts after these passes, given the counts before them. All passes belong to the same pair. Pure. */
export function countAbsences(before: Absences, passes: readonly ComparedPass[]): Absences {
  const compared = before.compared + passes.filter(({ reading }) => reading.type === 'read').length;
  const absent = before.absent + passes.filter(isAbsent).length;
  const isTooMany = absent > Math.max(FREE_ABSENCES, MAX_SHARE * compared, before.accepted);
  return { ...before, compared, absent, isHeld: before.isHeld || isTooMany };
}

function isAbsent({ known, reading }: ComparedPass): boolean {
  return reading.type === 'read' && hasValidToken(known) && !hasValidToken(reading.onChain);
}

/** Returns the text that identifies a pair of gatekeeper network and network. */
export function pairOf({ gatekeeperNetwork, network }: Pair): string {
  return `${gatekeeperNetwork}/${network}`;
}
