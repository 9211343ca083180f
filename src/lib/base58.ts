import { getBase58Decoder, getBase58Encoder } from '@solana/codecs-strings';

const [fromText, toText] = [getBase58Encoder(), getBase58Decoder()];

/** Returns base58 of the bytes, with a "1" for each zero byte at their beginning. */
export const encodeBase58 = (bytes: Uint8Array): string => toText.decode(bytes);

/** Returns the bytes. Throws if the text has a character outside the alphabet. The time grows with the square of the length. */
export const decodeBase58 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(fromText.encode(text));
