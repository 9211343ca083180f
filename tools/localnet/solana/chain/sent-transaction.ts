import { base58 } from '@scure/base';
import { type Address, getTransactionDecoder, type Transaction } from '@solana/kit';
import { type CompiledMessage, readCompiledMessage } from '../runtime/compiled-message.ts';
import { COMPUTE_BUDGET_PROGRAM } from '../runtime/compute-budget.ts';

/** A received transaction, with the parts that the ledger needs. */
export interface SentTransaction {
  readonly transaction: Transaction;
  readonly wire: Uint8Array;
  /** The signature of the fee payer, which identifies the transaction. */
  readonly signature: string;
  readonly blockhash: string;
  /** The accounts it names. */
  readonly addresses: readonly Address[];
  /** Micro-lamports per compute unit. */
  readonly price: number;
}

/** Bytes of the largest transaction (Agave: `PACKET_DATA_SIZE`). Version 1 has more (SIMD-0385). */
export const TRANSACTION_MAX_BYTES = { '1': 4096, others: 1232 } as const;

/** The first byte of a transaction of version 1. Other versions begin with the number of signatures. */
const V1_PREFIX = 0x81;
export const isVersion1 = (wire: Uint8Array): boolean => wire[0] === V1_PREFIX;

/** Tag of `ComputeBudgetInstruction::SetComputeUnitPrice`, before the price as u64. */
const SET_PRICE_TAG = 3;

/** Parses a transaction. Throws for invalid bytes. Does not check signatures. */
export function readTransaction(wire: Uint8Array): SentTransaction {
  const transaction = getTransactionDecoder().decode(wire);
  const message = readCompiledMessage(transaction.messageBytes);
  if (message.blockhash === undefined) throw new Error('the message names no blockhash');
  return {
    transaction,
    wire,
    signature: base58.encode(signaturesIn(wire, message)[0] ?? new Uint8Array(64)),
    blockhash: message.blockhash,
    addresses: message.keys,
    price: priceOf(message),
  };
}

/** Each signature has 64 bytes. They follow their number, which takes one byte below 128, or end a transaction of version 1. */
export function signaturesIn(wire: Uint8Array, { header, version }: CompiledMessage): Uint8Array[] {
  const count = header.numSignerAccounts;
  const start = version === 1 ? wire.length - 64 * count : 1;
  return Array.from({ length: count }, (_, index) => wire.slice(start + 64 * index, start + 64 * (index + 1)));
}

const MICRO_LAMPORTS = 1_000_000;

function priceOf({ instructions, keys, config }: CompiledMessage): number {
  if (config !== undefined)
    return Math.floor((Number(config.priorityFee ?? 0) * MICRO_LAMPORTS) / Math.max(1, config.computeUnitLimit ?? 0));
  for (const { programIndex, data } of instructions) {
    if (keys[programIndex] !== COMPUTE_BUDGET_PROGRAM) continue;
    if (data[0] !== SET_PRICE_TAG || data.length < 9) continue;
    return Number(Buffer.from(data).readBigUInt64LE(1));
  }
  return 0;
}
