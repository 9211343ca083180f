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

/** What an endpoint is asked with every request: one that serves another chain answers all other calls as readily. */
export interface Identity {
  readonly call: RpcCall;
  /** Whether its result is that of our chain. */
  is(result: unknown): boolean;
}

/** Sends calls in batches; one answer per call, in order. Throws RpcFault when no endpoint gives them all. */
export type JsonRpc = (calls: readonly RpcCall[]) => Promise<RpcAnswer[]>;

const TIMEOUT_MS = 10_000;
/**
 * What goes into one HTTP request at first, the question for the chain included: nodes have limits of both kinds, and say
 * so only by refusing.
 */
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

/**
 * JSON-RPC over HTTP with several endpoints, in order of preference: when one fails, or serves another chain, the next is
 * asked the same.
 */
export function jsonRpc(urls: readonly Secret<string>[], identity: Identity, fetcher: typeof fetch = fetch): JsonRpc {
  const endpoints = urls.map((url): Endpoint => ({ url, most: MOST, learnedUntil: 0, coolsUntil: 0 }));
  return async (calls) => {
    const now = Date.now();
    const warm = endpoints.filter(({ coolsUntil }) => coolsUntil <= now);
    const cooling = endpoints.filter(({ coolsUntil }) => coolsUntil > now);
    const faults: string[] = [];
    for (const endpoint of [...warm, ...cooling]) {
      try {
        return await ask(endpoint, calls, identity, fetcher);
      } catch (fault) {
        // It may have taken long to fail.
        endpoint.coolsUntil = Date.now() + COOL_DOWN_MS;
        faults.push(fault instanceof RpcFault ? fault.message : 'no connection');
      }
    }
    throw new RpcFault(`no endpoint answered: ${faults.join('; ')}`);
  };
}

/** Asks one endpoint, in batches it takes: one that is refused whole is sent again in halves. */
async function ask(
  endpoint: Endpoint,
  calls: readonly RpcCall[],
  identity: Identity,
  fetcher: typeof fetch,
): Promise<RpcAnswer[]> {
  const [first, ...requests] = [identity.call, ...calls].map(
    (call, id): Numbered => ({ id, text: JSON.stringify({ jsonrpc: '2.0', id, ...call }, asNumbers) }),
  );
  const answers: RpcAnswer[] = [];
  let isProven = false;
  if (endpoint.learnedUntil < Date.now()) endpoint.most = MOST;
  while (answers.length < calls.length) {
    // With every batch, since another node may answer each; but where there are none, once.
    const asksChain = endpoint.most.calls > 1 || !isProven;
    const batch = takenFrom(requests.slice(answers.length), asksChain ? first : undefined, endpoint.most);
    const got = await post(endpoint.url, batch, fetcher);
    if (Array.isArray(got)) {
      if (asksChain) demandChain(got.shift(), identity);
      isProven = true;
      answers.push(...got);
      continue;
    }
    if (batch.length === 1 || (batch.length === 2 && asksChain && got === 'too-long')) {
      throw new RpcFault('the call was refused');
    }
    const half = got === 'too-long' ? { bytes: lengthOf(batch) / 2 } : { calls: Math.ceil(batch.length / 2) };
    endpoint.most = { ...endpoint.most, ...half };
    endpoint.learnedUntil = Date.now() + LEARNED_MS;
  }
  return answers;
}

function demandChain(answer: RpcAnswer | undefined, { is }: Identity): void {
  if (!is(resultOf(answer))) throw new RpcFault('it serves another chain');
}

interface Numbered {
  readonly id: number;
  readonly text: string;
}

/** As many requests as go together behind the first; one at least. */
function takenFrom(requests: readonly Numbered[], first: Numbered | undefined, { calls, bytes }: Size): Numbered[] {
  if (calls === 1 && first !== undefined) return [first];
  const always = first === undefined ? [] : [first];
  const batch = [...always, ...requests.slice(0, calls - always.length)];
  let length = 0;
  const over = batch.findIndex(({ text }, index) => {
    length += text.length;
    return index > always.length && length > bytes;
  });
  return over < 0 ? batch : batch.slice(0, over);
}

function lengthOf(batch: readonly Numbered[]): number {
  return batch.reduce((sum, { text }) => sum + text.length, 0);
}

/** Answers in the order of the requests. */
async function post(
  url: Secret<string>,
  requests: readonly Numbered[],
  fetcher: typeof fetch,
): Promise<RpcAnswer[] | 'too-long' | 'refused-whole'> {
  const response = await fetcher(url(), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: bodyOf(requests),
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
  return requests.map(({ id }) => {
    const answer: unknown = byId.get(id);
    if (!isAnswer(answer)) throw new RpcFault('the answer is not one to every call');
    return answer;
  });
}

/** Alone, a call is no batch: some nodes take none. */
function bodyOf(requests: readonly Numbered[]): string {
  const texts = requests.map(({ text }) => text).join();
  return requests.length === 1 ? texts : `[${texts}]`;
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
