import type { Pass } from './pass.ts';

/** Why a wish cannot be granted. */
export type ChangeRefusal =
  | 'pass_frozen'
  | 'pass_revoked'
  | 'pass_rejected'
  | 'pass_expired'
  | 'issued_by_another_gatekeeper';

/** The pass as it is then, and whether it is another one than before. */
export interface AppliedChange {
  readonly pass: Pass;
  readonly changed: boolean;
}

/** What comes of a partner's wish. */
export type ChangeResult = AppliedChange | { readonly refused: ChangeRefusal };
