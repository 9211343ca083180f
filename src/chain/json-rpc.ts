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
/** What goes into one HTTP request, at first: nodes have limits of both kinds, and say so only by refusing. */
const MOST: Size = { calls: 200, bytes: 1_000_000 };
/** How long a smaller size that an endpoint taught us is kept to: the reason may have been a passing one. */
const LEARNED_MS = 10 * 60_000;
/** How long an endpoint that failed is asked last. */
const COOL_DOWN_MS = 30_000;

interface Size {
  readonly calls: number;
  readonly bytes: number;
}

interface Endpoint {
  readonly url: Secret<string>;
  /** As much as it takes at once, and until when that is kept to. */
  most: Size;
  learnedUntil: number;
  coolsUntil: number;
}

/** JSON-RPC over HTTP with several endpoints, in order of preference: when one fails, the next is asked. */
export function jsonRpc(urls: readonly Secret<string>[], fetcher: typeof fetch = fetch): JsonRpc {
  const endpoints = urls.map((url): Endpoint => ({ url, most: MOST, learnedUntil: 0, coolsUntil: 0 }));
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
  const requests = calls.map((call, id) => JSON.stringify({ jsonrpc: '2.0', id, ...call }, asNumbers));
  const answers: RpcAnswer[] = [];
  if (endpoint.learnedUntil < Date.now()) endpoint.most = MOST;
  while (answers.length < calls.length) {
    const batch = takenFrom(requests, answers.length, endpoint.most);
    const got = await post(endpoint.url, batch, answers.length, fetcher);
    if (Array.isArray(got)) {
      answers.push(...got);
      continue;
    }
    if (batch.length === 1) throw new RpcFault('the call was refused');
    const half = got === 'too-long' ? { bytes: lengthOf(batch) / 2 } : { calls: Math.ceil(batch.length / 2) };
    endpoint.most = { ...endpoint.most, ...half };
    endpoint.learnedUntil = Date.now() + LEARNED_MS;
  }
  return answers;
}

/** As many requests from there on as go together; one at least. */
function takenFrom(requests: readonly string[], start: number, { calls, bytes }: Size): string[] {
  const batch = requests.slice(start, start + calls);
  let length = 0;
  const over = batch.findIndex((request, index) => {
    length += request.length;
    return index > 0 && length > bytes;
  });
  return over < 0 ? batch : batch.slice(0, over);
}

function lengthOf(batch: readonly string[]): number {
  return batch.reduce((sum, { length }) => sum + length, 0);
}

/** Answers in the order of the requests, whose ids count up from `firstId`. */
async function post(
  url: Secret<string>,
  requests: readonly string[],
  firstId: number,
  fetcher: typeof fetch,
): Promise<RpcAnswer[] | 'too-long' | 'refused-whole'> {
  const response = await fetcher(url(), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // Alone, a call is no batch: some nodes take none.
    body: requests.length === 1 ? (requests[0] as string) : `[${requests.join()}]`,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status === 413) return 'too-long';
  const refused = response.status === 400;
  if (!response.ok && !refused) throw new RpcFault(`HTTP ${response.status}`);
  const body: unknown = await response.json().catch(() => undefined);
  // Some nodes give the error of a single call this status.
  if (refused && !(requests.length === 1 && isAnswer(body))) return 'refused-whole';
  const answers = Array.isArray(body) ? body : [body];
  if (answers.some(isRateLimit)) throw new RpcFault('the rate limit is reached');
  if (answers.some(isNotServed)) throw new RpcFault('it has no history');
  if (answers.length === 1 && requests.length > 1 && isAnswer(body)) return 'refused-whole';
  // Answers come in any order, and some nodes leave some out (JSON-RPC 2.0 §6).
  const byId = new Map(answers.map((answer: { id?: unknown } | null | undefined) => [answer?.id, answer]));
  return requests.map((_, index) => {
    const answer: unknown = byId.get(firstId + index);
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

/** A node of Solana without its history; another endpoint may have it (Agave: -32011). */
function isNotServed(answer: unknown): boolean {
  return isAnswer(answer) && 'error' in answer && answer.error.code === -32011;
}

/** The result of a call that has no business failing; throws RpcFault when it did. */
export function resultOf<T>(answer: RpcAnswer | undefined): T {
  if (answer === undefined || 'error' in answer) {
    throw new RpcFault(`a read failed: ${answer?.error.message.slice(0, 200) ?? 'no answer'}`);
  }
  return answer.result as T;
}
