import { bytesToHex, type Hex, hexToBytes } from '../../lib/hex.ts';
import type { SigningKey } from '../signing/signing-key.ts';
import type { Price } from './network-conditions.ts';
import { decodeRlp, encodeRlp } from './rlp.ts';

/**
 * Encodes and decodes the two types of transactions that the service signs: legacy with the chain (EIP-155), and EIP-1559 without an
 * access list. Tests compare the results with viem's, which knows all types.
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

/** A transaction of either type. The signing policy requires the fields that it needs. */
export interface Transaction {
  readonly type: 'legacy' | 'eip1559';
  readonly chainId?: number | undefined;
  readonly nonce?: number | undefined;
  readonly gas?: bigint | undefined;
  readonly to?: Hex | undefined;
  readonly value?: bigint | undefined;
  readonly data?: Hex | undefined;
  /** Only of a legacy transaction. */
  readonly gasPrice?: bigint | undefined;
  /** This and the next only of EIP-1559. */
  readonly maxFeePerGas?: bigint | undefined;
  readonly maxPriorityFeePerGas?: bigint | undefined;
}

/** Signs a transaction, whatever it does. Returns its bytes. */
export async function signBytes(key: SigningKey, transaction: Transaction): Promise<Hex> {
  return encode(transaction, await key.sign(hexToBytes(encode(transaction))));
}

/** @param signature r and s, each in 32 bytes, and the parity of the point. Undefined: the bytes that are signed. */
function encode(transaction: Transaction, signature?: Uint8Array): Hex {
  const { type, chainId = 0, nonce, gas, to, value, data = EMPTY } = transaction;
  const call = [quantity(gas), to ?? EMPTY, quantity(value), data];
  const parity = signature?.[64] ?? 0;
  const rs = signature ? [signature.subarray(0, 32), signature.subarray(32, 64)].map(quantityOfBytes) : undefined;
  if (type === 'legacy') {
    const end: Hex[] = rs ? [quantity(2 * chainId + 35 + parity), ...rs] : [quantity(chainId), EMPTY, EMPTY];
    return encodeRlp([quantity(nonce), quantity(transaction.gasPrice), ...call, ...end]);
  }
  const { maxPriorityFeePerGas: tip, maxFeePerGas: fee } = transaction;
  const prices = [quantity(chainId), quantity(nonce), quantity(tip), quantity(fee)];
  const list = encodeRlp([...prices, ...call, [], ...(rs ? [quantity(parity), ...rs] : [])]);
  return `${EIP_1559}${list.slice(2)}`;
}

/** Returns a number without leading zeros, and nothing for zero. */
function quantity(value: bigint | number | undefined): Hex {
  const digits = value ? value.toString(16) : '';
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`;
}

const quantityOfBytes = (bytes: Uint8Array): Hex => quantity(BigInt(bytesToHex(bytes)));

/** Returns the transaction and the price in signed bytes; undefined for bytes that the service does not sign. */
export function parseSigned(
  bytes: string,
): { unsigned: UnsignedTransaction; price: Pick<Price, 'fee' | 'tip'> } | undefined {
  if (!/^0x(?:02)?[c-f]/i.test(bytes)) return undefined;
  const is1559 = bytes.startsWith(EIP_1559);
  const list = decodeRlp(is1559 ? `0x${bytes.slice(EIP_1559.length)}` : bytes);
  const fields = list as readonly Hex[];
  const [nonce, tip, fee, gas, to, value, data] = is1559 ? fields.slice(1) : [fields[0], fields[1], ...fields.slice(1)];
  if (!to || !gas || !fee || to === EMPTY || gas === EMPTY || fee === EMPTY || value !== EMPTY) return undefined;
  return {
    unsigned: { to, data: data === EMPTY ? undefined : data, gas: numberIn(gas), nonce: Number(numberIn(nonce)) },
    price: { fee: numberIn(fee), tip: numberIn(tip) },
  };
}

const numberIn = (field: Hex = EMPTY): bigint => (field === EMPTY ? 0n : BigInt(field));
