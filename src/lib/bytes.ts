import { keccak_256 } from '@noble/hashes/sha3';
import * as noble from '@noble/hashes/utils';
import { getBase58Decoder, getBase58Encoder } from '@solana/codecs-strings';

/** Bytes in hexadecimal digits, as JSON-RPC of Ethereum writes them. */
export type Hex = `0x${string}`;

export const bytesToHex = (bytes: Uint8Array): Hex => `0x${noble.bytesToHex(bytes)}`;

/** Returns the bytes; an odd number of digits has a zero before them. Throws if the text has other characters than digits. */
export function hexToBytes(hex: Hex): Uint8Array {
  const digits = hex.slice(2);
  return noble.hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`);
}

const fromText = /* @__PURE__ */ getBase58Encoder();
const toText = /* @__PURE__ */ getBase58Decoder();

/**
 * Decoding takes time with the square of the length: 20 seconds for 100,000 characters, which a node can send. The longest text of the
 * service is a key pair with 88.
 */
export const BASE58_MAX_CHARS = 128;

/** Returns base58 of the bytes, with a "1" for each zero byte at their beginning. */
export const encodeBase58 = (bytes: Uint8Array): string => toText.decode(bytes);

/** Returns the bytes. Throws if the text has a character outside the alphabet, or is longer than `BASE58_MAX_CHARS`. */
export function decodeBase58(text: string): Uint8Array<ArrayBuffer> {
  if (text.length > BASE58_MAX_CHARS) throw new Error('the text is too long for base58');
  return new Uint8Array(fromText.encode(text));
}

/** Returns base64 of the bytes, with padding (RFC 4648 §4). */
export const encodeBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** Returns base64url of the bytes, without padding (RFC 4648 §5). */
export const encodeBase64Url = (bytes: Uint8Array): string =>
  encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Returns the bytes. Throws if the text is not exactly what `encodeBase64` returns for them. */
export const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> => decodeExactly(text, text, encodeBase64);

/** Returns the bytes. Throws if the text is not exactly what `encodeBase64Url` returns for them. */
export const decodeBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  decodeExactly(text, text.replaceAll('-', '+').replaceAll('_', '/'), encodeBase64Url);

/** `atob` ignores white space, missing padding and bits after the last byte. The comparison refuses them. */
function decodeExactly(text: string, base64: string, encode: (bytes: Uint8Array) => string): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  if (encode(bytes) !== text) throw new Error('the text is not base64 in its only form');
  return bytes;
}

/** Returns the 32 bytes of Keccak-256, which Ethereum uses. SHA3-256 (FIPS 202) is another hash. */
export const keccak256 = (data: Uint8Array | Hex): Uint8Array =>
  keccak_256(typeof data === 'string' ? hexToBytes(data) : data);
