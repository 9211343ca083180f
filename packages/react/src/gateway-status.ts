import type { PassState } from './pass-watch.ts';

/** In the order of Civic's packages, because the index is the number of the status. */
const NAMES = [
  'UNKNOWN',
  'CHECKING',
  'NOT_REQUESTED',
  'COLLECTING_USER_INFORMATION',
  'PROOF_OF_WALLET_OWNERSHIP',
  'IN_REVIEW',
  'REJECTED',
  'REVOKED',
  'FROZEN',
  'ACTIVE',
  'ERROR',
  'LOCATION_NOT_SUPPORTED',
  'VPN_NOT_SUPPORTED',
  'REFRESH_TOKEN_REQUIRED',
  'VALIDATING_USER_INFORMATION',
  'USER_INFORMATION_VALIDATED',
  'USER_INFORMATION_REJECTED',
] as const;

type StatusName = (typeof NAMES)[number];

/** The number of a status. */
export type GatewayStatus = number;

/**
 * The statuses that users of Civic's packages have in their code, with the same numbers. As an enum of TypeScript, it also has the name
 * of each number. Only the statuses of `STATUS_OF` occur.
 */
export const GatewayStatus: Readonly<Record<StatusName, number> & Record<number, StatusName>> = Object.freeze({
  ...(Object.fromEntries(NAMES.map((name, number) => [name, number])) as Record<StatusName, number>),
  ...(Object.fromEntries(NAMES.entries()) as Record<number, StatusName>),
});

const STATUS_OF: Readonly<Record<PassState, StatusName>> = {
  'no-wallet': 'UNKNOWN',
  checking: 'CHECKING',
  none: 'NOT_REQUESTED',
  requested: 'IN_REVIEW',
  active: 'ACTIVE',
  // As with Civic's packages: the margin is 0 unless the page sets one.
  expiring: 'REFRESH_TOKEN_REQUIRED',
  expired: 'REFRESH_TOKEN_REQUIRED',
  frozen: 'FROZEN',
  revoked: 'REVOKED',
  rejected: 'REJECTED',
  'no-answer': 'ERROR',
};

export const statusOf = (state: PassState): GatewayStatus => GatewayStatus[STATUS_OF[state]];
