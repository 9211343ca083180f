/** A gatekeeper that acts on chain without the service. Each call resolves when its transaction is confirmed. */
export interface Gatekeeper {
  /** Issues a token to the wallet, which may already have one. The expiry is in Unix seconds. */
  issue(wallet: string, expiry?: number, index?: number): Promise<void>;
  /** Freezes the first token of the wallet. On Solana only the issuer of the token can do that. */
  freeze(wallet: string): Promise<void>;
  burn(wallet: string): Promise<void>;
}
