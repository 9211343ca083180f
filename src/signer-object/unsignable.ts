import { CHAIN_RULES } from '../pass/chain-rules.ts';
import { passIdOf } from '../pass/step.ts';
import { STEP_KINDS } from '../pass/step-kinds.ts';
import type { WaitCode } from '../pass/wait-reasons.ts';
import { needsEarlierStore } from './earlier-store.ts';
import type { Signer } from './signer.ts';
import { hasNonFinalStep } from './step-queries.ts';
import { isHeld, type StepEntry } from './step-row.ts';

/**
 * Why the signer must not sign a step, whatever the chain shows. Nodes and a KMS take seconds, in which the operator suspends clients,
 * contracts change and blocks leave the chain. So the signer asks before it signs, and again before it stores the signature.
 */

/** Returns why the signer does not even prepare the step; undefined: it does. The chain may still end a held step. */
export function unpreparableReason(signer: Signer, entry: StepEntry): WaitCode | undefined {
  const { step, mayBeSigned, nonce } = entry;
  if (step.kind === 'issue' && mayBeSigned && needsEarlierStore(signer)) return 'earlier-store';
  if (nonce !== undefined) return 'nonce-not-final';
  // The end of a suspension must not release a held step.
  if (isHeld(entry)) return undefined;
  const isAllowed = signer.suspended.allows(step);
  if (isAllowed === 'unknown') return 'suspensions-unread';
  if (!isAllowed) return 'client-suspended';
  return signer.contracts?.allows(step) === false ? 'contract-code-unknown' : undefined;
}

/** Returns why the signer does not sign the step, or does not store its signature; undefined: it does. */
export function unsignableReason(signer: Signer, entry: StepEntry): WaitCode | undefined {
  const reason = unpreparableReason(signer, entry);
  if (reason !== undefined) return reason;
  if (isHeld(entry)) return 'effect-not-shown';
  const { step } = entry;
  const { storage, steps, isCompromised } = signer;
  if (isCompromised) return 'key-compromised';
  // On a chain without an order of transactions, the two could take effect in either order.
  const isOrdered = CHAIN_RULES[step.key.chain].transactionsAreOrdered || !STEP_KINDS[step.kind].needsOrder;
  if (!isOrdered && hasNonFinalStep(storage.sql, passIdOf(step.id), step.kind)) return 'earlier-step-not-final';
  // The contract lets a wallet have a second token.
  return step.kind === 'issue' && steps.hasIssuanceInFlight(step) ? 'issuance-in-flight' : undefined;
}
