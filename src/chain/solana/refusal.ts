import type { WaitCode } from '../../pass/wait-reasons.ts';
import type { PrepareResult } from '../port.ts';
import { notNow, refused } from '../reasons.ts';

/** The program's own errors by number. */
const PROGRAM_ERRORS: readonly string[] = [
  'IncorrectGatekeeper',
  'InvalidOwner',
  'InvalidToken',
  'TokenRevoked',
  'ExpectedRevokedToken',
  'InvalidStateChange',
  'IncorrectProgramId',
  'TokenExpired',
  'BurnError',
];

/** The token changed since the read. The next `prepare` reads it again. */
const OVERTAKEN: readonly string[] = ['InvalidToken', 'TokenRevoked', 'InvalidStateChange'];
/** Errors of the runtime with the same meaning: the token was issued or burned. */
const OVERTAKEN_IN_RUNTIME: readonly string[] = ['AccountAlreadyInitialized', 'IncorrectProgramId'];

/** The program's error for a missing gatekeeper account. The authority of the gatekeeper network can add the account. */
const MISSING_GATEKEEPER = 6;
/** The system program's error AccountAlreadyInUse: the account exists already. */
const ACCOUNT_EXISTS = 0;
/** The system program's error ResultWithNegativeLamports: the payer has too few lamports. */
const TOO_FEW_LAMPORTS = 1;

/** Errors of a whole transaction that make the signer wait, by name. */
const TRANSACTION_ERRORS: ReadonlyMap<string, WaitCode> = new Map([
  ['AccountNotFound', 'no-funds'],
  ['InsufficientFundsForFee', 'no-funds'],
  ['InsufficientFundsForRent', 'no-funds'],
  ['ProgramAccountNotFound', 'no-program'],
  ['InvalidProgramForExecution', 'no-program'],
]);

/** Returns the name of a transaction's error, for example of `"BlockhashNotFound"` or `{"InsufficientFundsForRent": …}`. */
export function nameOf(error: unknown): string {
  const name = typeof error === 'string' ? error : Object.keys(Object(error))[0];
  // The name appears in logs. Text that is not a name may be part of a key.
  return /^[a-z]{1,60}$/i.exec(name ?? '')?.[0] ?? 'unknown';
}

/** Whether the error means that the paying account lacks funds. */
export function lacksFunds(error: unknown): boolean {
  return TRANSACTION_ERRORS.get(nameOf(error)) === 'no-funds';
}

/**
 * Returns the result of a step from the error of its simulation. Only the gateway program's own error refuses a step, because
 * nodes fail for many reasons. A number may also come from the system program, which the gateway program calls to create an
 * account.
 */
export function resultOfError(error: unknown, logs: readonly string[]): PrepareResult {
  const whole = TRANSACTION_ERRORS.get(nameOf(error));
  if (whole !== undefined) return notNow(whole);
  const cause = causeOf(error);
  if (cause === undefined) return notNow('simulation-failed', nameOf(error));
  const custom = customNumberOf(cause);
  if (custom === undefined) return resultOfRuntimeError(nameOf(cause));
  if (logs.some((line) => /^Program 1{32} failed/.test(line))) return resultOfSystemError(custom);
  if (custom === MISSING_GATEKEEPER) return notNow('not-authorized');
  // Without logs, the number may be another program's error.
  if (logs.length === 0) return notNow('unknown-step-error', `Custom(${custom})`);
  const refusal = PROGRAM_ERRORS[custom];
  if (refusal === undefined) return notNow('unknown-contract-error', `Custom(${custom})`);
  return OVERTAKEN.includes(refusal) ? notNow('simulation-failed', refusal) : refused('program-refuses', refusal);
}

/** Returns the result for a runtime error of an instruction. It concerns an account of the step, so other steps continue. */
function resultOfRuntimeError(name: string): PrepareResult {
  return notNow(OVERTAKEN_IN_RUNTIME.includes(name) ? 'simulation-failed' : 'unknown-step-error', name);
}

function resultOfSystemError(custom: number): PrepareResult {
  if (custom === TOO_FEW_LAMPORTS) return notNow('no-funds');
  return custom === ACCOUNT_EXISTS
    ? notNow('simulation-failed', 'AccountAlreadyInUse')
    : notNow('unknown-step-error', `SystemError${custom}`);
}

/** Returns 6 for `{"Custom": 6}`. kit may parse numbers in JSON as bigint. */
function customNumberOf(cause: unknown): number | undefined {
  const { Custom: number } = Object(cause) as { Custom?: unknown };
  return typeof number === 'number' || typeof number === 'bigint' ? Number(number) : undefined;
}

/** Returns the cause in `{"InstructionError": [index, cause]}`, for example `"AccountAlreadyInitialized"` or `{"Custom": 6}`. */
function causeOf(error: unknown): unknown {
  const { InstructionError: failed } = Object(error) as { InstructionError?: unknown };
  return Array.isArray(failed) ? failed[1] : undefined;
}
