import type { Address } from '@solana/kit';

/** Transactions in the encoding `json` of `getTransaction`, for `changes-in-transaction.ts`, which decodes them. */

/**
 * The highest version of a transaction that the service decodes (SIMD-0385). A node answers -32015 for a higher one. In this encoding,
 * version 1 differs only by its field `transactionConfig`, and by having no lookup tables.
 */
export const TRANSACTION_VERSION_MAX = 1;

/** The encoding and the versions that the service asks for. */
export const TRANSACTION_FORM = { encoding: 'json', maxSupportedTransactionVersion: TRANSACTION_VERSION_MAX } as const;

/** An instruction as nodes return it: indexes into the accounts of the transaction, and data in base58. */
export interface WireInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: string;
}

export interface WireTransaction {
  readonly slot: number;
  /** Absent: some proxies leave it out. */
  readonly version?: number | 'legacy';
  /** Null: the node has not recorded the result. */
  readonly meta: {
    /** Null: it succeeded. Also an error without an execution (SIMD-0290). */
    readonly err: unknown;
    /** Null: the node has not recorded them. */
    readonly innerInstructions?: readonly { readonly instructions: readonly WireInstruction[] }[] | null;
    /** The accounts that the transaction names by lookup tables. They follow the others. */
    readonly loadedAddresses?: { readonly writable: readonly Address[]; readonly readonly: readonly Address[] } | null;
  } | null;
  readonly transaction: {
    readonly message: { readonly accountKeys: readonly Address[]; readonly instructions: readonly WireInstruction[] };
  };
}
