import { base58 } from '@scure/base';
import {
  type Address,
  type CompiledTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Transaction,
} from '@solana/kit';
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

/** Bytes of the largest transaction (Agave: `PACKET_DATA_SIZE`). */
export const TRANSACTION_MAX_BYTES = 1232;

/** Tag of `ComputeBudgetInstruction::SetComputeUnitPrice`, before the price as u64. */
const SET_PRICE_TAG = 3;

/** Parses a transaction. Throws for invalid bytes. Does not check signatures. */
export function readTransaction(wire: Uint8Array): SentTransaction {
  const transaction = getTransactionDecoder().decode(wire);
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  if (!('lifetimeToken' in message)) throw new Error('the message names no blockhash');
  return {
    transaction,
    wire,
    // After the number of signatures, which takes one byte below 128.
    signature: base58.encode(wire.slice(1, 65)),
    blockhash: message.lifetimeToken,
    addresses: message.staticAccounts,
    price: priceOf(message),
  };
}

function priceOf(message: CompiledTransactionMessage): number {
  if (!('instructions' in message)) return 0;
  for (const { programAddressIndex, data } of message.instructions) {
    if (message.staticAccounts[programAddressIndex] !== COMPUTE_BUDGET_PROGRAM) continue;
    if (data?.[0] !== SET_PRICE_TAG || data.length < 9) continue;
    return Number(Buffer.from(data).readBigUInt64LE(1));
  }
  return 0;
}
