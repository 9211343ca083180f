import type { OnChain } from './pass.ts';
import { ON_CHAIN_STATES } from './vocabulary.ts';

/**
 * The token that stands for the pass when a wallet has several: ACTIVE before FROZEN before REVOKED, then the one that
 * lives longest (a dApp is content with any valid one).
 */
export function standingToken<Token extends OnChain>(tokens: readonly Token[]): Token | undefined {
  const rank = ({ state }: Token) => ON_CHAIN_STATES.indexOf(state);
  const end = ({ expiry }: Token) => expiry ?? Number.POSITIVE_INFINITY;
  return tokens.toSorted((a, b) => rank(a) - rank(b) || end(b) - end(a) || 0)[0];
}
