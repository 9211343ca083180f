import { type ErrorKind, errorKindOf, isOwnAnswer, type RpcError } from './error-kind.ts';
import { RpcFault } from './port.ts';

/** The result of a call, or the node's error for it (JSON-RPC 2.0 §5.1). */
export type RpcAnswer = { readonly result: unknown } | { readonly error: RpcError };

export function isRpcAnswer(answer: unknown): answer is RpcAnswer {
  if (typeof answer !== 'object' || answer === null) return false;
  if (!('error' in answer) || answer.error === undefined || answer.error === null) return 'result' in answer;
  const { error } = answer;
  return typeof error === 'object' && 'message' in error && typeof error.message === 'string';
}

/** Whether the call needs another endpoint: the error is neither a result of its execution nor a verdict on its transaction. */
export function isUnanswered(answer: RpcAnswer | undefined): boolean {
  return answer === undefined || ('error' in answer && !isOwnAnswer(answer.error));
}

/** Whether the endpoint may answer the call if it gets fewer calls at once. */
export function isRefused(answer: RpcAnswer): boolean {
  return isUnanswered(answer) && kindOf(answer) !== 'lacking';
}

/** Whether the error is a reason to ask other endpoints first for a while. */
export function isTrouble(answer: RpcAnswer): boolean {
  const kind = kindOf(answer);
  return kind === 'trouble' || kind === 'malformed';
}

function kindOf(answer: RpcAnswer): ErrorKind | undefined {
  return 'error' in answer ? errorKindOf(answer.error) : undefined;
}

/** Throws RpcFault if the error of a single call means that the endpoint answers no other call either. */
export function throwIfEndpointFails(answer: RpcAnswer): void {
  const kind = kindOf(answer);
  if (kind === 'rate-limit') throw new RpcFault('the rate limit is reached', ['rate-limit']);
  if (kind === 'no-history') throw new RpcFault('it has no history', ['no-history']);
}

/** Returns the result of a call that must succeed. Throws RpcFault if it failed. */
export function resultOf<T>(answer: RpcAnswer | undefined): T {
  if (answer === undefined || 'error' in answer) {
    throw new RpcFault(`a read failed: ${answer?.error.message ?? 'no answer'}`);
  }
  return answer.result as T;
}
