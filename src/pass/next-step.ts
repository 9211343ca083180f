import type { Pass } from './pass.ts';
import type { StepKind } from './step.ts';

/** The next step that brings the chain to what is wanted; undefined when they agree. Pure. */
export function nextStep({ wanted, onChain, rejected }: Pass): StepKind | undefined {
  if (onChain.state === 'NONE') return wanted.state === 'REVOKED' || rejected ? undefined : 'issue';
  // On Ethereum-type chains the contract changes the expiry of ACTIVE tokens only.
  if (onChain.state === 'ACTIVE' && wanted.expiry !== onChain.expiry) return 'set-expiry';
  return undefined;
}

/** Whether nothing is left to do on the chain. */
export function isSettled(pass: Pass): boolean {
  return pass.step === undefined && nextStep(pass) === undefined;
}
