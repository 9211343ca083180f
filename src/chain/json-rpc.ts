import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
import type { Secret } from '../lib/secret.ts';
import { endpointRequestOf } from './endpoint-auth.ts';
import {
  type BatchSize,
  bodyOf,
  lengthOf,
  type NumberedCall,
  numberCall,
  type RpcCall,
  splitIntoBatches,
} from './json-rpc-batch.ts';
import { type Pairs, pairUp } from './pairs.ts';
import { mayBeBehind } from './plan-step.ts';
import { RpcFault } from './port.ts';
import { readResponse, TOO_LONG } from './read-response.ts';
import { redactAnswer } from './redact-node-error.ts';
import { addTime, medianTime } from './response-times.ts';
import { isHistoryMissing, isRateLimit, isRpcAnswer, type RpcAnswer, resultOf } from './rpc-answer.ts';

/** Calls that are part of every HTTP request, because an endpoint of another chain would answer all other calls too. */
export interface Identity {
  readonly call: RpcCall;
  /** Whether the result identifies our chain. */
  isOurChain(result: unknown): boolean;
  /** A call for the newest block, or the chain's clock. Only sent if there is another endpoint to use instead. */
  readonly newest?: {
    readonly call: RpcCall;
    /** Returns the time of the newest block. */
    timeOf(result: unknown): UnixSeconds;
  };
}

/** Sends calls in batches and returns one answer per call, in order. Throws RpcFault if no endpoint answers all calls. */
export type JsonRpc = (calls: readonly RpcCall[]) => Promise<RpcAnswer[]>;

/** Sends one call for each item, and pairs the items with their answers. */
export async function askEach<T>(
  send: JsonRpc,
  items: readonly T[],
  callFor: (item: T) => RpcCall,
): Promise<Pairs<T, RpcAnswer>> {
  return pairUp(items, await send(items.map(callFor)));
}

const TIMEOUT_MS = 10_000;
/**
 * Initial maximum size of one HTTP request, including the calls of `Identity`. Nodes limit both the number of calls and the
 * size, and show their limits only by refusing a request.
 */
const BATCH_MAX: BatchSize = { calls: 200, bytes: 1_000_000 };
/** Maximum number of parallel HTTP requests to an endpoint for one list of calls. */
const MAX_PARALLEL_REQUESTS = 3;
/** How long requests to an endpoint stay smaller after a refusal, because its reason may be temporary. */
const LEARNED_SIZE_MS = 10 * 60_000;
/** How long an endpoint that failed, was slow or is behind its chain comes last. */
const COOL_DOWN_MS = 30_000;
/** An endpoint with a higher median response time comes last. One that answers just before the timeout would never fail. */
const SLOW_MS = 2_000;

interface Endpoint {
  readonly url: Secret<string>;
  /** Maximum size of a request, and until when a learned size applies. */
  most: BatchSize;
  learnedUntil: number;
  coolsUntil: number;
  /** Until when the endpoint counts as one that takes long to fail. */
  hangsUntil: number;
  /** Its last response times in milliseconds, the newest last. */
  times: readonly Milliseconds[];
}

/** The endpoints of a network, as a sequence and each alone. Both share the record of failing and slow endpoints. */
export interface Endpoints {
  /** Asks one endpoint after another until one answers. */
  readonly send: JsonRpc;
  /** Each endpoint alone, in order of preference. It also throws RpcFault if the endpoint may be behind its chain. */
  readonly alone: readonly SingleEndpoint[];
}

export interface SingleEndpoint {
  readonly send: JsonRpc;
  /** Whether it recently failed, was slow or was behind its chain. */
  isCooling(): boolean;
  /** Whether it recently took long to fail. */
  isHanging(): boolean;
}

/** Sends to several endpoints, in order of preference. See `openEndpoints`. */
export function jsonRpc(urls: readonly Secret<string>[], identity: Identity, fetcher: typeof fetch = fetch): JsonRpc {
  return openEndpoints(urls, identity, fetcher).send;
}

/**
 * Opens JSON-RPC over HTTP to several endpoints, in order of preference. If one fails or serves another chain, the next one
 * gets the same calls. The next one also gets them if the newest block is old, but the old answers count if no endpoint has
 * newer ones. An endpoint whose median response time is above `slowMs` comes last for a while.
 */
