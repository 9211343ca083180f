/** The tokens and transactions of the service on one network, read from the node alone. */
export interface ChainInventory {
  /** Resolves to the number of tokens of a wallet in the gatekeeper network, in any state. */
  countTokens(wallet: string, gatekeeperNetwork: string): Promise<number>;
  transactionsAbout(wallet: string, gatekeeperNetwork: string): Promise<GatekeeperTransactions>;
}

/** The gatekeeper's successful transactions about a wallet. */
export interface GatekeeperTransactions {
  /** The transactions that minted a token. */
  readonly mints: readonly string[];
  readonly all: readonly string[];
}
