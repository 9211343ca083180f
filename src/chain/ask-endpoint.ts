import type { Secret } from '../lib/secret.ts';
import { backoff, MINUTE_MS, SECOND_MS } from '../lib/units.ts';
import {
  type BatchSize,
  lengthOf,
  type NumberedCall,
  type Posted,
  postBatch,
  splitIntoBatches,
} from './json-rpc-batch.ts';
import { RpcFault } from './port.ts';
import { type ErrorTable, isRefused, type RpcAnswer, throwIfEndpointFails } from './rpc-answer.ts';

/**
 * Maximum size of one HTTP request, including the calls of `Identity`. Nodes limit both the number of calls and the size, and
 * show their limits only by refusing a request.
 */
const BATCH_MAX: BatchSize = { calls: 200, bytes: 1_000_000 };
/**
 * How long an endpoint keeps a learned size before the service tries twice that size. The reason may have been temporary, so the
 * first time is short. It doubles each time that the endpoint refuses the larger size.
 */
const KEPT_MIN_MS = 30 * SECOND_MS;
const KEPT_MAX_MS = 10 * MINUTE_MS;

/** The size of the requests that an endpoint accepts. In memory only: another isolate learns it again. */
export class LearnedSize {
  #accepted = BATCH_MAX;
  #keptUntil = 0;
  #refusals = 0;

  /** Returns the number of calls to try after the endpoint has refused that many: the known size, or half if that is known. */
  callsAfterRefusalOf(calls: number): number {
    const known = this.#accepted.calls;
    return calls > known ? known : Math.ceil(calls / 2);
  }

