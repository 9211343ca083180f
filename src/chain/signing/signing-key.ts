/** Signs for one address. The adapters know no other way to a signature, and a key that a KMS holds never reaches the Worker. */
export interface SigningKey {
  readonly address: string;
  /**
   * Signs the bytes of an unsigned transaction (Ethereum: serialized; Solana: its message). Returns the signature in the form of
   * the key's curve. Throws KmsFault if a KMS does not sign now.
   */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}
