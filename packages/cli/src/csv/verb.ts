import { OWN_NAMES, type OwnName } from './own-names.ts';

/** The commands that change passes. */
export const VERBS = ['issue', 'freeze', 'unfreeze', 'revoke', 'set-expiry', 'set-reference', 'set-subject'] as const;
export type Verb = (typeof VERBS)[number];

interface RequestedChange {
  /** The change in the record of the pass. */
  readonly change: string;
  /** The state that the verb requests; undefined: it does not change the state. */
  readonly state?: 'ACTIVE' | 'FROZEN' | 'REVOKED';
  readonly takesExpiry: boolean;
  /** The names that the verb gives to a pass. */
  readonly names: readonly OwnName[];
  /** Whether the chain has the change, so that a run waits for its event. */
  readonly isOnChain: boolean;
}

const ON_CHAIN = { names: [], isOnChain: true } as const;

export const REQUESTED: Readonly<Record<Verb, RequestedChange>> = {
  issue: { change: 'TOKEN_ISSUED', state: 'ACTIVE', takesExpiry: true, ...ON_CHAIN, names: OWN_NAMES },
  freeze: { change: 'TOKEN_FROZEN', state: 'FROZEN', takesExpiry: false, ...ON_CHAIN },
  unfreeze: { change: 'TOKEN_UNFROZEN', state: 'ACTIVE', takesExpiry: false, ...ON_CHAIN },
  revoke: { change: 'TOKEN_REVOKED', state: 'REVOKED', takesExpiry: false, ...ON_CHAIN },
  'set-expiry': { change: 'TOKEN_EXPIRY_CHANGED', takesExpiry: true, ...ON_CHAIN },
  'set-reference': { change: 'REFERENCE_CHANGED', takesExpiry: false, names: ['reference'], isOnChain: false },
  'set-subject': { change: 'SUBJECT_CHANGED', takesExpiry: false, names: ['subject'], isOnChain: false },
};
