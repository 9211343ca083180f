/** The commands that change passes. */
export const VERBS = ['issue', 'freeze', 'unfreeze', 'revoke', 'set-expiry'] as const;
export type Verb = (typeof VERBS)[number];

interface RequestedChange {
  /** The change in the record of the pass. */
  readonly change: string;
  /** The state that the verb requests; undefined: it does not change the state. */
  readonly state?: 'ACTIVE' | 'FROZEN' | 'REVOKED';
  readonly takesExpiry: boolean;
}

export const REQUESTED: Readonly<Record<Verb, RequestedChange>> = {
  issue: { change: 'TOKEN_ISSUED', state: 'ACTIVE', takesExpiry: true },
  freeze: { change: 'TOKEN_FROZEN', state: 'FROZEN', takesExpiry: false },
  unfreeze: { change: 'TOKEN_UNFROZEN', state: 'ACTIVE', takesExpiry: false },
  revoke: { change: 'TOKEN_REVOKED', state: 'REVOKED', takesExpiry: false },
  'set-expiry': { change: 'TOKEN_EXPIRY_CHANGED', takesExpiry: true },
};
