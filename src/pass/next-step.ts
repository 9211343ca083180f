import type { UnixSeconds } from '../lib/units.ts';
import { parseSignerName, type SignerName } from '../network/network.ts';
import { appendEvents, initiatedEventOf, openEventOf } from './events.ts';
import { isReorged, type Pass, type PinnedStep } from './pass.ts';
import { type SubmittedStep, stepId } from './step.ts';
import { CHAIN_RULES, rankOf, STEP_KINDS, type Task } from './step-kinds.ts';

/** Returns the next step that brings the chain to the wanted state, or undefined if none is possible or needed. Pure. */
export function nextStep({ key, wanted, onChain, rejected, revokedBy, hold }: Pass): Task | undefined {
  if (revokedBy) return undefined;
  // Revoke even if no token is known: the known state may be old or wrong, and the step reads the newest final block.
  if (wanted.state === 'REVOKED') return { kind: 'revoke' };
  const { expiry } = wanted;
  // A wallet gets no token while its subject is frozen.
  if (onChain.state === 'NONE') return rejected || hold?.state === 'FROZEN' ? undefined : { kind: 'issue', expiry };
  if (onChain.state === 'REVOKED') return undefined;
  // A new expiry has a lower rank, so it must not delay the freeze of a subject.
  if (hold?.state === 'FROZEN' && wanted.state === 'FROZEN' && onChain.state === 'ACTIVE') return { kind: 'freeze' };
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

/**
 * Returns the pass with its step pinned: the one that is already pinned, or the next one. Undefined if nothing is left to do.
 * `now` in Unix seconds.
 */
export function pinNextStep(pass: Pass, now: UnixSeconds): { pass: Pass; step: SubmittedStep } | undefined {
  const pinned = pass.step ? pass : pinNext(pass, now);
  if (pinned?.step === undefined) return undefined;
  const { id, kind, expiry, revision } = pinned.step;
  const { key, contract, onChain: known, issuanceRank, client } = pass;
  return {
    pass: pinned,
    step: {
      id,
      kind,
      rank: rankOf(kind, issuanceRank),
      expiry,
      revision,
      known,
      key,
      contract,
      client,
      superseded: isSuperseded(pinned),
    },
  };
}

function pinNext(pass: Pass, now: UnixSeconds): Pass | undefined {
  const task = isReorged(pass) ? undefined : nextStep(pass);
  if (task === undefined) return undefined;
  const steps = pass.steps + 1;
  const step: PinnedStep = { ...task, id: stepId(pass.id, steps), revision: 0, isSubmitted: false };
  const pinned = { ...pass, steps, step };
  // The record may already show the beginning: an issuance since its request, another change since it had to wait.
  const { change } = STEP_KINDS[task.kind];
  const announced = openEventOf(pass.events, change) && initiatedEventOf(pass.events, change);
  // A confirmed transaction changed another token of the wallet, and stays in the event that began it.
  if (announced !== undefined && announced.transaction?.status !== 'confirmed') return pinned;
  return appendEvents(pinned, now, { eventType: `${change}_INITIATED`, timestamp: now });
}

/** Whether the pass would pin another step by now. */
function isSuperseded({ step, ...pass }: Pass): boolean {
  if (isReorged(pass)) return false;
  const next = nextStep(pass);
  return next?.kind !== step?.kind || next?.expiry !== step?.expiry;
}

/** Whether this service can sign with the key that issued a pass or will issue it. */
export type IssuerKey = 'in-service' | 'missing' | 'compromised';

/**
 * Returns the pass with another signer for its next steps. The previous signer keeps tracking the steps that it did. On a
 * chain where only the issuing gatekeeper freezes, the token now counts as issued by another gatekeeper.
 */
export function changeSigner(pass: Pass, signer: SignerName): Pass {
  const { key, signer: before, onChain, past } = pass;
  const isOthers = CHAIN_RULES[key.chain].onlyIssuerFreezes && onChain.state !== 'NONE' && !onChain.foreign;
  return {
    ...pass,
    signer,
    past: past?.map((step) => ({ signer: before, ...step })),
    onChain: isOthers ? { ...onChain, foreign: true, issuer: parseSignerName(before).address } : onChain,
  };
}

/**
 * Whether the service can only revoke the pass, because the chain reserves other changes to the issuer, and the issuer's key
 * is compromised. False if the pass has no token on chain and no step that may create one.
 */
export function isUpToCompromised({ key, onChain, step }: Pass, issuerKey: IssuerKey): boolean {
  const mayHaveToken = onChain.state !== 'NONE' || step !== undefined;
  return CHAIN_RULES[key.chain].onlyIssuerFreezes && issuerKey === 'compromised' && mayHaveToken;
}
