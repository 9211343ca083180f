import { RpcFault } from './port.ts';

/** A call's own result, or the error the node gave for it (JSON-RPC 2.0 §5.1). */
export type RpcAnswer = { readonly result: unknown } | { readonly error: RpcError };

export interface RpcError {
  readonly code: number;
  /** The node's own words, after `redactAnswer`. */
  readonly message: string;
  readonly data?: unknown;
}

export function isRpcAnswer(answer: unknown): answer is RpcAnswer {
  if (typeof answer !== 'object' || answer === null) return false;
  if (!('error' in answer) || answer.error === undefined || answer.error === null) return 'result' in answer;
  const { error } = answer;
  return typeof error === 'object' && 'message' in error && typeof error.message === 'string';
}

/** Whether a provider's limit is reached. Providers put their limits into a 200 as well (EIP-1474: -32005). */
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

/** The result of a call that has no reason to fail. Throws RpcFault if it failed. */
export function resultOf<T>(answer: RpcAnswer | undefined): T {
  if (answer === undefined || 'error' in answer) {
    throw new RpcFault(`a read failed: ${answer?.error.message ?? 'no answer'}`);
  }
  return answer.result as T;
}
