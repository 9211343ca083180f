import { type EventPage, type FeedEvent, GatepassProblem, type ItemOutcome, type Pass } from '@gatepass/client';
import type { PassName, Plan } from '../csv/plan-rows.ts';
import { REQUESTED, type Verb } from '../csv/verb.ts';
import { newestTransactionOf } from '../own-transaction.ts';
import { wordsOf } from '../refusal-words.ts';
import { type Decision, decideOutcome } from './decide-outcome.ts';
import type { Result } from './result-file.ts';

/** A pass to send, with its requested expiry in Unix seconds. */
export interface RequestedPass {
  readonly name: PassName;
  readonly expiry: number | undefined;
}

/** The parts of the service that a run uses, and the receivers of its results. */
export interface RunParts {
  /** Sends up to 100 passes, and returns the outcome of each in order. */
  send(requested: readonly RequestedPass[]): Promise<ItemOutcome[]>;
  readEvents(after: number): Promise<EventPage>;
  /** Returns the pass; undefined if there is none. */
  fetchPass(name: PassName): Promise<Pass | undefined>;
  record(results: readonly Result[]): void;
  /** Called whenever the number of accepted passes may have changed. */
  onProgress(waiting: number): void;
  note(line: string): void;
  pause(ms: number): Promise<void>;
  now(): number;
}

const ITEMS_PER_REQUEST = 100;
/** Beyond this number of refused passes, the run sends no new ones. Before it, passes of other networks continue. */
const REFUSED_MAX = 1_000;
const RETRY_DEFAULT_MS = 5_000;
const IDLE_PAUSE_MS = 100;
const FEED_PAUSE_MS = 2_000;
/** After this time without a result, the run looks at passes that others may have changed. */
const STALLED_MS = 300_000;
const LOOKS_PER_STALL = 100;

/**
 * Sends the passes in batches, and follows the feed until each pass has a result.
 * @param cursor The newest sequence of the feed before the first request; undefined: the run does not wait for the chain.
 */
export async function runPasses(
  verb: Verb,
  passes: Plan['passes'],
  skip: ReadonlyMap<PassName, unknown>,
  cursor: number | undefined,
  parts: RunParts,
): Promise<void> {
  const run = new PassRun(verb, passes, skip, cursor, parts);
  await run.finish();
}

/** The state of a run in memory. Killing it loses nothing: the passes without a result are sent again. */
class PassRun {
  readonly #verb: Verb;
  readonly #passes: Plan['passes'];
  readonly #fresh: Iterator<PassName>;
  readonly #parts: RunParts;
  #cursor: number | undefined;
  /** Passes that are sent again, with the time from which on. */
  #again: { readonly name: PassName; readonly at: number }[] = [];
  /** Accepted passes, with the time of their acceptance. */
  readonly #waiting = new Map<PassName, number>();
  /** Passes of the present request, with the decision of an event that came before its answer. */
  readonly #sending = new Map<PassName, Decision | undefined>();
  #hasFresh = true;
  #lastResultAt: number;

