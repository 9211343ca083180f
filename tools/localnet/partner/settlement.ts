import { openEventOf } from '../../../src/pass/events.ts';
import type { PassRecord } from '../../../src/pass/record.ts';
import { CHANGES, type Change } from '../../../src/pass/vocabulary.ts';

/** Whether the pass is settled as far as its record shows: every change that began has ended. */
export function isSettled({ chain, state, onChainState, events }: PassRecord): boolean {
  // GatewayToken does not change the expiry of a frozen token, so this change waits for the unfreezing.
  const expiryWaits = chain.type === 'ethereum' && state === 'FROZEN';
  const awaited = CHANGES.filter((change) => !(expiryWaits && change === 'TOKEN_EXPIRY_CHANGED'));
  if (awaited.some((change) => openEventOf(events, change))) return false;
  // Before the service begins to revoke a pass that was never on chain, no change is under way.
  const isRevoked = state === 'REVOKED' && onChainState === 'NONE' && hasEnded(events, 'TOKEN_REVOKED');
  return state === onChainState || state === 'REJECTED' || isRevoked;
}

/** Whether the change ended in these events, with or without success. */
export function hasEnded(events: PassRecord['events'], change: Change): boolean {
  return events.some(({ eventType }) => eventType === change || eventType === `${change}_FAILED`);
}
