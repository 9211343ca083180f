import { getBase58Decoder, getBase58Encoder } from '@solana/codecs-strings';

const [fromText, toText] = [getBase58Encoder(), getBase58Decoder()];

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
