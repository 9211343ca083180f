/** What is used of Node's crypto module: it is synchronous where Web Crypto is not. */
declare module 'node:crypto' {
  interface KeyObject {
    export(options: { format: 'der'; type: 'spki' }): Uint8Array;
  }
  export function createPrivateKey(options: { key: Uint8Array; format: 'der'; type: 'pkcs8' }): KeyObject;
  export function createPublicKey(key: KeyObject): KeyObject;
}
