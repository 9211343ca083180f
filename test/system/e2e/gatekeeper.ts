/** A gatekeeper that acts on chain without the service. Each call resolves when its transaction is confirmed. */
export interface Gatekeeper {
  /** Issues a token, or one more to the same wallet; expiry in Unix seconds. */
  issue(wallet: string, expiry?: number, index?: number): Promise<void>;
  /** Freezes the first token of the wallet. On Solana only its issuer can. */
  freeze(wallet: string): Promise<void>;
  burn(wallet: string): Promise<void>;
}
