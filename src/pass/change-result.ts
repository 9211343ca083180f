import { isSettled } from './next-step.ts';
import type { Pass } from './pass.ts';

/** Why a partner's request for a change is refused. */
export type ChangeRefusal =
  | 'pass_frozen'
  | 'pass_revoked'
  | 'pass_rejected'
  | 'pass_expired'
  | 'expiry_differs'
  | 'issued_by_another_gatekeeper';

/** The pass after a change, and whether it differs from the pass before. */
export interface AppliedChange {
  readonly type: 'applied';
  readonly pass: Pass;
  readonly changed: boolean;
}

export type ChangeResult = AppliedChange | { readonly type: 'refused'; readonly reason: ChangeRefusal };

export const applyChange = (pass: Pass): AppliedChange => ({ type: 'applied', pass, changed: true });
export const keepPass = (pass: Pass): AppliedChange => ({ type: 'applied', pass, changed: false });
export const refuseChange = (reason: ChangeRefusal): ChangeResult => ({ type: 'refused', reason });

/**
 * Returns the pass after a request that changes nothing. While the pass is unsettled, the client of this request replaces
 * the stored one, so that the step does not wait for a suspended client.
 */
export function takeOver(pass: Pass, client: string): AppliedChange {
  return client !== pass.client && !isSettled(pass) ? applyChange({ ...pass, client }) : keepPass(pass);
}