  constructor(
    verb: Verb,
    passes: Plan['passes'],
    skip: ReadonlyMap<PassName, unknown>,
    cursor: number | undefined,
    parts: RunParts,
  ) {
    this.#verb = verb;
    this.#passes = passes;
    this.#cursor = cursor;
    this.#parts = parts;
    this.#lastResultAt = parts.now();
    this.#fresh = (function* () {
      for (const name of passes.keys()) if (!skip.has(name)) yield name;
    })();
  }

  async finish(): Promise<void> {
    const stopped = { fault: undefined as unknown, isStopped: false };
    const stop = (fault: unknown) => {
      stopped.fault ??= fault;
      stopped.isStopped = true;
    };
    const isRunning = () => !stopped.isStopped && !this.#isDone();
    const following = this.#cursor === undefined ? undefined : this.#follow(isRunning).catch(stop);
    await this.#submit(isRunning).catch(stop);
    await following;
    if (stopped.isStopped) throw stopped.fault;
  }

  #isDone(): boolean {
    return !this.#hasFresh && this.#again.length === 0 && this.#waiting.size === 0 && this.#sending.size === 0;
  }

  async #submit(isRunning: () => boolean): Promise<void> {
    while (isRunning()) {
      const requested = this.#nextRequested();
      if (requested.length === 0) await this.#parts.pause(IDLE_PAUSE_MS);
      else await this.#send(requested);
    }
  }

  #nextRequested(): RequestedPass[] {
    const now = this.#parts.now();
    const due = this.#again.filter(({ at }) => at <= now).slice(0, ITEMS_PER_REQUEST);
    if (due.length > 0) this.#again = this.#again.filter((each) => !due.includes(each));
    const names = due.map(({ name }) => name);
    while (this.#hasFresh && names.length < ITEMS_PER_REQUEST && this.#again.length < REFUSED_MAX) {
      const { value, done } = this.#fresh.next();
      if (done) this.#hasFresh = false;
      else names.push(value);
    }
    return names.map((name) => ({ name, expiry: this.#passes.get(name) }));
  }

  async #send(requested: readonly RequestedPass[]): Promise<void> {
    for (const { name } of requested) this.#sending.set(name, undefined);
    const outcomes = await this.#parts.send(requested);
    const results = requested.flatMap((each, index) => this.#resultOf(each, outcomes[index]) ?? []);
    this.#sending.clear();
    this.#record(results);
  }

  /** Returns the result of an item; undefined if it has none yet. */
  #resultOf({ name, expiry }: RequestedPass, outcome: ItemOutcome | undefined): Result | undefined {
    const { pass, problem } = outcome ?? {};
    if (pass === undefined) {
      if (problem === undefined || problem.status === 429 || problem.status === 503)
        return this.#sendLater(name, problem);
      return { name, expiry, outcome: 'failed', detail: `${problem.code}: ${wordsOf(problem)}` };
    }
    if (outcome?.pass !== undefined && (outcome.isSettled || !REQUESTED[this.#verb].isOnChain))
      return { name, expiry, outcome: 'settled', pass: pass.id, transaction: newestTransactionOf(pass) };
    if (this.#cursor === undefined) return { name, expiry, outcome: 'accepted', pass: pass.id };
    const early = this.#sending.get(name);
    this.#waiting.set(name, this.#parts.now());
    return early && this.#apply(name, pass.id, early);
  }

  #sendLater(name: PassName, problem: GatepassProblem | undefined): undefined {
    const ms = problem?.retryAfterMs ?? RETRY_DEFAULT_MS;
    if (this.#again.length === 0 && problem !== undefined)
      this.#parts.note(`waits ${Math.ceil(ms / 1000)} s: ${problem.code}: ${wordsOf(problem)}`);
    this.#again.push({ name, at: this.#parts.now() + ms });
  }

  async #follow(isRunning: () => boolean): Promise<void> {
    while (isRunning()) {
      const more = await this.#readPage();
      for (let paused = 0; !more && isRunning() && paused < FEED_PAUSE_MS; paused += IDLE_PAUSE_MS)
        await this.#parts.pause(IDLE_PAUSE_MS);
      if (this.#waiting.size > 0 && this.#parts.now() - this.#lastResultAt > STALLED_MS) await this.#lookAtWaiting();
    }
  }

  /** Reads a page of the feed. Returns whether the feed has more. */
  async #readPage(): Promise<boolean> {
    try {
      const { events, next, more } = await this.#parts.readEvents(this.#cursor ?? 0);
      const results = events.flatMap((event) => this.#resultOfEvent(event) ?? []);
      this.#cursor = next;
      this.#record(results);
      return more;
    } catch (fault) {
      if (!(fault instanceof GatepassProblem) || fault.code !== 'cursor_expired') throw fault;
      this.#cursor = (fault.oldest ?? 1) - 1;
      this.#sendWaitingAgain();
      return true;
    }
  }

  #resultOfEvent(event: FeedEvent): Result | undefined {
    if (event.type === 'feed.restored') this.#sendWaitingAgain();
    const pass = event.data?.pass;
    if (pass === undefined) return undefined;
    const name = `${pass.chain.network}/${pass.walletAddress}`;
    if (!this.#waiting.has(name) && !this.#sending.has(name)) return undefined;
    const decision = decideOutcome(this.#verb, this.#passes.get(name), event);
    if (decision === undefined) return undefined;
    if (this.#sending.has(name)) this.#sending.set(name, decision);
    else return this.#apply(name, pass.id, decision);
  }

  #apply(name: PassName, pass: string, decision: Decision): Result | undefined {
    this.#waiting.delete(name);
    const base = { name, expiry: this.#passes.get(name), pass };
    if (decision.type === 'settled') return { ...base, outcome: 'settled', transaction: decision.transaction };
    if (decision.type === 'failed') return { ...base, outcome: 'failed', detail: decision.reason };
    this.#again.push({ name, at: this.#parts.now() });
    return undefined;
  }

  #sendWaitingAgain(): void {
    const at = this.#parts.now();
    for (const name of this.#waiting.keys()) this.#again.push({ name, at });
    this.#waiting.clear();
  }

  /** Ends the passes that somebody else has changed before anything was sent: the feed has no event of that. */
  async #lookAtWaiting(): Promise<void> {
    this.#lastResultAt = this.#parts.now();
    const wanted = REQUESTED[this.#verb].state;
    for (const name of [...this.#waiting.keys()].slice(0, LOOKS_PER_STALL)) {
      const pass = await this.#parts.fetchPass(name);
      const isWanted =
        pass !== undefined && (wanted === undefined || pass.state === wanted || pass.state === 'REQUESTED');
      if (isWanted || !this.#waiting.delete(name)) continue;
      this.#record([{ name, expiry: this.#passes.get(name), outcome: 'failed', detail: 'superseded', pass: pass?.id }]);
    }
  }

  #record(results: readonly Result[]): void {
    if (results.length > 0) {
      this.#parts.record(results);
      this.#lastResultAt = this.#parts.now();
    }
    this.#parts.onProgress(this.#waiting.size);
  }
}
