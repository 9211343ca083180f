/** A gatekeeper that acts on chain without the service. Each call resolves to its transaction when that is confirmed. */
export interface Gatekeeper {
  /** Issues a token to the wallet, which may already have one. The expiry is in Unix seconds. */
  issue(wallet: string, expiry?: number, index?: number): Promise<string>;
  /** Freezes the first token of the wallet. On Solana only the issuer of the token can do that. */
  freeze(wallet: string): Promise<string>;
  /** Unfreezes the first token of the wallet. On Solana only the issuer of the token can do that. */
  unfreeze(wallet: string): Promise<string>;
  revoke(wallet: string): Promise<string>;
  setExpiry(wallet: string, expiry: number): Promise<string>;
  burn(wallet: string): Promise<string>;
}
