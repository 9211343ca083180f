import type { Verdict } from '../../../src/pass/verdict.ts';
import type { PassRecord } from '../api/records.ts';

/** Whether the chain follows what the partner wants. */

/** The events of a full record. It lacks those after its first one: `docs/partners/limits.md`. */
const FULL_RECORD_EVENTS = 100;

/** Whether a change of the pass has begun and not ended. The newest event of each change tells: `docs/partners/pass-life.md`. */
function isChanging({ events }: PassRecord): boolean {
  const listed = events.length < FULL_RECORD_EVENTS ? events : events.slice(1);
  const newest = new Map(
    listed.map(({ eventType }) => [eventType.replace(/_(INITIATED|FAILED|REORGED)$/, ''), eventType]),
  );
  return [...newest.values()].some((eventType) => /_(INITIATED|REORGED)$/.test(eventType));
}

/** Whether the chain lacks the wanted state. A pass that was rejected, or revoked before it was signed, ends with `NONE`. */
const differs = ({ state, onChainState }: PassRecord) =>
  state !== onChainState && !(onChainState === 'NONE' && ['REVOKED', 'REJECTED'].includes(state));

export const isMoving = (pass: PassRecord) => differs(pass) || isChanging(pass);

export function describeProgress(pass: PassRecord, { isAccepted }: Verdict): string {
  if (isChanging(pass)) return 'A change is under way.';
  if (differs(pass)) return 'The chain does not have the wanted state.';
  // An expired pass is active on chain, and yet nobody wants that.
  return isAccepted || !['ACTIVE', 'REJECTED'].includes(pass.state) ? 'The chain has the wanted state.' : '';
}
