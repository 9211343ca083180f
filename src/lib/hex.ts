import * as noble from '@noble/hashes/utils';

/** Bytes in hexadecimal digits, as JSON-RPC of Ethereum writes them. */
export type Hex = `0x${string}`;

export const bytesToHex = (bytes: Uint8Array): Hex => `0x${noble.bytesToHex(bytes)}`;

/** Returns the bytes; an odd number of digits has a zero before them. Throws if the text has other characters than digits. */
export function hexToBytes(hex: Hex): Uint8Array {
  const digits = hex.slice(2);
  return noble.hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`);
}
