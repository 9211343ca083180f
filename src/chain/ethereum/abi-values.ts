import { type Hex, hexToBytes } from '../../lib/hex.ts';
import { checksumAddress, isEthereumAddress } from '../../network/checksum-address.ts';

/**
 * Encodes and decodes values of the types that the contract's interface uses (Solidity's contract ABI specification). Tests compare
 * both with viem.
 */

interface Values {
  readonly address: Hex;
  readonly bool: boolean;
  readonly bytes32: Hex;
  readonly uint8: number;
  readonly uint256: bigint;
  /** Only decoded. */
  readonly string: string;
  /** Only decoded. */
  readonly 'uint256[]': readonly bigint[];
}
type Type = keyof Values;

interface Field<T extends Type> {
  readonly name: string;
  readonly type: T;
}
/** A struct whose fields have a word each. */
interface Struct {
  readonly name: string;
  readonly type: 'tuple';
  readonly components: readonly Field<Exclude<Type, 'string' | 'uint256[]'>>[];
}
export type Parameter = (Field<Type> & { readonly indexed?: boolean }) | Struct;

export type ValueOf<P> = P extends { readonly type: infer T extends Type }
  ? Values[T]
  : P extends { readonly components: infer C extends readonly Parameter[] }
    ? NamedValuesOf<C>
    : never;
export type ValuesOf<I extends readonly Parameter[]> = { readonly [At in keyof I]: ValueOf<I[At]> };
export type NamedValuesOf<I extends readonly Parameter[]> = {
  readonly [P in I[number] as P['name']]: ValueOf<P>;
};

/** Digits of a word, the unit of the encoding: 32 bytes. */
const WORD = 64;

/** Returns a number in the digits of a word. Throws if it has more than that many bits, or is negative. */
export function wordOf(value: bigint | number, bits = 256): string {
  const number = BigInt(value);
  if (number < 0n || number >> BigInt(bits) > 0n) throw new Error(`the number is not one of ${bits} bits`);
  return number.toString(16).padStart(WORD, '0');
}

/** Returns the digits of the values, one after the other. Throws if a value is not one of its type. */
export function encodeValues(parameters: readonly Parameter[], values: readonly unknown[]): string {
  if (parameters.length !== values.length) throw new Error(`the call takes ${parameters.length} values`);
  return parameters.map((parameter, at) => encodeValue(parameter, values[at])).join('');
}

function encodeValue(parameter: Parameter, value: unknown): string {
  switch (parameter.type) {
    case 'tuple':
      return encodeValues(
        parameter.components,
        parameter.components.map(({ name }) => (value as Readonly<Record<string, unknown>>)[name]),
      );
    case 'address':
      return encodeAddress(String(value));
    case 'bool':
      if (typeof value !== 'boolean') throw new Error('the value is neither true nor false');
      return wordOf(Number(value));
    case 'uint8':
      return wordOf(value as number, 8);
    case 'uint256':
      return wordOf(value as bigint);
    default:
      throw new Error(`the service encodes no ${parameter.type}`);
  }
}

/** An address in one case has no checksum. */
function encodeAddress(address: string): string {
  const low = address.toLowerCase();
  if (!isEthereumAddress(address) || (address !== low && address !== checksumAddress(address)))
    throw new Error('the value is no address, or its checksum is wrong');
  return low.slice(2).padStart(WORD, '0');
}

/**
 * Returns the values that begin at the start of the data. Ignores data after them, and the unused bits of an address. Throws in
 * these cases:
 * - the data is not whole bytes, or ends before a value does
 * - a text or a list begins before the end of the head, where no compiler puts it
 * - a flag is neither 0 nor 1, or a small number, a place or a length is above 2^53
 */
export function decodeValues(parameters: readonly Parameter[], data: Hex): unknown[] {
  if (data.length % 2 !== 0 || !/^0x[0-9a-f]*$/i.test(data)) throw new Error('the data is not whole bytes');
  const digits = data.slice(2).toLowerCase();
  const head =
    parameters.flatMap((each): Parameter[] => (each.type === 'tuple' ? [...each.components] : [each])).length * WORD;
  let at = -WORD;
  const decodeNext = (type: Type) => {
    at += WORD;
    return decodeValue(type, wordAt(digits, at), { digits, head });
  };
  return parameters.map((parameter) =>
    parameter.type === 'tuple'
      ? Object.fromEntries(parameter.components.map(({ name, type }) => [name, decodeNext(type)]))
      : decodeNext(parameter.type),
  );
}

interface Whole {
  readonly digits: string;
  /** The digits of the words that the values themselves, or the places of texts and lists, fill. */
  readonly head: number;
}

function decodeValue(type: Type, word: string, whole: Whole): unknown {
  const number = BigInt(`0x${word}`);
  switch (type) {
    case 'address':
      return checksumAddress(`0x${word.slice(24)}`);
    case 'bool':
      if (number > 1n) throw new Error('a flag is neither 0 nor 1');
      return number === 1n;
    case 'bytes32':
      return `0x${word}`;
    case 'uint8':
      return countOf(number);
    case 'uint256':
      return number;
    case 'string':
      return new TextDecoder().decode(hexToBytes(`0x${tailAt(number, 2, whole)}`));
    case 'uint256[]': {
      const words = tailAt(number, WORD, whole);
      return Array.from({ length: words.length / WORD }, (_, at) => BigInt(`0x${wordAt(words, at * WORD)}`));
    }
  }
}

/** Returns the digits of the units of a text or a list. A word with the number of units is before them. */
function tailAt(place: bigint, digitsPerUnit: number, { digits, head }: Whole): string {
  const at = 2 * countOf(place);
  if (at < head) throw new Error('a text or a list begins in the head');
  const length = digitsPerUnit * countOf(BigInt(`0x${wordAt(digits, at)}`));
  return partOf(digits, at + WORD, length);
}

const wordAt = (digits: string, at: number): string => partOf(digits, at, WORD);

function partOf(digits: string, at: number, length: number): string {
  if (at + length > digits.length) throw new Error('the data ends before a value does');
  return digits.slice(at, at + length);
}

function countOf(number: bigint): number {
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error('a number is above 2^53');
  return Number(number);
}
