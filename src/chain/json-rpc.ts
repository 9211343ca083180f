import type { Secret } from '../lib/secret.ts';
import { RpcFault } from './port.ts';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A call's own result, or the error the node gave for it (JSON-RPC 2.0 §5.1). */
export type RpcAnswer = { readonly result: unknown } | { readonly error: RpcError };

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Sends calls in batches; one answer per call, in order. Throws RpcFault when no endpoint gives them all. */
export type JsonRpc = (calls: readonly RpcCall[]) => Promise<RpcAnswer[]>;

const TIMEOUT_MS = 10_000;
/** Calls in one HTTP request. Public nodes take between 100 and 1,000. */
const BATCH = 250;
/** How long an endpoint that failed is asked last. */
const SHUNNED_MS = 30_000;

/** JSON-RPC over HTTP with several endpoints, in order of preference: when one fails, the next is asked. */
export function jsonRpc(endpoints: readonly Secret<string>[], fetcher: typeof fetch = fetch): JsonRpc {
  const shunnedUntil = new Map<Secret<string>, number>();

  async function batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const now = Date.now();
    const shunned = (endpoint: Secret<string>) => (shunnedUntil.get(endpoint) ?? 0) > now;
    const inOrder = [...endpoints.filter((each) => !shunned(each)), ...endpoints.filter(shunned)];
    const faults: string[] = [];
    for (const endpoint of inOrder) {
      try {
        return await post(endpoint, calls, fetcher);
      } catch (fault) {
        shunnedUntil.set(endpoint, now + SHUNNED_MS);
        faults.push(fault instanceof RpcFault ? fault.message : 'no connection');
      }
    }
    throw new RpcFault(`no endpoint answered: ${faults.join('; ')}`);
  }

  return async (calls) => {
    const answers: RpcAnswer[] = [];
    for (let from = 0; from < calls.length; from += BATCH)
      answers.push(...(await batch(calls.slice(from, from + BATCH))));
    return answers;
  };
}

async function post(endpoint: Secret<string>, calls: readonly RpcCall[], fetcher: typeof fetch): Promise<RpcAnswer[]> {
  const response = await fetcher(endpoint(), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new RpcFault(`HTTP ${response.status}`);
  const body: unknown = await response.json().catch(() => undefined);
  if (!Array.isArray(body)) throw new RpcFault('the answer is not a JSON-RPC batch');
  // Answers come in any order, and some nodes leave some out (JSON-RPC 2.0 §6).
  const byId = new Map(body.map((answer: { id?: unknown } | null) => [answer?.id, answer]));
  return calls.map((_, id) => {
    const answer: unknown = byId.get(id);
    if (!isAnswer(answer)) throw new RpcFault('the batch was answered in part');
    return answer;
  });
}

function isAnswer(answer: unknown): answer is RpcAnswer {
  if (typeof answer !== 'object' || answer === null) return false;
  if (!('error' in answer) || answer.error === undefined || answer.error === null) return 'result' in answer;
  const { error } = answer;
  return typeof error === 'object' && 'message' in error && typeof error.message === 'string';
}

/** The result of a call that has no business failing; throws RpcFault when it did. */
export function resultOf<T>(answer: RpcAnswer | undefined): T {
  if (answer === undefined || 'error' in answer)
    throw new RpcFault(`a read failed: ${answer?.error.message ?? 'no answer'}`);
  return answer.result as T;
}
