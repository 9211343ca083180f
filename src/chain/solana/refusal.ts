import { unknownError } from '../plan-step.ts';
import type { PrepareResult } from '../port.ts';

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

/** The token is not as it was a moment ago: the next look will tell. */
const OVERTAKEN: readonly string[] = ['InvalidToken', 'TokenRevoked', 'InvalidStateChange'];
/** The same from the runtime: the token was issued, or burned. */
const OVERTAKEN_IN_RUNTIME: readonly string[] = ['AccountAlreadyInitialized', 'IncorrectProgramId'];

/** The program refuses so when the gatekeeper's account is missing: the gatekeeper network's authority can mend it. */
const MISSING_GATEKEEPER = 6;
/** The system program refuses so when there is an account already: AccountAlreadyInUse. */
const ACCOUNT_EXISTS = 0;
/** The system program refuses so when the payer has too little: ResultWithNegativeLamports. */
const TOO_FEW_LAMPORTS = 1;

export const NO_FUNDS: PrepareResult = { type: 'not-now', why: 'the gatekeeper has no funds', blocks: 'signer' };
export const NO_PROGRAM: PrepareResult = {
  type: 'not-now',
  why: 'no program at the configured address',
  blocks: 'signer',
};
const UNAUTHORIZED: PrepareResult = {
  type: 'not-now',
  why: 'the gatekeeper is not authorized on the gatekeeper network',
  blocks: 'gatekeeper-network',
};

/** Errors of a transaction as a whole that keep the signer waiting, by name. */
const TRANSACTION_ERRORS: ReadonlyMap<string, PrepareResult> = new Map([
  ['AccountNotFound', NO_FUNDS],
  ['InsufficientFundsForFee', NO_FUNDS],
  ['InsufficientFundsForRent', NO_FUNDS],
  ['ProgramAccountNotFound', NO_PROGRAM],
  ['InvalidProgramForExecution', NO_PROGRAM],
]);

/** The name of an error of a transaction: `"BlockhashNotFound"`, `{"InsufficientFundsForRent": …}`. */
export function nameOf(error: unknown): string {
  const name = typeof error === 'string' ? error : Object.keys(Object(error))[0];
  // It ends up in logs: only what can be a name, and no key.
  return /^[a-z]{1,60}$/i.exec(name ?? '')?.[0] ?? 'unknown';
}

/** Whether the account that pays cannot. */
export function lacksFunds(error: unknown): boolean {
  return TRANSACTION_ERRORS.get(nameOf(error)) === NO_FUNDS;
}

/**
 * What the error of a trial says of its step. Only the gateway program's own word refuses: nodes fail for many reasons,
 * and a number may come from the system program, which the gateway program calls to make an account.
 */
export function resultOfError(error: unknown, logs: readonly string[]): PrepareResult {
  const whole = TRANSACTION_ERRORS.get(nameOf(error));
  if (whole !== undefined) return whole;
  const cause = causeOf(error);
  if (cause === undefined) return notNow(nameOf(error));
  const custom = customNumberOf(cause);
  if (custom === undefined) return resultOfRuntimeError(nameOf(cause));
  if (logs.some((line) => /^Program 1{32} failed/.test(line))) return resultOfSystemError(custom);
  if (custom === MISSING_GATEKEEPER) return UNAUTHORIZED;
  // Without logs, the number may be that of another program.
  if (logs.length === 0) return unknownError(`Custom(${custom})`, 'step');
  const refusal = PROGRAM_ERRORS[custom];
  if (refusal === undefined) return unknownError(`Custom(${custom})`);
  return OVERTAKEN.includes(refusal)
    ? notNow(refusal)
    : { type: 'refused', reason: `the program refuses it: ${refusal}` };
}

/** The error of an instruction that is no program's own. It is about an account of the step, so other steps go on. */
function resultOfRuntimeError(name: string): PrepareResult {
  return OVERTAKEN_IN_RUNTIME.includes(name) ? notNow(name) : unknownError(name, 'step');
}

function resultOfSystemError(custom: number): PrepareResult {
  if (custom === TOO_FEW_LAMPORTS) return NO_FUNDS;
  return custom === ACCOUNT_EXISTS ? notNow('AccountAlreadyInUse') : unknownError(`SystemError${custom}`, 'step');
}

/** Returns 6 for `{"Custom": 6}`. Clients parse numbers of JSON as bigint too. */
function customNumberOf(cause: unknown): number | undefined {
  const { Custom: number } = Object(cause) as { Custom?: unknown };
  return typeof number === 'number' || typeof number === 'bigint' ? Number(number) : undefined;
}

/** It passes: the next look will tell. */
function notNow(name: string): PrepareResult {
  return { type: 'not-now', why: `the trial failed: ${name}`, blocks: 'step' };
}

/** `"AccountAlreadyInitialized"` or `{"Custom": 6}` in `{"InstructionError": [index, …]}`. */
function causeOf(error: unknown): unknown {
  const { InstructionError: failed } = Object(error) as { InstructionError?: unknown };
  return Array.isArray(failed) ? failed[1] : undefined;
}
