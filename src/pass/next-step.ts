import type { UnixSeconds } from '../lib/brand.ts';
import { CHAIN_RULES } from './chain-rules.ts';
import { isReorged, type Pass } from './pass.ts';
import type { Task } from './step-kinds.ts';

/** Returns the next step that brings the chain to the wanted state, or undefined if none is possible or needed. Pure. */
export function nextStep({ key, wanted, onChain, rejected, revokedBy }: Pass): Task | undefined {
  if (revokedBy) return undefined;
  // Revoke even if no token is known: the known state may be old or wrong, and the step reads the newest final block.
  if (wanted.state === 'REVOKED') return { kind: 'revoke' };
  const { expiry } = wanted;
  if (onChain.state === 'NONE') return rejected ? undefined : { kind: 'issue', expiry };
  if (onChain.state === 'REVOKED') return undefined;
  if (expiry !== onChain.expiry && canSetExpiry(key.chain, onChain.state, expiry))
    return { kind: 'set-expiry', expiry };
  if (wanted.state !== onChain.state) return { kind: wanted.state === 'FROZEN' ? 'freeze' : 'unfreeze' };
  return undefined;
}

function canSetExpiry(
  chain: Pass['key']['chain'],
  state: 'ACTIVE' | 'FROZEN',
  expiry: UnixSeconds | undefined,
): boolean {
  const { expiryWhileFrozen, canClearExpiry } = CHAIN_RULES[chain];
  return (state === 'ACTIVE' || expiryWhileFrozen) && (expiry !== undefined || canClearExpiry);
}

/** Whether nothing is left to do on chain. */
export function isSettled(pass: Pass): boolean {
  return pass.step === undefined && !isReorged(pass) && nextStep(pass) === undefined;
}

/** Whether the pass needs a new step. */
export function needsStep(pass: Pass): boolean {
  return pass.step === undefined && !isReorged(pass) && nextStep(pass) !== undefined;
}
