import * as Secp256k1 from 'ox/Secp256k1';
import type { Hex } from 'viem';
import { keccak256, parseTransaction, serializeTransaction } from 'viem/utils';

export interface Transaction {
  readonly hash: Hex;
  /** Addresses are in lower case. */
  readonly from: Hex;
  readonly to: Hex;
  /** Undefined: the next nonce of the sender. */
  readonly nonce: number | undefined;
  readonly data: Hex;
  readonly gas: bigint;
  /** The most that it pays for a unit of gas, in wei, and the part of it for the producer of the block. */
  readonly fee: bigint;
  readonly tip: bigint;
}

/** A transaction with its signature. */
export interface SignedTransaction extends Transaction {
  readonly nonce: number;
  readonly chainId: number | undefined;
  readonly value: bigint;
}

/** Worlds repeat transactions, and to recover a sender takes longer than to make a block. */
const known = new Map<Hex, SignedTransaction>();
const KNOWN_MAX = 10_000;

/** Returns the transaction in signed bytes, of EIP-1559 or legacy. Throws if the bytes are none, or create a contract. */
export function readTransaction(bytes: Hex): SignedTransaction {
  if (known.size > KNOWN_MAX) known.clear();
  const transaction = known.get(bytes) ?? decode(bytes);
  known.set(bytes, transaction);
  return transaction;
}

/** Decodes with viem, because the service encodes with ox. */
function decode(bytes: Hex): SignedTransaction {
  const { r, s, v: _, yParity, ...unsigned } = parseTransaction(bytes);
  const { to, nonce = 0, data = '0x', gas = 0n, value = 0n, chainId } = unsigned;
  if (!to || !r || !s || yParity === undefined) throw new Error('the transaction has no signature or no target');
  const from = Secp256k1.recoverAddress({
    payload: keccak256(serializeTransaction(unsigned)),
    signature: { r: BigInt(r), s: BigInt(s), yParity },
  });
  const fee = unsigned.gasPrice ?? unsigned.maxFeePerGas ?? 0n;
  const tip = unsigned.gasPrice ?? unsigned.maxPriorityFeePerGas ?? 0n;
  const parties = { from: from.toLowerCase() as Hex, to: to.toLowerCase() as Hex };
  return { hash: keccak256(bytes), ...parties, nonce, data, gas, fee, tip, chainId, value };
}
