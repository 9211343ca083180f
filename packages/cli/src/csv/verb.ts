/** The commands that change passes. */
export const VERBS = ['issue', 'freeze', 'unfreeze', 'revoke', 'set-expiry', 'set-reference'] as const;
export type Verb = (typeof VERBS)[number];

interface RequestedChange {
  /** The change in the record of the pass. */
  readonly change: string;
  /** The state that the verb requests; undefined: it does not change the state. */
  readonly state?: 'ACTIVE' | 'FROZEN' | 'REVOKED';
  readonly takesExpiry: boolean;
  readonly takesReference: boolean;
  /** Whether the chain has the change, so that a run waits for its event. */
  readonly isOnChain: boolean;
}

const ON_CHAIN = { takesReference: false, isOnChain: true } as const;

export const REQUESTED: Readonly<Record<Verb, RequestedChange>> = {
  issue: { change: 'TOKEN_ISSUED', state: 'ACTIVE', takesExpiry: true, takesReference: true, isOnChain: true },
  freeze: { change: 'TOKEN_FROZEN', state: 'FROZEN', takesExpiry: false, ...ON_CHAIN },
  unfreeze: { change: 'TOKEN_UNFROZEN', state: 'ACTIVE', takesExpiry: false, ...ON_CHAIN },
  revoke: { change: 'TOKEN_REVOKED', state: 'REVOKED', takesExpiry: false, ...ON_CHAIN },
  'set-expiry': { change: 'TOKEN_EXPIRY_CHANGED', takesExpiry: true, ...ON_CHAIN },
  'set-reference': { change: 'REFERENCE_CHANGED', takesExpiry: false, takesReference: true, isOnChain: false },
};
