import { type Address, address, getCompiledTransactionMessageDecoder, type Transaction } from '@solana/kit';

/** A message whose indexes are known to be in range, with its accounts resolved to addresses. */
export interface Message {
  /** Every account of the transaction, the fee payer first. */
  readonly keys: readonly Address[];
  readonly signatures: number;
  readonly instructions: readonly MessageInstruction[];
  isSigner(index: number): boolean;
  isWritable(index: number): boolean;
}

export interface MessageInstruction {
  readonly program: Address;
  /** Indexes into `keys`. */
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

export type MessageError =
  | 'SanitizeFailure'
  | 'AccountLoadedTwice'
  | 'UnsupportedVersion'
  | 'AddressLookupTableNotFound';

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
 * Parses and sanitizes the message of a transaction: legacy, or version 0 without lookup tables, which this node lacks. The rules
 * are those of `sanitize` and `validate_account_locks` in agave.
 */
export function readMessage({ messageBytes }: Transaction): Message | MessageError {
  const compiled = decodeMessage(messageBytes);
  if (compiled === undefined) return 'SanitizeFailure';
  if (compiled.version !== 'legacy' && compiled.version !== 0) return 'UnsupportedVersion';
  const { header, staticAccounts: keys } = compiled;
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  const payerMayPay = numReadonlySignerAccounts < numSignerAccounts;
  if (!payerMayPay || numSignerAccounts + numReadonlyNonSignerAccounts > keys.length) return 'SanitizeFailure';
  const instructions = compiled.instructions.map(({ programAddressIndex, accountIndices = [], data }) => ({
    programIndex: programAddressIndex,
    program: keys[programAddressIndex] as Address,
    accounts: accountIndices,
    data: new Uint8Array(data ?? []),
  }));
  for (const { programIndex, accounts } of instructions) {
    // Index 0 is the fee payer, which cannot be a program.
    if (programIndex === 0 || [programIndex, ...accounts].some((index) => index >= keys.length))
      return 'SanitizeFailure';
  }
  if (compiled.version === 0 && (compiled.addressTableLookups ?? []).length > 0) return 'AddressLookupTableNotFound';
  if (new Set(keys).size < keys.length) return 'AccountLoadedTwice';
  const programs = new Set(instructions.map(({ program }) => program));
  return {
    keys,
    signatures: numSignerAccounts,
    instructions,
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
    return getCompiledTransactionMessageDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
