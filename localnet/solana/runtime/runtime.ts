import type { Address, Transaction } from '@solana/kit';

/** An account as a validator keeps it. */
export interface Account {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  /** The program that owns it. */
  readonly owner: Address;
  readonly executable: boolean;
}

/** The error of a transaction, in the words of the JSON-RPC API. */
export type TransactionError =
  | string
  | { readonly InstructionError: readonly [index: number, InstructionError] }
  | { readonly InsufficientFundsForRent: { readonly account_index: number } }
  | { readonly DuplicateInstruction: number };

export type InstructionError = string | { readonly Custom: number };

/** What a transaction finds when it runs. */
export interface Bank {
  account(address: Address): Account | undefined;
  readonly clock: Clock;
}

export interface Clock {
  readonly slot: bigint;
  /** Seconds. */
  readonly unixTimestamp: bigint;
}

/** What running a transaction has come to. Nothing is stored: `writes` says what would be. */
export interface Execution {
  readonly error: TransactionError | undefined;
  /** Whether it enters a block and costs its fee. Errors before the first instruction leave no trace. */
  readonly lands: boolean;
  readonly unitsConsumed: bigint;
  readonly logs: readonly string[];
  /** Accounts as they are afterwards; undefined: gone. */
  readonly writes: ReadonlyMap<Address, Account | undefined>;
}

/**
 * Runs transactions: an emulation of the few programs that the localnet needs, or the real ones in a virtual machine.
 * Blockhashes and repeated transactions are the ledger's business.
 */
export interface Runtime {
  /** @param verify Whether signatures are checked. */
  run(transaction: Transaction, bank: Bank, verify: boolean): Execution;
}
