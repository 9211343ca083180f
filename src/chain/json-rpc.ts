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
/** Calls in one HTTP request, at first: public nodes take between 10 and 1,000, and say so only by refusing. */
const BATCH = 200;
/** How long a smaller size that an endpoint taught us is kept to: the reason may have been a passing one. */
const LEARNED_MS = 10 * 60_000;
/** How long an endpoint that failed is asked last. */
const COOL_DOWN_MS = 30_000;

interface Endpoint {
  readonly url: Secret<string>;
  /** As many calls as it takes at once, until when that was learned. */
  batch: number;
  learnedUntil: number;
  coolsUntil: number;
}

/** JSON-RPC over HTTP with several endpoints, in order of preference: when one fails, the next is asked. */
export function jsonRpc(urls: readonly Secret<string>[], fetcher: typeof fetch = fetch): JsonRpc {
  const endpoints = urls.map((url): Endpoint => ({ url, batch: BATCH, learnedUntil: 0, coolsUntil: 0 }));
  return async (calls) => {
    const now = Date.now();
    const warm = endpoints.filter(({ coolsUntil }) => coolsUntil <= now);
    const cooling = endpoints.filter(({ coolsUntil }) => coolsUntil > now);
    const faults: string[] = [];
    for (const endpoint of [...warm, ...cooling]) {
      try {
        return await ask(endpoint, calls, fetcher);
      } catch (fault) {
        endpoint.coolsUntil = now + COOL_DOWN_MS;
        faults.push(fault instanceof RpcFault ? fault.message : 'no connection');
      }
    }
    throw new RpcFault(`no endpoint answered: ${faults.join('; ')}`);
  };
}

/** Asks one endpoint, in batches it takes: one that is refused whole is sent again in halves. */
async function ask(endpoint: Endpoint, calls: readonly RpcCall[], fetcher: typeof fetch): Promise<RpcAnswer[]> {
  const answers: RpcAnswer[] = [];
  if (endpoint.learnedUntil < Date.now()) endpoint.batch = BATCH;
  while (answers.length < calls.length) {
    const batch = calls.slice(answers.length, answers.length + endpoint.batch);
    const got = await post(endpoint.url, batch, fetcher);
    if (got !== 'refused-whole') answers.push(...got);
    else if (batch.length === 1) throw new RpcFault('the call was refused');
    else {
      endpoint.batch = Math.ceil(batch.length / 2);
      endpoint.learnedUntil = Date.now() + LEARNED_MS;
    }
  }
  return answers;
}

async function post(
  url: Secret<string>,
  calls: readonly RpcCall[],
  fetcher: typeof fetch,
): Promise<RpcAnswer[] | 'refused-whole'> {
  const requests = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  const response = await fetcher(url(), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // Alone, a call is no batch: some nodes take none.
    body: JSON.stringify(requests.length === 1 ? requests[0] : requests, asNumbers),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const refused = response.status === 400 || response.status === 413;
  if (!response.ok && !refused) throw new RpcFault(`HTTP ${response.status}`);
  const body: unknown = await response.json().catch(() => undefined);
  // Some nodes give the error of a single call this status.
  if (refused && !(calls.length === 1 && isAnswer(body))) return 'refused-whole';
  const answers = Array.isArray(body) ? body : [body];
  if (answers.some(isRateLimit)) throw new RpcFault('the rate limit is reached');
  if (answers.length === 1 && calls.length > 1 && isAnswer(body)) return 'refused-whole';
  // Answers come in any order, and some nodes leave some out (JSON-RPC 2.0 §6).
  const byId = new Map(answers.map((answer: { id?: unknown } | null | undefined) => [answer?.id, answer]));
  return calls.map((_, id) => {
    const answer: unknown = byId.get(id);
    if (!isAnswer(answer)) throw new RpcFault('the answer is not one to every call');
    return answer;
  });
}

/** Slots and sizes are far below what a JSON number holds exactly. */
function asNumbers(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

function isAnswer(answer: unknown): answer is RpcAnswer {
  if (typeof answer !== 'object' || answer === null) return false;
  if (!('error' in answer) || answer.error === undefined || answer.error === null) return 'result' in answer;
  const { error } = answer;
  return typeof error === 'object' && 'message' in error && typeof error.message === 'string';
}

/** Providers put their limits into a 200 as well (EIP-1474: -32005): then the next endpoint is asked. */
function isRateLimit(answer: unknown): boolean {
  if (!isAnswer(answer) || !('error' in answer)) return false;
  const { code, message } = answer.error;
  return code === 429 || code === -32005 || /rate limit|too many requests|compute units|request limit/i.test(message);
}

/** The result of a call that has no business failing; throws RpcFault when it did. */
export function resultOf<T>(answer: RpcAnswer | undefined): T {
  if (answer === undefined || 'error' in answer) {
    throw new RpcFault(`a read failed: ${answer?.error.message.slice(0, 200) ?? 'no answer'}`);
  }
  return answer.result as T;
}
