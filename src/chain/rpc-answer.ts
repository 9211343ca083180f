import { RpcFault } from './port.ts';

/** The result of a call, or the node's error for it (JSON-RPC 2.0 §5.1). */
export type RpcAnswer = { readonly result: unknown } | { readonly error: RpcError };

export interface RpcError {
  readonly code: number;
  /** The node's message after `redactAnswer`. */
  readonly message: string;
  readonly data?: unknown;
}

export function isRpcAnswer(answer: unknown): answer is RpcAnswer {
  if (typeof answer !== 'object' || answer === null) return false;
  if (!('error' in answer) || answer.error === undefined || answer.error === null) return 'result' in answer;
  const { error } = answer;
  return typeof error === 'object' && 'message' in error && typeof error.message === 'string';
}

/** Whether the answer reports a provider's rate limit. Providers also report it with status 200 (EIP-1474: -32005). */
export function isRateLimit(answer: unknown): boolean {
  const { code, message = '' } = errorOf(answer);
  return code === 429 || code === -32005 || /rate limit|too many requests|compute units|request limit/i.test(message);
}

/** Whether a Solana node lacks its history (Agave: -32011). Another endpoint may have it. */
export function isHistoryMissing(answer: unknown): boolean {
  return errorOf(answer).code === -32011;
}

function errorOf(answer: unknown): Partial<RpcError> {
  return (isRpcAnswer(answer) && 'error' in answer && answer.error) || {};
}

/** Returns the result of a call that must succeed. Throws RpcFault if it failed. */
export function resultOf<T>(answer: RpcAnswer | undefined): T {
  if (answer === undefined || 'error' in answer) {
    throw new RpcFault(`a read failed: ${answer?.error.message ?? 'no answer'}`);
  }
  return answer.result as T;
}
