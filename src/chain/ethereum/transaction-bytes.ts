import type { Hex, TransactionSerializable } from 'viem';
import { bytesToHex, fromRlp, hexToBytes, numberToHex, toRlp } from 'viem/utils';
import type { SigningKey } from '../signing/signing-key.ts';
import type { Price } from './network-conditions.ts';

/**
 * Encodes and decodes the two types of transactions that the service signs: legacy with the chain (EIP-155), and EIP-1559 without an
 * access list. viem's own functions know all types, and would add 6 kB to the bundle. Tests compare the results.
 */

/** First byte of a transaction of EIP-1559. A legacy transaction is an RLP list, which begins with at least 0xc0. */
const EIP_1559 = '0x02';

/** A field that is zero or absent. */
const EMPTY = '0x';

/** A transaction without its price. */
export interface UnsignedTransaction {
  readonly to: Hex;
  readonly data?: Hex | undefined;
  readonly gas: bigint;
  readonly nonce: number;
}

/** Signs a transaction, whatever it does. Returns its bytes. */
export async function signBytes(key: SigningKey, transaction: TransactionSerializable): Promise<Hex> {
  return encode(transaction, await key.sign(hexToBytes(encode(transaction))));
}

/** @param signature r and s, each in 32 bytes, and the parity of the point. Undefined: the bytes that are signed. */
function encode(transaction: TransactionSerializable, signature?: Uint8Array): Hex {
  const { type, chainId = 0, nonce, gas, to, value, data = '0x' } = transaction;
  const call = [quantity(gas), to ?? '0x', quantity(value), data];
  const parity = signature?.[64] ?? 0;
  const rs = signature ? [signature.subarray(0, 32), signature.subarray(32, 64)].map(quantityOfBytes) : undefined;
  if (type === 'legacy') {
    const end = rs ? [quantity(2 * chainId + 35 + parity), ...rs] : [quantity(chainId), '0x' as const, '0x' as const];
    return toRlp([quantity(nonce), quantity(transaction.gasPrice), ...call, ...end]);
  }
  const { maxPriorityFeePerGas: tip, maxFeePerGas: fee } = transaction;
  const prices = [quantity(chainId), quantity(nonce), quantity(tip), quantity(fee)];
  const list = toRlp([...prices, ...call, [], ...(rs ? [quantity(parity), ...rs] : [])]);
  return `${EIP_1559}${list.slice(2)}`;
}

/** Returns a number without leading zeros, and nothing for zero. */
const quantity = (value: bigint | number | undefined): Hex => (value ? numberToHex(value) : '0x');

const quantityOfBytes = (bytes: Uint8Array): Hex => quantity(BigInt(bytesToHex(bytes)));

/** Returns the transaction and the price in signed bytes; undefined for bytes that the service does not sign. */
export function parseSigned(
  bytes: string,
): { unsigned: UnsignedTransaction; price: Pick<Price, 'fee' | 'tip'> } | undefined {
  const is1559 = bytes.startsWith(EIP_1559);
  if (!is1559 && !/^0x[c-f]/i.test(bytes)) return undefined;
  const fields = fromRlp(is1559 ? `0x${bytes.slice(4)}` : (bytes as Hex), 'hex') as readonly Hex[];
  const [nonce, tip, fee, gas, to, value, data] = is1559 ? fields.slice(1) : [fields[0], fields[1], ...fields.slice(1)];
  if (!to || !gas || !fee || to === EMPTY || gas === EMPTY || fee === EMPTY || value !== EMPTY) return undefined;
  return {
    unsigned: { to, data: data === EMPTY ? undefined : data, gas: numberIn(gas), nonce: Number(numberIn(nonce)) },
    price: { fee: numberIn(fee), tip: numberIn(tip) },
  };
}

const numberIn = (field: Hex = EMPTY): bigint => (field === EMPTY ? 0n : BigInt(field));
