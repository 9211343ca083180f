import type { Secret } from '../lib/secret.ts';
import { MINUTE_MS, type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { log, logFault } from '../log/log.ts';
import { askEndpoint, LearnedSize } from './ask-endpoint.ts';
import { mayBeBehind, type NewestBlock } from './block-age.ts';
import { numberCall, type RpcCall } from './json-rpc-batch.ts';
import { type Pairs, pairUp, RpcFault } from './port.ts';
import {
  type ErrorTable,
  errorKindIn,
  isTrouble,
  MALFORMED_CODE,
  needsAnother,
  type RpcAnswer,
  resultOf,
} from './rpc-answer.ts';
import type { Health } from './whom-to-ask.ts';

/** Calls that are part of every HTTP request, because an endpoint of another chain would answer all other calls too. */
export interface Identity extends ResultForm {
  readonly call: RpcCall;
  /** Whether the result identifies our chain. */
  isOurChain(result: unknown): boolean;
  /** A call for the newest block, or the chain's clock. Only sent if there is another endpoint to use instead. */
  readonly newest?: {
    readonly call: RpcCall;
    blockOf(result: unknown): NewestBlock;
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

const NONE_ANSWERED = 'no endpoint answered: ';
/** How long an endpoint that failed, was slow, had trouble with a call or is behind its chain comes last. */
const COOL_DOWN_MS = 30 * SECOND_MS;
/** An endpoint with a higher median response time comes last. One that answers just before the timeout would never fail. */
const SLOW_MS = 2 * SECOND_MS;

interface Endpoint {
  readonly url: Secret<string>;
  readonly size: LearnedSize;
  readonly answers: ReadAnswers;
  coolsUntil: number;
  /** Until when the endpoint counts as one that takes long to fail. */
  hangsUntil: number;
  /** Its last response times in milliseconds, the newest last. */
  times: readonly Milliseconds[];
}

interface EndpointAnswers {
  /** One for each call. It is the endpoint's error if the endpoint refused the call alone. */
  readonly answers: readonly RpcAnswer[];
  /** Whether its newest block is so old that newer blocks may exist. */
  readonly isBehind: boolean;
}

/** The endpoints of a network, as a sequence and each alone. Both share the record of failing and slow endpoints. */
export interface Endpoints {
  /** Asks one endpoint after another until one answers. */
  readonly send: JsonRpc;
  /** Each endpoint alone, in order of preference. It also throws RpcFault if the endpoint may be behind its chain. */
  readonly alone: readonly SingleEndpoint[];
}

export interface SingleEndpoint extends Health {
  readonly send: JsonRpc;
}

/** Sends to several endpoints, in order of preference. See `openEndpoints`. */
export function jsonRpc(urls: readonly Secret<string>[], identity: Identity, fetcher: typeof fetch = fetch): JsonRpc {
  return openEndpoints(urls, identity, fetcher).send;
}

/**
 * Opens JSON-RPC over HTTP to several endpoints, in order of preference. If one fails or serves another chain, the next one
 * gets the same calls. If one does not answer some of the calls, the next one gets these. The next one also gets them if the
 * newest block is old, but the old answers count if no endpoint has newer ones. An endpoint whose median response time is above
 * `slowMs` comes last for a while.
 */
export function openEndpoints(
  urls: readonly Secret<string>[],
  identity: Identity,
  fetcher: typeof fetch = fetch,
  slowMs: Milliseconds = SLOW_MS,
): Endpoints {
  const endpoints = urls.map((url, index): Endpoint => {
    const answers = new ReadAnswers(identity, { endpoint: index + 1, endpoints: urls.length });
    return { url, size: new LearnedSize(), answers, coolsUntil: 0, hangsUntil: 0, times: [] };
  });
  const { newest } = identity;
  const proofs = [identity.call, ...(newest && urls.length > 1 ? [newest.call] : [])];
  const isCooling = ({ coolsUntil }: Endpoint) => coolsUntil > Date.now();

  async function askForAnswers(endpoint: Endpoint, calls: readonly RpcCall[]): Promise<EndpointAnswers> {
    const requests = [...proofs, ...calls].map(numberCall);
    const { errors } = identity;
    const asked = { first: requests.slice(0, proofs.length), others: requests.slice(proofs.length), errors };
    let isBehind = false;
    const keepProofs = (answers: readonly RpcAnswer[]) => {
      isBehind = mayBeBehindOurs(endpoint, identity, answers.slice(0, proofs.length)) || isBehind;
    };
    const all = await askEndpoint(endpoint.url, endpoint.size, asked, keepProofs, fetcher);
    return { answers: endpoint.answers.read(pairUp(calls, all.slice(proofs.length))), isBehind };
  }

  /** Asks one endpoint, and starts its cooldown if it fails, has trouble with a call, is behind its chain, or is slow. */
  async function ask(endpoint: Endpoint, calls: readonly RpcCall[]): Promise<EndpointAnswers> {
    const began = Date.now();
    try {
      const { answers, isBehind } = await askForAnswers(endpoint, calls);
      endpoint.times = addTime(endpoint.times, Date.now() - began);
      const hasTrouble = answers.some(
        (answer, index) => isTrouble(answer, identity.errors) || lacksNeeded(calls[index], answer),
      );
      // A last resort that answers poorly again does not get a longer cooldown.
      const isPoor = isBehind || hasTrouble || medianTime(endpoint.times) > slowMs;
      if (isPoor && !isCooling(endpoint)) endpoint.coolsUntil = Date.now() + COOL_DOWN_MS;
      return { answers, isBehind };
    } catch (fault) {
      // Read the clock again: the failure may have taken long.
      endpoint.coolsUntil = Date.now() + COOL_DOWN_MS;
      if (Date.now() - began > slowMs) endpoint.hangsUntil = endpoint.coolsUntil;
      throw fault instanceof RpcFault ? fault : new RpcFault('no connection', ['no-connection']);
    }
  }

  return {
    async send(calls) {
      if (calls.length === 0) return [];
      const cooling = endpoints.filter(isCooling);
      const faults: RpcFault[] = [];
      const answers: RpcAnswer[] = [];
      let old: readonly RpcAnswer[] | undefined;
      for (const endpoint of [...endpoints.filter((each) => !cooling.includes(each)), ...cooling]) {
        const open = calls.flatMap((call, index) =>
          isOpen(call, answers[index], identity.errors) ? [{ call, index }] : [],
        );
        if (open.length === 0) break;
        try {
          const asked = await ask(
            endpoint,
            open.map(({ call }) => call),
          );
          if (asked.isBehind) {
            // Old answers beside new ones would contradict them, so they count only as a whole.
            if (open.length === calls.length && answers.length === 0) old ??= asked.answers;
            // On a chain without new blocks all endpoints are behind. Do not ask every one of them each time.
            if (old !== undefined && answers.length === 0 && cooling.includes(endpoint)) break;
          } else {
            for (const [{ index }, answer] of pairUp(open, asked.answers)) answers[index] = answer;
          }
        } catch (fault) {
          if (!(fault instanceof RpcFault)) throw fault;
          faults.push(fault);
        }
      }
      const found = answers.length > 0 ? answers : old;
      if (found === undefined) {
        const messages = faults.map(({ message }) => message).join('; ');
        throw new RpcFault(
          `${NONE_ANSWERED}${messages}`,
          faults.flatMap(({ codes }) => codes),
        );
      }
      return demandNeeded(calls, found, NONE_ANSWERED);
    },
    alone: endpoints.map((endpoint) => ({
      isCooling: () => isCooling(endpoint),
      isHanging: () => endpoint.hangsUntil > Date.now(),
      async send(calls) {
        if (calls.length === 0) return [];
        const { answers, isBehind } = await ask(endpoint, calls);
        if (isBehind) throw new RpcFault('the endpoint may be behind its chain');
        return demandNeeded(calls, answers);
      },
    })),
  };
}

function lacksNeeded(call: RpcCall | undefined, answer: RpcAnswer): boolean {
  return call?.needed === true && 'error' in answer;
}

/** Whether another endpoint may give a better answer to the call. */
function isOpen(call: RpcCall, answer: RpcAnswer | undefined, errors: ErrorTable): boolean {
  return answer === undefined || needsAnother(answer, errors) || lacksNeeded(call, answer);
}

/** Returns the answers. Throws RpcFault if a needed call has none. */
function demandNeeded(calls: readonly RpcCall[], answers: readonly RpcAnswer[], prefix = ''): RpcAnswer[] {
  return pairUp(calls, answers).map(([call, answer]) => {
    if (!call.needed) return answer;
    try {
      resultOf(answer);
    } catch (fault) {
      const { message, codes } = fault as RpcFault;
      throw new RpcFault(`${prefix}${message}`, codes);
    }
    return answer;
  });
}

/** Whether the endpoint may be behind our chain. Throws RpcFault if it serves another chain. */
function mayBeBehindOurs(
  endpoint: object,
  { call, isOurChain, newest }: Identity,
  [chain, block]: readonly RpcAnswer[],
): boolean {
  if (!isOurChain(resultOf(chain, call.method)))
    throw new RpcFault(`it serves another chain, as ${call.method} shows`, ['another-chain']);
  if (newest === undefined || block === undefined) return false;
  return mayBeBehind(endpoint, newest.blockOf(resultOf(block, newest.call.method)), Date.now());
}

/** Number of an endpoint's response times from which the median is computed. */
const REMEMBERED_TIMES = 5;

/** Returns the newest times, with the given one as the last. */
function addTime(times: readonly Milliseconds[], time: Milliseconds): readonly Milliseconds[] {
  return [...times, time].slice(-REMEMBERED_TIMES);
}

/** Returns the median, or 0 while there are too few times, because those may be exceptions. */
function medianTime(times: readonly Milliseconds[]): Milliseconds {
  return times.length < REMEMBERED_TIMES ? 0 : (times.toSorted((a, b) => a - b)[REMEMBERED_TIMES >> 1] ?? 0);
}

interface ResultForm {
  /** The errors of the chain's nodes. */
  readonly errors: ErrorTable;
  /** Name of the network, for the log. */
  readonly network?: string;
  /** Returns the result of a call in its usual form. Throws MalformedResult if its meaning is not certain. */
  readonly normalize?: (call: RpcCall, result: unknown) => unknown;
}

/** The result of a call lacks a field, or the value of the field cannot be read. */
export class MalformedResult extends Error {
  override readonly name = 'MalformedResult';
  readonly field: string;

  /** @param field The name of the field, after the names of the ones around it. */
  constructor(field: string) {
    super(`the field "${field}" cannot be read`);
    this.field = field;
  }
}

/** The place of an endpoint in the configuration. Its URL may contain a key, so no log line contains any part of the URL. */
interface EndpointPlace {
  readonly endpoint: number;
  readonly endpoints: number;
}

/** How long a repeated line about the same method is left out of the log. */
const REPEAT_MS = 10 * MINUTE_MS;

/** Reads the answers of one endpoint, and logs the ones that are missing or cannot be read. */
export class ReadAnswers {
  readonly #form: ResultForm;
  readonly #place: EndpointPlace;
  readonly #loggedUntil = new Map<string, number>();

  constructor(form: ResultForm, place: EndpointPlace) {
    this.#form = form;
    this.#place = place;
  }

  /** Returns the answers in their usual form. A result that cannot be read becomes an error, so that another endpoint is asked. */
  read(answered: Pairs<RpcCall, RpcAnswer>): RpcAnswer[] {
    return answered.map(([call, answer]) => this.#readOne(call, answer));
  }

  #readOne(call: RpcCall, answer: RpcAnswer): RpcAnswer {
    const fields = { network: this.#form.network, ...this.#place, method: call.method };
    if ('error' in answer) {
      const { code, message } = answer.error;
      const { errors } = this.#form;
      if (needsAnother(answer, errors) && this.#isNew(`${call.method} ${errorKindIn(errors, answer.error)}`))
        log('endpoint.call_refused', { ...fields, code, error: message });
      return { error: { ...answer.error, method: call.method } };
    }
    try {
      const { normalize } = this.#form;
      return normalize === undefined ? answer : { result: normalize(call, answer.result) };
    } catch (fault) {
      if (!(fault instanceof MalformedResult)) throw fault;
      const { message, field } = fault;
      if (this.#isNew(`${call.method} ${field}`)) logFault('endpoint.unreadable', fault, { ...fields, field });
      return { error: { code: MALFORMED_CODE, message, method: call.method } };
    }
  }

  #isNew(line: string): boolean {
    const now = Date.now();
    if ((this.#loggedUntil.get(line) ?? 0) > now) return false;
    this.#loggedUntil.set(line, now + REPEAT_MS);
    return true;
  }
}