  /** Returns the maximum size of the next requests. */
  next(): BatchSize {
    const { calls, bytes } = this.#accepted;
    if (this.#keptUntil > Date.now()) return this.#accepted;
    return { calls: Math.min(2 * calls, BATCH_MAX.calls), bytes: Math.min(2 * bytes, BATCH_MAX.bytes) };
  }

  /** Keeps a size that the endpoint accepted after it had refused a larger one. */
  learn(size: BatchSize): void {
    this.#accepted = size;
    this.#keptUntil = Date.now() + backoff(KEPT_MIN_MS, this.#refusals, KEPT_MAX_MS);
    this.#refusals += 1;
  }

  /** Records that the endpoint accepted a request of that size. */
  accept({ calls, bytes }: BatchSize): void {
    const known = this.#accepted;
    if (calls <= known.calls && bytes <= known.bytes) return;
    this.#refusals = 0;
    this.#accepted = { calls: Math.max(calls, known.calls), bytes: Math.max(bytes, known.bytes) };
  }
}

/** Maximum number of parallel HTTP requests to an endpoint for one list of calls. */
const MAX_PARALLEL_REQUESTS = 3;
/** Maximum number of calls in a row that an endpoint refuses alone, before the service gives up all that it refused. */
const MAX_REFUSED_ALONE = 3;
/** Maximum time for a list of calls. An endpoint that takes one call at a time needs a minute for 1,000 calls. */
const ASK_MAX_MS = 2 * MINUTE_MS;

/** The calls to send: `first` is part of every request, because another node may answer each one. */
export interface Asked {
  readonly first: readonly NumberedCall[];
  readonly others: readonly NumberedCall[];
  /** The errors of the chain's nodes. */
  readonly errors: ErrorTable;
}

/**
 * Asks one endpoint in batches, and returns the answers by id. Endpoints refuse large batches as a whole, in part or call by
 * call, with any status and any text. So a batch that is not answered in full is halved, whatever the endpoint said instead, and
 * only a call that the endpoint refuses alone stays refused. Throws RpcFault if the endpoint does not even answer one call.
 */
export async function askEndpoint(
  url: Secret<string>,
  size: LearnedSize,
  { first, others, errors }: Asked,
  keepProofs: (answers: readonly RpcAnswer[]) => void,
  fetcher: typeof fetch,
): Promise<readonly RpcAnswer[]> {
  const answers: RpcAnswer[] = [];
  /** The calls that a batch did not answer, with the error if there was one. Empty while the endpoint accepts the batches. */
  const refused = new Map<NumberedCall, RpcAnswer | undefined>();
  let most = size.next();
  /** The size that was tried after the largest refused batch. */
  let nextSmaller = most;
  /** Number of the calls that the smallest refused batch answered. */
  let answeredBeside = 0;
  /** Whether the endpoint refused most of a batch, or its end. Other refused calls may have troubles of their own. */
  let isTooLarge = false;
  let refusedAlone = 0;

  function settleAlone(request: NumberedCall, { answered: [pair], fault }: Posted): void {
    if (pair === undefined) throw fault;
    const [, answer] = pair;
    throwIfEndpointFails(answer, errors);
    answers[request.id] = answer;
    if (first.includes(request)) return keepProofs(answers);
    if (!isRefused(answer, errors)) {
      refusedAlone = 0;
      return accept([request]);
    }
    refused.delete(request);
    refusedAlone += 1;
    if (refusedAlone < MAX_REFUSED_ALONE) return;
    for (const [{ id }, error = answer] of refused) answers[id] ??= error;
    refused.clear();
    // Then the size may be the reason why the others of them were refused.
    if (isTooLarge) size.learn(nextSmaller);
  }

  async function settleBatch(part: readonly NumberedCall[], { answered, isTooLong }: Posted): Promise<void> {
    const useful = new Map(answered.filter(([, answer]) => !isRefused(answer, errors)));
    const isProven = first.every((proof) => 'result' in Object(useful.get(proof)));
    const open = part.filter((request) => !isProven || !useful.has(request));
    for (const [{ id }, answer] of isProven ? useful : []) answers[id] = answer;
    if (isProven) keepProofs(answers);
    if (open.length === 0) return accept(part);
    const isFirstHalving = refused.size === 0;
    if (isProven) for (const request of useful.keys()) refused.delete(request);
    // Without the proof, even a result may be that of another chain.
    const answeredWith = new Map(isProven ? answered : []);
    for (const request of open) if (!first.includes(request)) refused.set(request, answeredWith.get(request));
    answeredBeside = part.length - open.length;
    const isEnd = open.length > 1 && open[0] === part[answeredBeside];
    isTooLarge ||= isEnd || open.length > answeredBeside;
    most = halfOf(part, isTooLong);
    if (isFirstHalving) nextSmaller = most;
    // An endpoint that is away, or at its rate limit, does not answer one call either. Then halving would not help.
    const [proof] = first;
    if (answers.length === 0 && proof !== undefined) settleAlone(proof, await postBatch(url, [proof], fetcher));
  }

  /** Learns the size if the endpoint refused one of these calls in a larger batch. */
  function accept(part: readonly NumberedCall[]): void {
    if (!part.some((request) => refused.has(request)))
      return size.accept({ calls: part.length, bytes: lengthOf(part) });
    if (isTooLarge) size.learn({ ...most, calls: Math.max(most.calls, answeredBeside) });
    refused.clear();
  }

  function halfOf(part: readonly NumberedCall[], isTooLong: boolean): BatchSize {
    if (isTooLong && part.length > first.length + 1) return { ...most, bytes: lengthOf(part) / 2 };
    return { ...most, calls: size.callsAfterRefusalOf(Math.min(part.length, first.length + refused.size)) };
  }

  const end = Date.now() + ASK_MAX_MS;
  for (;;) {
    const waiting = [...first, ...others].filter(({ id }) => answers[id] === undefined);
    if (waiting.length === 0) return answers;
    if (Date.now() > end) throw new RpcFault('it answers too slowly');
    const isHalving = refused.size > 0;
    if (!isHalving) {
      most = size.next();
      isTooLarge = false;
    }
    const asked = isHalving ? waiting.filter((each) => refused.has(each) || first.includes(each)) : waiting;
    const parts = splitIntoBatches(asked, first, most).slice(0, isHalving ? 1 : MAX_PARALLEL_REQUESTS);
    const posted = await Promise.all(parts.map(async (part) => [part, await postBatch(url, part, fetcher)] as const));
    // An accepted small part shows how far to go down after a refused large one.
    for (const [part, outcome] of posted.toSorted(([a], [b]) => a.length - b.length)) {
      const [single] = part;
      if (part.length === 1 && single !== undefined) settleAlone(single, outcome);
      else await settleBatch(part, outcome);
    }
  }
}
