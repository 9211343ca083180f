import { getSolanaErrorFromTransactionError } from '@solana/kit';
import { instructionErrorText } from '../runtime/instruction-error-text.ts';
import type { TransactionError } from '../runtime/runtime.ts';

/** An error of JSON-RPC, with the codes of Agave (`rpc-client-api/src/custom_error.rs`) and of JSON-RPC 2.0. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const PREFLIGHT_FAILURE = -32002;
export const SIGNATURE_FAILURE = -32003;
export const MIN_CONTEXT_SLOT = -32016;

/** Returns an error for invalid parameters. */
export function invalidParamsError(what: string): RpcError {
  return new RpcError(INVALID_PARAMS, what);
}

/** Returns the validator's text of an error. */
export function messageFor(error: TransactionError): string {
  const instruction = typeof error === 'object' && 'InstructionError' in error ? error.InstructionError : undefined;
  if (instruction === undefined) return getSolanaErrorFromTransactionError(error as string).message;
  const [index, reason] = instruction;
  return `Error processing Instruction ${index}: ${instructionErrorText(reason)}`;
}
