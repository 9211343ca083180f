/** A wallet that the person has connected, on either chain. */
export interface ConnectedWallet {
  readonly chain: 'ethereum' | 'solana';
  /** The name of the wallet program. */
  readonly program: string;
  readonly walletAddress: string;
  /** The network that the wallet uses, in the names of the service; undefined if the dApp does not use it. */
  readonly network: string | undefined;
  /** Signs a text, as the back end expects it: hex on Ethereum, base64 on Solana. */
  sign(message: string): Promise<string>;
  /** Asks the wallet to change to a network. Wallets on Solana have no such request. */
  switchTo?(network: string): Promise<void>;
}

/** A wallet program in the browser that can be connected. */
export interface WalletProgram {
  readonly id: string;
  readonly name: string;
  readonly chain: 'ethereum' | 'solana';
  /**
   * Asks the person to connect. `onChange` gets the wallet whenever its account or network changes, and undefined when it disconnects.
   * Resolves to a function that stops listening.
   */
  connect(onChange: (wallet: ConnectedWallet | undefined) => void): Promise<() => void>;
}
