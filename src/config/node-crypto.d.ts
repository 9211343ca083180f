/** What is used of Node's crypto module: it is synchronous where Web Crypto is not. */
declare module 'node:crypto' {
  /** A key of Ed25519 as a JSON Web Key (RFC 8037 §2). */
  interface OctetKeyPair {
    readonly kty?: string;
    readonly crv?: string;
    readonly d?: string;
    readonly x?: string;
  }
  interface KeyObject {
    export(options: { format: 'jwk' }): OctetKeyPair;
  }
  export function createPrivateKey(options: { key: OctetKeyPair; format: 'jwk' }): KeyObject;
  export function createPublicKey(key: KeyObject): KeyObject;
}