export function openEndpoints(
  urls: readonly Secret<string>[],
  identity: Identity,
  fetcher: typeof fetch = fetch,
  slowMs: Milliseconds = SLOW_MS,
): Endpoints {
  const endpoints = urls.map(
    (url): Endpoint => ({ url, most: BATCH_MAX, learnedUntil: 0, coolsUntil: 0, hangsUntil: 0, times: [] }),
  );
  const { newest, ...unproven } = identity;
  const asked = urls.length > 1 ? identity : unproven;
  const isCooling = ({ coolsUntil }: Endpoint) => coolsUntil > Date.now();
  /** Asks one endpoint, and starts its cooldown if it fails, is behind its chain, or is slow. */
  async function ask(endpoint: Endpoint, calls: readonly RpcCall[]): Promise<EndpointAnswers> {
    const began = Date.now();
    try {
      const answers = await askEndpoint(endpoint, calls, asked, fetcher);
      endpoint.times = addTime(endpoint.times, Date.now() - began);
      // A last resort that answers poorly again does not get a longer cooldown.
      const isPoor = answers.isBehind || medianTime(endpoint.times) > slowMs;
      if (isPoor && !isCooling(endpoint)) endpoint.coolsUntil = Date.now() + COOL_DOWN_MS;
      return answers;
    } catch (fault) {
      // Read the clock again: the failure may have taken long.
      endpoint.coolsUntil = Date.now() + COOL_DOWN_MS;
      if (Date.now() - began > slowMs) endpoint.hangsUntil = endpoint.coolsUntil;
      throw fault instanceof RpcFault ? fault : new RpcFault('no connection');
    }
  }
  return {
    async send(calls) {
      if (calls.length === 0) return [];
      const cooling = endpoints.filter(isCooling);
      const faults: string[] = [];
      let old: RpcAnswer[] | undefined;
      for (const endpoint of [...endpoints.filter((each) => !cooling.includes(each)), ...cooling]) {
        try {
          const { answers, isBehind } = await ask(endpoint, calls);
          if (!isBehind) return answers;
          old ??= answers;
          // On a chain without new blocks all endpoints are behind. Do not ask every one of them each time.
          if (cooling.includes(endpoint)) return old;
        } catch (fault) {
          if (!(fault instanceof RpcFault)) throw fault;
          faults.push(fault.message);
        }
      }
      if (old !== undefined) return old;
      throw new RpcFault(`no endpoint answered: ${faults.join('; ')}`);
    },
    alone: endpoints.map((endpoint) => ({
      isCooling: () => isCooling(endpoint),
      isHanging: () => endpoint.hangsUntil > Date.now(),
      async send(calls) {
        if (calls.length === 0) return [];
        const { answers, isBehind } = await ask(endpoint, calls);
        if (isBehind) throw new RpcFault('the endpoint may be behind its chain');
        return answers;
      },
    })),
  };
}

interface EndpointAnswers {
  readonly answers: RpcAnswer[];
  /** Whether its newest block is so old that newer blocks may exist. */
  readonly isBehind: boolean;
}

/** Asks one endpoint in batches. If the endpoint refuses a batch as a whole, it gets the calls again in halves. */
async function askEndpoint(
  endpoint: Endpoint,
  calls: readonly RpcCall[],
  identity: Identity,
  fetcher: typeof fetch,
): Promise<EndpointAnswers> {
  const proofs = [identity.call, ...(identity.newest ? [identity.newest.call] : [])];
  const requests = [...proofs, ...calls].map(numberCall);
  const first = requests.slice(0, proofs.length);
  const answers: RpcAnswer[] = [];
  let isBehind = false;
  if (endpoint.learnedUntil < Date.now()) endpoint.most = BATCH_MAX;
  for (;;) {
    const waiting = requests.filter(({ id }) => answers[id] === undefined);
    if (waiting.length === 0) return { answers: answers.slice(first.length), isBehind };
    const parts = splitIntoBatches(waiting, first, endpoint.most).slice(0, MAX_PARALLEL_REQUESTS);
    const posted = await Promise.all(
      parts.map(async (part) => [part, await postBatch(endpoint.url, part, fetcher)] as const),
    );
    for (const [part, outcome] of posted) {
      if (typeof outcome !== 'string') {
        for (const [{ id }, answer] of outcome) answers[id] = answer;
        isBehind = mayBeBehindOurs(identity, answers) || isBehind;
        continue;
      }
      if (part.length === 1 || (part.length === first.length + 1 && outcome === 'too-long')) {
        throw new RpcFault('the call was refused');
      }
      const half = outcome === 'too-long' ? { bytes: lengthOf(part) / 2 } : { calls: Math.ceil(part.length / 2) };
      endpoint.most = { ...endpoint.most, ...half };
      endpoint.learnedUntil = Date.now() + LEARNED_SIZE_MS;
    }
  }
}

/** Whether the node may be behind our chain. Throws RpcFault if it serves another chain. */
function mayBeBehindOurs({ isOurChain, newest }: Identity, [chain, block]: readonly RpcAnswer[]): boolean {
  if (!isOurChain(resultOf(chain))) throw new RpcFault('it serves another chain');
  return newest !== undefined && block !== undefined && mayBeBehind(newest.timeOf(resultOf(block)), Date.now());
}

/** Posts one batch. Some endpoints refuse a batch as a whole; the caller then reduces its size. */
async function postBatch(
  url: Secret<string>,
  requests: readonly NumberedCall[],
  fetcher: typeof fetch,
): Promise<Pairs<NumberedCall, RpcAnswer> | 'too-long' | 'refused-whole'> {
  const target = endpointRequestOf(url());
  const response = await fetcher(target.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...target.headers },
    body: bodyOf(requests),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    // Signed bytes and the key in the URL are for this endpoint only, not for the target of a redirect.
    redirect: 'manual',
  });
  if (response.status === 413) return 'too-long';
  const refused = response.status === 400;
  if (!response.ok && !refused) throw new RpcFault(`HTTP ${response.status}`);
  const body = await readResponse(response);
  if (body === TOO_LONG) return 'refused-whole';
  // Some nodes answer the error of a single call with status 400.
  if (refused && !(requests.length === 1 && isRpcAnswer(body))) return 'refused-whole';
  const answers = Array.isArray(body) ? body : [body];
  if (answers.some(isRateLimit)) throw new RpcFault('the rate limit is reached');
  if (answers.some(isHistoryMissing)) throw new RpcFault('it has no history');
  if (answers.length === 1 && requests.length > 1 && isRpcAnswer(body)) return 'refused-whole';
  // Answers may arrive in any order (JSON-RPC 2.0 §6), and some nodes omit some.
  const byId = new Map(answers.map((answer: { id?: unknown } | null | undefined) => [answer?.id, answer]));
  return requests.map((request) => {
    const { id, needed } = request;
    const answer: unknown = byId.get(id);
    if (!isRpcAnswer(answer)) throw new RpcFault('the answer lacks the result of a call');
    const shown = redactAnswer(answer, url);
    if (needed) resultOf(shown);
    return [request, shown];
  });
}
