import type { Hex } from 'viem';
import { keccak256, stringToHex } from 'viem/utils';

/** Values of the contract ABI whose encoding is words of 32 bytes, as text without the prefix. */

/** Values that take a word each. */
export type Words = readonly (bigint | number | boolean | Hex)[];

const WORD_CHARS = 64;
const SELECTOR_CHARS = 10;

export const NOBODY: Hex = `0x${'0'.repeat(40)}`;

export const wordsOf = (...values: Words): string =>
  values.map((value) => BigInt(value).toString(16).padStart(WORD_CHARS, '0')).join('');

/** Returns a text as the only value: its place, its length and its bytes. */
export function wordsOfText(text: string): string {
  const bytes = stringToHex(text).slice(2);
  const words = Math.ceil(bytes.length / WORD_CHARS);
  return wordsOf(32, bytes.length / 2) + bytes.padEnd(words * WORD_CHARS, '0');
}

export const lower = (text: string) => text.toLowerCase() as Hex;

/** Returns the address in a word, in lower case. */
export const addressOf = (word: bigint): Hex => `0x${word.toString(16).padStart(40, '0').slice(-40)}`;

export const hashOf = (text: string): Hex => keccak256(stringToHex(text));
export const selectorOf = (signature: string): Hex => hashOf(signature).slice(0, SELECTOR_CHARS) as Hex;
/** Returns the selector in the data of a call. */
export const selectorIn = (data: Hex): Hex => lower(data.slice(0, SELECTOR_CHARS));

/** Returns the word at that place behind the selector; undefined if the data ends before. */
export function wordIn(data: Hex, index: number): bigint | undefined {
  const start = SELECTOR_CHARS + index * WORD_CHARS;
  const digits = data.slice(start, start + WORD_CHARS);
  return digits.length < WORD_CHARS ? undefined : BigInt(`0x${digits}`);
}
