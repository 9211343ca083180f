import * as Eip1559 from 'ox/TxEnvelopeEip1559';
import * as Legacy from 'ox/TxEnvelopeLegacy';
import { bytesToHex, type Hex, hexToBytes } from '../../lib/bytes.ts';
import type { SigningKey } from '../signing/signing-key.ts';
import type { Price } from './network-conditions.ts';

/**
 * Encodes and decodes the two types of transactions that the service signs: legacy with the chain (EIP-155), and EIP-1559 without an
 * access list.
 */

/** First byte of a transaction of EIP-1559. A legacy transaction is an RLP list, which begins with at least 0xc0. */
const EIP_1559 = '0x02';

/** A transaction without its price. */
export interface UnsignedTransaction {
  readonly to: Hex;
  readonly data?: Hex | undefined;
  readonly gas: bigint;
  readonly nonce: number;
}

/** A transaction of either type. The signing policy requires the fields that it needs. */
export interface EthereumTransaction {
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
export async function signBytes(key: SigningKey, transaction: EthereumTransaction): Promise<Hex> {
  return encode(transaction, await key.sign(hexToBytes(encode(transaction))));
}

/** @param signature r and s, each in 32 bytes, and the parity of the point. Undefined: the bytes that are signed. */
function encode({ type, chainId = 0, nonce, ...rest }: EthereumTransaction, signature?: Uint8Array): Hex {
  const signed = signature && {
    signature: {
      r: BigInt(bytesToHex(signature.subarray(0, 32))),
      s: BigInt(bytesToHex(signature.subarray(32, 64))),
      yParity: signature[64] ?? 0,
    },
  };
  const envelope = { ...rest, chainId, nonce: BigInt(nonce ?? 0) };
  return type === 'legacy'
    ? Legacy.serialize({ ...envelope, type }, signed)
    : Eip1559.serialize({ ...envelope, type }, signed);
}

/** Returns the transaction and the price in signed bytes; undefined for bytes that the service does not sign. */
export function parseSigned(
  bytes: string,
): { unsigned: UnsignedTransaction; price: Pick<Price, 'fee' | 'tip'> } | undefined {
  const transaction = deserialize(bytes as Hex);
  if (transaction === undefined) return undefined;
  const { to, gas, nonce = 0n, value, data, ...prices } = transaction;
  // The encoding leaves out a 0, so an absent price is 0.
  const { fee = 0n, tip = 0n } =
    prices.type === 'legacy'
      ? { fee: prices.gasPrice, tip: prices.gasPrice }
      : { fee: prices.maxFeePerGas, tip: prices.maxPriorityFeePerGas };
  if (!to || !gas || value) return undefined;
  return { unsigned: { to, data, gas, nonce: Number(nonce) }, price: { fee, tip } };
}

function deserialize(bytes: Hex) {
  try {
    if (bytes.startsWith(EIP_1559)) return Eip1559.deserialize(bytes as Eip1559.Serialized);
    return /^0x[c-f]/i.test(bytes) ? Legacy.deserialize(bytes) : undefined;
  } catch {
    return undefined;
  }
}
