import type { PassState } from './pass-watch.ts';

/** The default texts. A page replaces any of them. */
export const TEXTS: Readonly<Record<PassState, string>> = {
  'no-wallet': 'Connect a wallet to continue.',
  checking: 'Your pass is being checked …',
  none: 'This wallet has no pass.',
  requested: 'Your pass has been requested. This may take a few minutes.',
  active: 'This wallet has a valid pass.',
  expiring: 'Your pass expires soon.',
  expired: 'Your pass has expired.',
  frozen: 'Your pass is frozen. Please contact support.',
  revoked: 'Your pass has been revoked.',
  rejected: 'Your request for a pass was rejected.',
  'no-answer': 'Your pass cannot be checked right now.',
};

/** The texts of the button, by the states in which pressing it helps. */
export const ACTIONS: Readonly<Partial<Record<PassState, string>>> = {
  none: 'Request a pass',
  rejected: 'Request a pass again',
  expiring: 'Renew the pass',
  expired: 'Renew the pass',
  'no-answer': 'Try again',
};

export type Texts = Readonly<Partial<Record<PassState, string>>>;
