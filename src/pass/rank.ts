import type { StepKind } from './task.ts';

/**
 * The rank of a step in its lane: 0 goes first. Stored and sent as a number.
 * - 0: revoke and freeze, which take access away
 * - 1: other changes, and issuances that were requested one by one
 * - 2: issuances that were requested in bulk, also if they renew
 */
export const RANKS = [0, 1, 2] as const;
export type Rank = (typeof RANKS)[number];

/** The rank of issuances that were requested one by one. */
export const SINGLE_ISSUANCE: Rank = 1;
/** The rank of issuances that were requested in bulk. */
export const BULK_ISSUANCE: Rank = 2;

/**
 * Returns the rank of a step. `issuance`: the rank that the pass stores for its issuance. An issuance that renews an expired pass,
 * or sets the expiry of a found token, is a step `set-expiry`.
 */
export function rankOf(kind: StepKind, issuance: Rank = SINGLE_ISSUANCE): Rank {
  if (kind === 'revoke' || kind === 'freeze') return 0;
  return kind === 'issue' || kind === 'set-expiry' ? issuance : 1;
}
