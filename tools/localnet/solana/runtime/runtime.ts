import type { Address, Transaction } from '@solana/kit';

/** An account of a validator. */
export interface Account {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  /** The owning program. */
  readonly owner: Address;
  readonly executable: boolean;
}

/** The error of a transaction in the form of the JSON-RPC API. */
export type TransactionError =
  | string
  | { readonly InstructionError: readonly [index: number, InstructionError] }
  | { readonly InsufficientFundsForRent: { readonly account_index: number } }
  | { readonly DuplicateInstruction: number };

export type InstructionError = string | { readonly Custom: number };

/** The state that a transaction runs on. */
export interface Bank {
  account(address: Address): Account | undefined;
  readonly clock: Clock;
  /** Rent of an account, in lamports per byte. */
  readonly lamportsPerByte: bigint;
}

export interface Clock {
  readonly slot: bigint;
  /** Seconds. */
  readonly unixTimestamp: bigint;
}

/** The result of running a transaction. Nothing is stored; `writes` has the changes. */
export interface Execution {
  readonly error: TransactionError | undefined;
  /** Whether it enters a block and costs its fee. An error before the first instruction has no effect. */
  readonly lands: boolean;
  readonly unitsConsumed: bigint;
  readonly logs: readonly string[];
  /** Accounts afterwards; undefined: deleted. */
  readonly writes: ReadonlyMap<Address, Account | undefined>;
}

/**
 * Runs transactions: an emulation of the programs that the localnet needs, or the real ones in a virtual machine. The ledger checks
 * blockhashes and repeated transactions.
 */
export interface Runtime {
  /** @param verify Whether signatures are checked. */
  run(transaction: Transaction, bank: Bank, verify: boolean): Execution;
}
