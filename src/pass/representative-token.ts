import type { OnChain } from './pass.ts';
import { ON_CHAIN_STATES } from './vocabulary.ts';

/**
 * Returns the token that represents the pass if a wallet has several; undefined if it has none. The order is:
 * - ACTIVE before FROZEN before REVOKED.
 * - Of active tokens, the one with the latest expiry, because a dApp accepts any valid token.
 * - Of other tokens, the known one, so that freezing and unfreezing stay with one token. Then a token that this service can
 *   unfreeze.
 */
export function representativeToken<Token extends OnChain>(
  tokens: readonly Token[],
  known?: OnChain,
): Token | undefined {
  const rank = ({ state }: Token) => ON_CHAIN_STATES.indexOf(state);
  const end = ({ expiry }: Token) => expiry ?? Number.POSITIVE_INFINITY;
  const isKnown = ({ expiry, foreign }: Token) => known?.expiry === expiry && known?.foreign === foreign;
  const last = (is: (token: Token) => unknown) => (a: Token, b: Token) =>
    Number(Boolean(is(a))) - Number(Boolean(is(b)));
  const byLife = (a: Token, b: Token) => end(b) - end(a) || 0;
  const byName = (a: Token, b: Token) => last((token) => !isKnown(token))(a, b) || last(({ foreign }) => foreign)(a, b);
  return tokens.toSorted((a, b) => {
    const [first, then] = a.state === 'ACTIVE' ? [byLife, byName] : [byName, byLife];
    return rank(a) - rank(b) || first(a, b) || then(a, b);
  })[0];
}
