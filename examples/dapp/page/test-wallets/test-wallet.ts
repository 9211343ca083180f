/** The switches of a test wallet, which a person finds in the program of the wallet. */
export interface TestWallet {
  readonly chain: 'ethereum' | 'solana';
  nextAccount(): void;
  disconnect(): void;
  /** The person rejects the next request of the dApp. */
  rejectNext(): void;
  /** On Ethereum-type networks only. */
  nextNetwork?(): void;
  /** Changes to a network that the dApp does not use. */
  unknownNetwork?(): void;
}
