import type { Chain } from '../network/network.ts';

/** The rules for gateway tokens that differ between chains. */
interface ChainRules {
  /** Whether the expiry of a frozen token can be changed. Otherwise the change waits until the token is unfrozen. */
  readonly expiryWhileFrozen: boolean;
  /** Whether an expiring token can be changed to one that never expires. */
  readonly canClearExpiry: boolean;
  /** Whether a reorg can give the id of a token to the token of another wallet. */
  readonly tokenIdsMove: boolean;
  /** Whether only the gatekeeper that issued a token can freeze and unfreeze it. */
  readonly onlyIssuerFreezes: boolean;
  /** Whether the transactions of a key take effect in the order in which they were signed. */
  readonly transactionsAreOrdered: boolean;
}

export const CHAIN_RULES: Readonly<Record<Chain, ChainRules>> = {
  // GatewayToken: setExpiration requires an ACTIVE token, and 0 means "never". Mints get consecutive ids. Nonces set the order.
  ethereum: {
    expiryWhileFrozen: false,
    canClearExpiry: true,
    tokenIdsMove: true,
    onlyIssuerFreezes: false,
    transactionsAreOrdered: true,
  },
  // Gateway program: UpdateExpiry accepts any state and requires a time. Token addresses are derived from the wallet.
  solana: {
    expiryWhileFrozen: true,
    canClearExpiry: false,
    tokenIdsMove: false,
    onlyIssuerFreezes: true,
    transactionsAreOrdered: false,
  },
};
