/** What is used of Node's crypto module: it is synchronous where Web Crypto is not. */
declare module 'node:crypto' {
  interface KeyObject {
    export(options: { format: 'der'; type: 'spki' }): Uint8Array;
  }
  export function createPrivateKey(pem: string): KeyObject;
  export function createPublicKey(key: KeyObject): KeyObject;
}
