import type { Milliseconds } from '../lib/brand.ts';
import { parkStep } from './parked-steps.ts';
import type { Signer } from './signer.ts';
import type { StepEntry } from './step-table.ts';
import { SUSPENSIONS_RETRY_MS } from './suspended-clients.ts';
import { postpone } from './transitions.ts';

const WHY_SUSPENDED = 'the client that requested the step is suspended: resume the client, or withdraw its steps';
const WHY_UNKNOWN = 'the signer could not read the list of suspended clients yet: it tries again by itself';

/** Parks the steps of suspended clients. Returns the other steps. */
export function holdBackSuspended(
  { storage: { sql }, suspended }: Signer,
  entries: readonly StepEntry[],
  now: Milliseconds,
): StepEntry[] {
  return entries.filter(({ seq, step, isHeld }) => {
    // A held step is not signed anyway, and the end of a suspension must not release it.
    if (isHeld) return true;
    const verdict = suspended.allows(step);
    if (verdict === 'unknown') postpone(sql, seq, now + SUSPENSIONS_RETRY_MS, WHY_UNKNOWN);
    else if (!verdict) parkStep(sql, seq, 'suspended', WHY_SUSPENDED, now);
    return verdict === true;
  });
}
