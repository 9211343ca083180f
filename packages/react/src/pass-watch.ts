import type { PassReader, Reading } from './reader.ts';

/**
 * The state of a pass in a page:
 * - `no-wallet`: no wallet is connected, or the settings are not complete yet
 * - `checking`: the first answer has not arrived
 * - `none`: the wallet has no pass
 * - `requested`: the back end has been asked for one, and the chain does not have it yet
 * - `active`; `expiring`: active, and the last second is near
 * - `expired`, `frozen`, `revoked`
 * - `rejected`: the back end or the service has refused to issue
 * - `no-answer`: the chain or the service does not answer, so nobody knows
 */
export type PassState =
  | 'no-wallet'
  | 'checking'
  | 'none'
  | 'requested'
  | 'active'
  | 'expiring'
  | 'expired'
  | 'frozen'
  | 'revoked'
  | 'rejected'
  | 'no-answer';

/** The knowledge of a page about a pass. It is a new object whenever something changes. */
export interface PassSnapshot {
  readonly state: PassState;
  /** Whether to admit the wallet: only while the newest answer says so, and at most for two intervals and two reads after it. */
  readonly isValid: boolean;
  /** The newest answer. Undefined: there is none, or it is too old. */
  readonly reading?: Reading;
  /** Whether a request for a new pass or a renewal has not ended. */
  readonly isRequested: boolean;
  /** Why there is no answer, or why the newest request failed. */
  readonly error?: unknown;
}

/** A page's request to the partner's back end. */
export interface PassRequest {
  readonly wallet: string;
  readonly gatekeeperNetwork: string;
  /** `renew`: the wallet has a pass, which is active or has expired. */
  readonly reason: 'issue' | 'renew';
}

/**
 * Asks the partner's back end to issue or renew a pass. It may wait until the pass is on chain, or return earlier. The answer may be the
 * record of the pass: with the state `REJECTED` the request has failed. Throws if the back end refuses or does not answer.
 */
export type RequestPass = (request: PassRequest) => Promise<unknown>;

export interface WatchOptions {
  /** Undefined: no wallet is connected. */
  readonly wallet: string | undefined;
  readonly gatekeeperNetwork: string | undefined;
  readonly reader: PassReader | undefined;
  readonly requestPass?: RequestPass | undefined;
  /** The time between two reads in milliseconds, above 0. Default: 5,000. */
  readonly intervalMs?: number | undefined;
  /** A pass with no more seconds than this is `expiring`. Default: 0. */
  readonly expiryMarginSeconds?: number | undefined;
}

/** Follows one pass. */
export interface PassWatch {
  /** Follows the pass until the returned function is called. Nothing is read without a subscriber, nor while the page is hidden. */
  subscribe(onChange: () => void): () => void;
  snapshot(): PassSnapshot;
  /** Reads at once, or right after the read in progress. */
  check(): void;
  /**
   * Asks the back end. Ends with its answer or with the request, and never throws: `error` has the fault. Does nothing while a request
   * has not ended.
   */
  request(): Promise<void>;
}

const DEFAULT_INTERVAL_MS = 5_000;
const READ_TIMEOUT_MS = 10_000;
/** One read may fail: the earlier answer counts until the next. */
const FAILURES_MAX = 1;
/** A request ends after this time. The chain has the pass after some seconds, and after minutes if a network is congested. */
const SETTLES_WITHIN_MS = 300_000;
const TIMER_MAX_MS = 2 ** 31 - 1;
const SECOND_MS = 1_000;

interface Request {
  readonly reason: PassRequest['reason'];
  /** The last second of the pass when the request began. */
  readonly expiry: number | undefined;
  /** The back end has answered that the pass is active. */
  isActive: boolean;
  /** Ends the wait for the back end. */
  readonly stopWaiting: () => void;
}

