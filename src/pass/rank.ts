import type { StepKind } from './task.ts';

/**
 * The rank of a step in its lane: 0 goes first. Stored and sent as a number.
 * - 0: revoke and freeze, which take access away
 * - 1: other changes, and issuances that were requested one by one
 * - 2: issuances that were requested in bulk
 */
export const RANKS = [0, 1, 2] as const;
export type Rank = (typeof RANKS)[number];

/** The rank of issuances that were requested one by one. */
export const SINGLE_ISSUANCE: Rank = 1;

/** Returns the rank of a step. `issuance`: the rank that the pass stores for its issuance. */
export function rankOf(kind: StepKind, issuance: Rank = SINGLE_ISSUANCE): Rank {
  if (kind === 'revoke' || kind === 'freeze') return 0;
  return kind === 'issue' ? issuance : 1;
}
