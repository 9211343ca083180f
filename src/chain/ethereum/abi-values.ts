import * as AbiParameters from 'ox/AbiParameters';
import { type Hex, hexToBytes } from '../../lib/hex.ts';

/** Encodes and decodes values of the types that the contract's interface uses (Solidity's contract ABI specification), with ox. */

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

/** Returns the digits of the values, one after the other. Throws if a value is not one of its type. */
export function encodeValues(parameters: readonly Parameter[], values: readonly unknown[]): string {
  return AbiParameters.encode(parameters as AbiParameters.AbiParameters, values as never, STRICT).slice(2);
}

/** An address has its checksum; one that is given in lower case has none. */
const STRICT = { checksumAddress: true } as const;

/**
 * Returns the values that begin at the start of the data. Ignores data after them, and the unused bits of an address. Throws if a
 * value cannot be read, and in these cases, in which ox reads something:
 * - the data is not whole bytes, or ends before the head does
 * - a text or a list begins before the end of the head, where no compiler puts it
 * - a number of eight bits is above 2^53
 */
export function decodeValues(parameters: readonly Parameter[], data: Hex): unknown[] {
  if (data.length % 2 !== 0 || !/^0x[0-9a-f]*$/i.test(data)) throw new Error('the data is not whole bytes');
  const types = parameters.flatMap((each) =>
    (each.type === 'tuple' ? each.components : [each]).map(({ type }) => type),
  );
  const head = types.length * WORD;
  if (data.length - 2 < head) throw new Error('the data ends before a value does');
  for (const [at, type] of types.entries()) {
    if (type !== 'string' && type !== 'uint256[]' && type !== 'uint8') continue;
    const number = BigInt(`0x${data.slice(2 + at * WORD, 2 + (at + 1) * WORD)}`);
    if (type === 'uint8' && number > MAX_SAFE) throw new Error('a number is above 2^53');
    if (type !== 'uint8' && number < head / 2) throw new Error('a text or a list begins in the head');
  }
  const bytesForTexts = parameters.map((each) => (each.type === 'string' ? { ...each, type: 'bytes' } : each));
  const values = AbiParameters.decode(bytesForTexts as AbiParameters.AbiParameters, data, STRICT) as unknown[];
  return values.map((value, at) => (parameters[at]?.type === 'string' ? textIn(value as Hex) : value));
}

/** ox would drop the zeros with which a text begins. */
const textIn = (bytes: Hex): string => new TextDecoder().decode(hexToBytes(bytes));

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
