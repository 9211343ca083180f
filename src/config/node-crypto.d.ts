/** The used part of Node's crypto module, which is synchronous, unlike Web Crypto. */
declare module 'node:crypto' {
  /** An Ed25519 key as a JSON Web Key (RFC 8037 §2). */
  interface OctetKeyPair {
    readonly kty?: string;
    readonly crv?: string;
    readonly d?: string;
    readonly x?: string;
  }
  interface KeyObject {
    export(options: { format: 'jwk' }): OctetKeyPair;
  }
  interface Hash {
    update(data: string | Uint8Array): Hash;
    digest(): Uint8Array;
    digest(encoding: 'hex'): string;
  }
  export function createHash(algorithm: 'sha256'): Hash;
  export function createHmac(algorithm: 'sha256', key: string | Uint8Array): Hash;
  export function createPrivateKey(options: { key: OctetKeyPair; format: 'jwk' }): KeyObject;
  export function createPublicKey(key: KeyObject): KeyObject;
}
