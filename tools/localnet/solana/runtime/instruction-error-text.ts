import type { InstructionError } from './runtime.ts';

/** The texts of the validator's log (`InstructionError` in solana-instruction-error). */
const TEXTS: Readonly<Record<string, string>> = {
  AccountAlreadyInitialized: 'instruction requires an uninitialized account',
  AccountDataSizeChanged: "program other than the account's owner changed the size of the account data",
  AccountDataTooSmall: 'account data too small for instruction',
  ArithmeticOverflow: 'Program arithmetic overflowed',
  BorshIoError: 'Failed to serialize or deserialize account data',
  ComputationalBudgetExceeded: 'Computational budget exceeded',
  ExternalAccountDataModified: 'instruction modified data of an account it does not own',
  ExternalAccountLamportSpend: 'instruction spent from the balance of an account it does not own',
  IncorrectProgramId: 'incorrect program id for instruction',
  InvalidArgument: 'invalid program argument',
  InvalidInstructionData: 'invalid instruction data',
  InvalidRealloc: 'Failed to reallocate account data',
  MissingAccount: 'An account required by the instruction is missing',
  MissingRequiredSignature: 'missing required signature for instruction',
  ModifiedProgramId: 'instruction illegally modified the program id of an account',
  NotEnoughAccountKeys: 'insufficient account keys for instruction',
  PrivilegeEscalation: 'Cross-program invocation with unauthorized signer or writable account',
  // There are several causes, but only this one for a program without other faults.
  ProgramFailedToComplete: 'exceeded CUs meter at BPF instruction',
  ReadonlyDataModified: 'instruction modified data of a read-only account',
  ReadonlyLamportChange: 'instruction changed the balance of a read-only account',
  UnbalancedInstruction: 'sum of account balances before and after instruction do not match',
};

export function instructionErrorText(error: InstructionError): string {
  if (typeof error !== 'string') return `custom program error: 0x${error.Custom.toString(16)}`;
  return TEXTS[error] ?? error;
}
