/** The commands that change passes. */
export const VERBS = ['issue', 'freeze', 'unfreeze', 'revoke', 'set-expiry'] as const;
export type Verb = (typeof VERBS)[number];

/** The state that a verb requests; undefined: it does not change the state. */
export const STATE_OF: Readonly<Record<Verb, 'ACTIVE' | 'FROZEN' | 'REVOKED' | undefined>> = {
  issue: 'ACTIVE',
  freeze: 'FROZEN',
  unfreeze: 'ACTIVE',
  revoke: 'REVOKED',
  'set-expiry': undefined,
};

export const takesExpiry = (verb: Verb) => verb === 'issue' || verb === 'set-expiry';