/** Returns a watch of one pass, which begins with its first subscriber. Throws RangeError for an interval that is not above 0. */
export function watchPass(options: WatchOptions): PassWatch {
  const { reader, wallet, gatekeeperNetwork, requestPass, intervalMs = DEFAULT_INTERVAL_MS } = options;
  if (!(intervalMs > 0)) throw new RangeError('intervalMs must be a number above 0');
  const query = wallet && gatekeeperNetwork && reader ? { wallet, gatekeeperNetwork } : undefined;
  const subscribers = new Set<() => void>();
  let reading: Reading | undefined;
  let answeredAt = 0;
  let failures = 0;
  let readFault: unknown;
  let request: Request | undefined;
  let isRejected = false;
  let requestFault: unknown;
  let current: AbortController | undefined;
  let mustReadAgain = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let settling: ReturnType<typeof setTimeout> | undefined;
  let shown = snapshotNow();

  function snapshotNow(): PassSnapshot {
    const state = stateNow();
    const error = state === 'no-answer' ? readFault : requestFault;
    return {
      state,
      isValid: reading?.valid ?? false,
      ...(reading && { reading }),
      isRequested: request !== undefined,
      ...(error !== undefined && { error }),
    };
  }

  function stateNow(): PassState {
    if (query === undefined) return 'no-wallet';
    if (reading === undefined) return failures > 0 ? 'no-answer' : 'checking';
    const { valid, state, expiry, time } = reading;
    if (valid)
      return (expiry ?? Number.POSITIVE_INFINITY) - time < (options.expiryMarginSeconds ?? 0) ? 'expiring' : 'active';
    if (state === 'FROZEN') return 'frozen';
    if (state === 'REVOKED') return 'revoked';
    if (request !== undefined) return 'requested';
    if (isRejected) return 'rejected';
    return state === 'ACTIVE' ? 'expired' : 'none';
  }

  function update(): void {
    const next = snapshotNow();
    if (isSame(next, shown)) return;
    shown = next;
    for (const tell of [...subscribers]) notify(tell);
  }

  async function read(): Promise<void> {
    clearTimeout(timer);
    if (query === undefined || reader === undefined || subscribers.size === 0) return;
    // Never abort a read for a newer one: callers that are faster than the node would never see an answer.
    mustReadAgain = current !== undefined;
    if (mustReadAgain) return;
    const own = new AbortController();
    current = own;
    try {
      const answer = await answered(reader.read(query, own.signal), own);
      // Nobody has followed the pass in the meantime.
      if (own !== current) return;
      reading = answer;
      answeredAt = performance.now();
      failures = 0;
      endRequestIfDone(answer);
    } catch (fault) {
      if (own !== current) return;
      readFault = fault;
      failures += 1;
      if (failures > FAILURES_MAX || untilExpiryMs() <= 0) reading = undefined;
    }
    current = undefined;
    if (mustReadAgain) void read();
    else schedule();
    update();
  }

  function schedule(): void {
    if (isHidden()) return;
    // Not at once after the expiry: the answers of a node may be of different blocks.
    timer = setTimeout(read, Math.min(intervalMs, Math.max(untilExpiryMs(), SECOND_MS), TIMER_MAX_MS));
  }

  /** Returns the time until the last second of a valid pass is over, by the clock of the answer. */
  function untilExpiryMs(): number {
    const { valid, expiry = Number.POSITIVE_INFINITY, time = 0 } = reading ?? {};
    if (!valid) return Number.POSITIVE_INFINITY;
    return (expiry - time + 1) * SECOND_MS - (performance.now() - answeredAt);
  }

  function endRequestIfDone({ valid, expiry }: Reading): void {
    if (valid) isRejected = false;
    if (request === undefined || !valid) return;
    if (request.reason === 'issue' || request.isActive || expiry !== request.expiry) endRequest();
  }

  function endRequest(fault?: unknown): void {
    clearTimeout(settling);
    request?.stopWaiting();
    request = undefined;
    requestFault = fault;
  }

  /** Begins to read again. The answer from before the pause may be hours old, so it does not survive a failure. */
  function resume(): void {
    if (reading !== undefined) failures = FAILURES_MAX;
    void read();
  }

  const onVisible = () => {
    if (!isHidden()) resume();
  };

  return {
    subscribe(onChange) {
      subscribers.add(onChange);
      if (subscribers.size === 1) {
        pageOf()?.addEventListener('visibilitychange', onVisible);
        resume();
      }
      return () => {
        if (!subscribers.delete(onChange) || subscribers.size > 0) return;
        pageOf()?.removeEventListener('visibilitychange', onVisible);
        clearTimeout(timer);
        if (current === undefined) return;
        current.abort();
        current = undefined;
        // Otherwise pauses that are shorter than a read would keep an old answer.
        if (failures < FAILURES_MAX) return;
        reading = undefined;
        failures = 0;
        update();
      };
    },
    snapshot: () => shown,
    check: () => void read(),
    async request() {
      if (query === undefined || requestPass === undefined || request !== undefined) return;
      const reason = reading?.state === 'ACTIVE' ? 'renew' : 'issue';
      let stopWaiting = () => {};
      const ended = new Promise<void>((resolve) => {
        stopWaiting = resolve;
      });
      const own: Request = { reason, expiry: reading?.expiry, isActive: false, stopWaiting };
      request = own;
      isRejected = false;
      requestFault = undefined;
      settling = setTimeout(() => {
        endRequest(new Error('the pass is not on chain yet'));
        update();
      }, SETTLES_WITHIN_MS);
      update();
      try {
        const state = stateIn(await Promise.race([requestPass({ ...query, reason }), ended]));
        own.isActive = state === 'ACTIVE';
        if (request === own && state === 'REJECTED') {
          isRejected = true;
          endRequest();
        }
      } catch (fault) {
        if (request === own) endRequest(fault);
      }
      update();
      void read();
    },
  };
}

/** The time of the reading changes all the time, and nobody waits for it. A reader may add fields, of any type. */
const SHOWN = ['valid', 'state', 'expiry', 'token', 'issuer'] as const satisfies (keyof Reading)[];

const isSame = (one: PassSnapshot, other: PassSnapshot) =>
  (['state', 'isValid', 'isRequested', 'error'] as const).every((name) => Object.is(one[name], other[name])) &&
  SHOWN.every((name) => Object.is(one.reading?.[name], other.reading?.[name]));

/** The fault of one subscriber stops neither the others nor the reads. */
function notify(tell: () => void): void {
  try {
    tell();
  } catch (fault) {
    void Promise.reject(fault);
  }
}

const stateIn = (answer: unknown) =>
  typeof answer === 'object' && answer !== null && 'state' in answer ? answer.state : undefined;

/** The document of a page. A server has none. */
interface Page {
  readonly visibilityState: string;
  addEventListener(type: 'visibilitychange', listener: () => void): void;
  removeEventListener(type: 'visibilitychange', listener: () => void): void;
}

const pageOf = () => (globalThis as { readonly document?: Page }).document;
const isHidden = () => pageOf()?.visibilityState === 'hidden';

/** Resolves to the answer. Rejects if the read is aborted or takes too long, even if the reader ignores the signal. */
function answered(answer: Promise<Reading>, own: AbortController): Promise<Reading> {
  const limit = setTimeout(() => own.abort(new Error('the answer takes too long')), READ_TIMEOUT_MS);
  const aborted = new Promise<never>((_, reject) => {
    own.signal.addEventListener('abort', () => reject(own.signal.reason), { once: true });
  });
  return Promise.race([answer, aborted]).finally(() => clearTimeout(limit));
}
