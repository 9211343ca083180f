import type { Hex, TransactionSerializable } from 'viem';
import { bytesToHex, concatHex, fromRlp, numberToHex, toRlp, trim } from 'viem/utils';

/**
 * Encodes legacy transactions and those of EIP-1559 without an access list. viem's code for all kinds of transactions is a thirtieth
 * of the bundle (decision 0120). A test compares the results.
 */

/** A signature with r and s, each in 32 bytes, and the parity of the point. */
type SignatureBytes = Uint8Array;

const EIP1559: Hex = '0x02';
const NOTHING: Hex = '0x';

/** Returns a number in its shortest form, as RLP wants it: zero has no bytes. */
const shortest = (value: number | bigint | undefined): Hex => (value ? numberToHex(value) : NOTHING);

/** A field of 256 bits in its shortest form. */
const shortestBytes = (bytes: Uint8Array): Hex => shortest(BigInt(trim(bytesToHex(bytes))));

/** Returns the transaction as it is signed, or with its signature as it is broadcast (EIP-155, EIP-1559). */
export function serialize(transaction: TransactionSerializable, signature?: SignatureBytes): Hex {
  const { type, chainId = 0, nonce, gas, to, value, data } = transaction;
  const [r, s, parity] = [signature?.subarray(0, 32), signature?.subarray(32, 64), signature?.[64] ?? 0];
  const ends = [r, s].map((part) => (part === undefined ? NOTHING : shortestBytes(part)));
  const call = [shortest(gas), to ?? NOTHING, shortest(value), data ?? NOTHING];
  if (type !== 'legacy' && type !== 'eip1559') throw new Error(`no transactions of type ${type}`);
  if (type === 'legacy') {
    const v = signature === undefined ? chainId : chainId * 2 + 35 + parity;
    return toRlp([shortest(nonce), shortest(transaction.gasPrice), ...call, shortest(v), ...ends]);
  }
  const { maxPriorityFeePerGas: tip, maxFeePerGas: fee } = transaction;
  const fields = [shortest(chainId), shortest(nonce), shortest(tip), shortest(fee), ...call, []];
  return concatHex([EIP1559, toRlp(signature === undefined ? fields : [...fields, shortest(parity), ...ends])]);
}

/** The fields of signed bytes that a replacement keeps or raises. */
export interface ParsedTransaction {
  readonly to: Hex;
  readonly data?: Hex | undefined;
  readonly gas: bigint;
  readonly nonce: number;
  /** Of legacy transactions, the gas price. */
  readonly fee: bigint;
  readonly tip: bigint;
}

/** Returns the call in signed bytes; undefined if it moves value, makes a contract, or has an access list. */
export function parseSerialized(bytes: Hex): ParsedTransaction | undefined {
  const isLegacy = !bytes.startsWith(EIP1559);
  const fields = fromRlp(isLegacy ? bytes : `0x${bytes.slice(EIP1559.length)}`, 'hex');
  if (!Array.isArray(fields)) return undefined;
  const [nonce, ...rest] = (isLegacy ? fields : fields.slice(1)) as Hex[];
  const [tip, fee, gas, to, value, data, ...others] = isLegacy ? [rest[0], ...rest] : rest;
  const isCall = to !== undefined && to !== NOTHING && value === NOTHING && data !== undefined;
  if (!isCall || (!isLegacy && others[0]?.length !== 0)) return undefined;
  const [wei, tipWei, units] = [fee, tip, gas].map(numberOf) as [bigint, bigint, bigint];
  return {
    to,
    ...(data !== NOTHING && { data }),
    gas: units,
    nonce: Number(numberOf(nonce)),
    fee: wei,
    tip: tipWei,
  };
}

const numberOf = (field: Hex | undefined): bigint => (field === undefined || field === NOTHING ? 0n : BigInt(field));
