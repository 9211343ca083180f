import type { Chain } from '../network/network.ts';

/** What one chain allows with a gateway token and another does not. */
export interface ChainRules {
  /** Whether the expiry of a frozen token can be changed; else that waits until it is unfrozen. */
  readonly expiryWhileFrozen: boolean;
  /** Whether a token that expires can be made to live for ever. */
  readonly canClearExpiry: boolean;
  /** Whether a reorg can give what a token is known by to the token of another wallet. */
  readonly tokenIdsMove: boolean;
  /** Whether only the gatekeeper that issued a token can freeze and unfreeze it. */
  readonly onlyIssuerFreezes: boolean;
  /** Whether the transactions of a key take effect in the order in which they were signed. */
  readonly transactionsAreOrdered: boolean;
}

export const CHAIN_RULES: Readonly<Record<Chain, ChainRules>> = {
  // GatewayToken: setExpiration wants an ACTIVE token, 0 is "never"; ids are counted up as tokens are made. Nonces order.
  ethereum: {
    expiryWhileFrozen: false,
    canClearExpiry: true,
    tokenIdsMove: true,
    onlyIssuerFreezes: false,
    transactionsAreOrdered: true,
  },
  // Gateway program: UpdateExpiry takes any state, and always a time; addresses are derived from the wallet.
  solana: {
    expiryWhileFrozen: true,
    canClearExpiry: false,
    tokenIdsMove: false,
    onlyIssuerFreezes: true,
    transactionsAreOrdered: false,
  },
};
