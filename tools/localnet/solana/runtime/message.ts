import { type Address, address, type Transaction } from '@solana/kit';
import { readCompiledMessage, type TransactionConfig } from './compiled-message.ts';

/** A message whose indexes are known to be in range, with its accounts resolved to addresses. */
export interface Message {
  /** Every account of the transaction, the fee payer first. */
  readonly keys: readonly Address[];
  readonly signatures: number;
  readonly instructions: readonly MessageInstruction[];
  /** The budget of a message of version 1; undefined: another version. */
  readonly config: TransactionConfig | undefined;
  isSigner(index: number): boolean;
  isWritable(index: number): boolean;
}

export interface MessageInstruction {
  readonly program: Address;
  /** Indexes into `keys`. */
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

export type MessageError = 'SanitizeFailure' | 'AccountLoadedTwice' | 'AddressLookupTableNotFound';

/** SIMD-0385. */
const V1_MAX_ACCOUNTS = 64;
const V1_MAX_INSTRUCTIONS = 64;

/** Accounts that no message may write (agave: reserved account keys, limited to those that messages here name). */
const RESERVED: ReadonlySet<Address> = new Set(
  [
    '11111111111111111111111111111111',
    'ComputeBudget111111111111111111111111111111',
    'NativeLoader1111111111111111111111111111111',
    'Sysvar1111111111111111111111111111111111111',
    'SysvarC1ock11111111111111111111111111111111',
    'SysvarRent111111111111111111111111111111111',
    'Sysvar1nstructions1111111111111111111111111',
  ].map((it) => address(it)),
);

/**
 * Parses and sanitizes the message of a transaction: legacy, version 1, or version 0 without lookup tables, which this node lacks. The
 * rules are those of `sanitize` and `validate_account_locks` in agave, and those of SIMD-0385.
 */
export function readMessage({ messageBytes }: Transaction): Message | MessageError {
  const compiled = decodeMessage(messageBytes);
  if (compiled === undefined) return 'SanitizeFailure';
  const { header, keys, config } = compiled;
  if (config && (keys.length > V1_MAX_ACCOUNTS || compiled.instructions.length > V1_MAX_INSTRUCTIONS))
    return 'SanitizeFailure';
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  const payerMayPay = numReadonlySignerAccounts < numSignerAccounts;
  if (!payerMayPay || numSignerAccounts + numReadonlyNonSignerAccounts > keys.length) return 'SanitizeFailure';
  const instructions = compiled.instructions.map((each) => ({ ...each, program: keys[each.programIndex] as Address }));
  for (const { programIndex, accounts } of instructions) {
    // Index 0 is the fee payer, which cannot be a program.
    if (programIndex === 0 || [programIndex, ...accounts].some((index) => index >= keys.length))
      return 'SanitizeFailure';
  }
  if (compiled.lookups > 0) return 'AddressLookupTableNotFound';
  if (new Set(keys).size < keys.length) return 'AccountLoadedTwice';
  const programs = new Set(instructions.map(({ program }) => program));
  return {
    keys,
    signatures: numSignerAccounts,
    instructions,
    config,
    isSigner: (index) => index < numSignerAccounts,
    isWritable(index) {
      const key = keys[index] as Address;
      if (RESERVED.has(key) || programs.has(key)) return false;
      return index < numSignerAccounts
        ? index < numSignerAccounts - numReadonlySignerAccounts
        : index < keys.length - numReadonlyNonSignerAccounts;
    },
  };
}

function decodeMessage(bytes: Transaction['messageBytes']) {
  try {
    return readCompiledMessage(bytes);
  } catch {
    return undefined;
  }
}
