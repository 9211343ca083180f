import type { Finding } from '../port.ts';

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

/** It refuses so when the gatekeeper's account is missing: the gatekeeper network's authority can mend it. */
const UNAUTHORIZED = 6;

export const NO_FUNDS: Finding = { is: 'not-now', why: 'the gatekeeper has no funds', keeps: 'signer' };
const NO_PROGRAM: Finding = { is: 'not-now', why: 'no program at the configured address', keeps: 'signer' };

/** Errors of the transaction as a whole, by name. */
const WHOLE: Readonly<Record<string, Finding>> = {
  AccountNotFound: NO_FUNDS,
  InsufficientFundsForFee: NO_FUNDS,
  InsufficientFundsForRent: NO_FUNDS,
  ProgramAccountNotFound: NO_PROGRAM,
  InvalidProgramForExecution: NO_PROGRAM,
};

/** What the error of a trial says of its step. Only the program's own word refuses: nodes fail for many reasons. */
export function refusalOf(error: unknown): Finding {
  const name = typeof error === 'string' ? error : Object.keys(error ?? {})[0];
  const whole = WHOLE[name ?? ''];
  if (whole !== undefined) return whole;
  const custom = customOf(error);
  if (custom === UNAUTHORIZED) {
    return {
      is: 'not-now',
      why: 'the gatekeeper is not authorized on the gatekeeper network',
      keeps: 'gatekeeper-network',
    };
  }
  const refusal = custom === undefined ? undefined : PROGRAM_ERRORS[custom];
  if (refusal !== undefined) return { is: 'refused', reason: `the program refuses it: ${refusal}` };
  // An account that is there already was not a moment ago: the next look will read it.
  return { is: 'not-now', why: 'the call could not be tried', keeps: 'step' };
}

/** The number in `{"InstructionError": [index, {"Custom": number}]}`. */
function customOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('InstructionError' in error)) return undefined;
  const [, cause] = error.InstructionError as readonly [unknown, unknown];
  if (typeof cause !== 'object' || cause === null || !('Custom' in cause)) return undefined;
  return Number(cause.Custom);
}
