import type { UnixSeconds } from '../lib/brand.ts';

/** A change that a signer can make to a gateway token. */
export type StepKind = 'issue' | 'set-expiry' | 'freeze' | 'unfreeze' | 'revoke';

/** The effect that a step has to have on the wallet's gateway token. */
export interface Task {
  readonly kind: StepKind;
  /** The new expiry; undefined: never. Only `issue` and `set-expiry` have one. */
  readonly expiry?: UnixSeconds | undefined;
}
