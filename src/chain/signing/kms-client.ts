/** One key in a KMS, as its vendor's interface offers it. The methods throw KmsFault. */
export interface KmsClient {
  /** Returns the signature in the vendor's form: DER on secp256k1, 64 bytes on Ed25519. Nobody has checked it. */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
  /** Returns the public key in DER (SubjectPublicKeyInfo). */
  publicKey(): Promise<Uint8Array>;
}
