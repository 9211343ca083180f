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

/** Returns the reason that the service gave for the newest failure, unless a later event made it pointless. */
const failureOf = ({ events }: PassRecord) => {
  const newest = events.at(-1);
  return newest?.eventType.endsWith('_FAILED') ? newest.reason : undefined;
};

/** The change that a begun event names, in words. */
const CHANGES: Readonly<Record<string, string>> = {
  TOKEN_ISSUED: 'the issuance',
  TOKEN_FROZEN: 'the freeze',
  TOKEN_UNFROZEN: 'the end of the freeze',
  TOKEN_REVOKED: 'the revocation',
  TOKEN_EXPIRY_CHANGED: 'the new expiry',
};

/** Says what the chain lacks, and what the service waits for. */
export function describeProgress(pass: PassRecord, { isAccepted }: Verdict): string {
  const failure = failureOf(pass);
  if (isChanging(pass)) {
    const begun = pass.events.findLast(({ eventType }) => /_(INITIATED|REORGED)$/.test(eventType));
    const change = CHANGES[begun?.eventType.replace(/_(INITIATED|REORGED)$/, '') ?? ''];
    const isSent = begun?.transaction !== undefined;
    const because = pass.waitsFor === undefined ? '' : ` ${pass.waitsFor.detail}`;
    if (change === undefined) return `A change is under way.${because}`;
    return `A change is under way: ${change} waits for ${isSent ? 'the confirmation of its transaction' : 'its transaction'}.${because}`;
  }
  // The marks isolate the direction of a text of others.
  const because = failure === undefined ? '' : ` The service says: \u2068${failure}\u2069.`;
  if (differs(pass)) return `The chain does not have the wanted state.${because}`;
  if (pass.state === 'REJECTED') return because.trim();
  // An expired pass is active on chain, and yet nobody wants that.
  return isAccepted || pass.state !== 'ACTIVE'
    ? 'The chain has the wanted state.'
    : 'Renew it, and dApps accept it again.';
}
