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

/** What an endpoint is asked with every HTTP request: one that serves another chain answers all other calls as readily. */
export interface Identity {
  readonly call: RpcCall;
  /** Whether its result is that of our chain. */
  isOurChain(result: unknown): boolean;
  /** What is asked as well where there is another endpoint to turn to: for the newest block, or the chain's clock. */
  readonly newest?: {
    readonly call: RpcCall;
    /** When the newest block was made. */
    timeOf(result: unknown): UnixSeconds;
  };
}

/** Sends calls in batches; one answer per call, in order. Throws RpcFault when no endpoint gives them all. */
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
 * What goes into one HTTP request at first, the questions for the chain included: nodes have limits of both kinds, and say
 * so only by refusing.
 */
const BATCH_MAX: BatchSize = { calls: 200, bytes: 1_000_000 };
/** HTTP requests to an endpoint at a time, of those that one list of calls comes to. */
const MAX_PARALLEL_REQUESTS = 3;
/** How long a smaller size that an endpoint taught us is kept to: the reason may have been a passing one. */
const LEARNED_SIZE_MS = 10 * 60_000;
/** How long an endpoint that failed, or is behind its chain, is asked last. */
const COOL_DOWN_MS = 30_000;
/** An endpoint that usually takes longer is asked last: one that answers just within the time limit never fails. */
const SLOW_MS = 2_000;

interface Endpoint {
  readonly url: Secret<string>;
  /** As much as it takes at once, and until when that is kept to. */
  most: BatchSize;
  learnedUntil: number;
  coolsUntil: number;
  /** Until when it counts as one that takes long to fail. */
  hangsUntil: number;
  /** How long its last answers took, in milliseconds, the newest last. */
  times: readonly Milliseconds[];
}

/** The endpoints of a network, asked in turn or one by one. They remember together which of them fail or are slow. */
export interface Endpoints {
  /** Asks one endpoint after the other until one answers. */
  readonly send: JsonRpc;
  /** Asks each endpoint alone, in order of preference; throws RpcFault also if the endpoint may be behind its chain. */
  readonly alone: readonly SingleEndpoint[];
}

export interface SingleEndpoint {
  readonly send: JsonRpc;
  /** Whether it failed, was slow or was behind its chain a moment ago. */
  isCooling(): boolean;
  /** Whether it took long to fail a moment ago. */
  isHanging(): boolean;
}

/** Sends to several endpoints, in order of preference. See `openEndpoints`. */
export function jsonRpc(urls: readonly Secret<string>[], identity: Identity, fetcher: typeof fetch = fetch): JsonRpc {
  return openEndpoints(urls, identity, fetcher).send;
}

/**
 * JSON-RPC over HTTP with several endpoints, in order of preference. If one fails, or serves another chain, the next is
 * asked the same. That also holds if its newest block is old, but then its answers count where no endpoint has better ones.
 * An endpoint whose median response time is above `slowMs` is asked last for a while.
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
  /** Asks one endpoint, and has it cool down if it fails, is behind its chain, or is slow. */
  async function ask(endpoint: Endpoint, calls: readonly RpcCall[]): Promise<EndpointAnswers> {
    const began = Date.now();
    try {
      const answers = await askEndpoint(endpoint, calls, asked, fetcher);
      endpoint.times = addTime(endpoint.times, Date.now() - began);
      // One that is asked as the last resort does not cool for longer.
      const isPoor = answers.isBehind || medianTime(endpoint.times) > slowMs;
      if (isPoor && !isCooling(endpoint)) endpoint.coolsUntil = Date.now() + COOL_DOWN_MS;
      return answers;
    } catch (fault) {
      // It may have taken long to fail.
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
          // On a chain that stands still all are behind: not each of them is asked every time.
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
  /** Its newest block is so old that there may be newer ones. */
  readonly isBehind: boolean;
}

/** Asks one endpoint, in batches it takes: one that is refused whole is sent again in halves. */
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

/** Whether the node may be behind our chain. Throws RpcFault when it serves another. */
function mayBeBehindOurs({ isOurChain, newest }: Identity, [chain, block]: readonly RpcAnswer[]): boolean {
  if (!isOurChain(resultOf(chain))) throw new RpcFault('it serves another chain');
  return newest !== undefined && block !== undefined && mayBeBehind(newest.timeOf(resultOf(block)), Date.now());
}

/** Posts one batch. Some endpoints refuse a batch as a whole: then its size is the caller's to change. */
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
    // Signed bytes, and the key in the URL, are for this endpoint and for none that it names.
    redirect: 'manual',
  });
  if (response.status === 413) return 'too-long';
  const refused = response.status === 400;
  if (!response.ok && !refused) throw new RpcFault(`HTTP ${response.status}`);
  const body = await readResponse(response);
  if (body === TOO_LONG) return 'refused-whole';
  // Some nodes give the error of a single call this status.
  if (refused && !(requests.length === 1 && isRpcAnswer(body))) return 'refused-whole';
  const answers = Array.isArray(body) ? body : [body];
  if (answers.some(isRateLimit)) throw new RpcFault('the rate limit is reached');
  if (answers.some(isHistoryMissing)) throw new RpcFault('it has no history');
  if (answers.length === 1 && requests.length > 1 && isRpcAnswer(body)) return 'refused-whole';
  // Answers come in any order, and some nodes leave some out (JSON-RPC 2.0 §6).
  const byId = new Map(answers.map((answer: { id?: unknown } | null | undefined) => [answer?.id, answer]));
  return requests.map((request) => {
    const { id, needed } = request;
    const answer: unknown = byId.get(id);
    if (!isRpcAnswer(answer)) throw new RpcFault('the answer is not one to every call');
    const shown = redactAnswer(answer, url);
    if (needed) resultOf(shown);
    return [request, shown];
  });
}
