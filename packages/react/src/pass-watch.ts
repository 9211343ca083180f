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
  /** Whether to admit the wallet: only while the newest answer says so. */
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
  /** Reads at once. */
  check(): void;
  /** Asks the back end. Ends with its answer, and never throws: `error` has the fault. Does nothing while a request has not ended. */
  request(): Promise<void>;
}

const DEFAULT_INTERVAL_MS = 5_000;
const READ_TIMEOUT_MS = 10_000;
/** One read may fail: the earlier answer counts until the next. */
const FAILURES_MAX = 1;
/** The chain has the pass some seconds after the back end's answer, and minutes after it if a network is congested. */
const SETTLES_WITHIN_MS = 300_000;
const TIMER_MAX_MS = 2 ** 31 - 1;
const SECOND_MS = 1_000;

interface Request {
  readonly reason: PassRequest['reason'];
  /** The last second of the pass when the request began. */
  readonly expiry: number | undefined;
  /** The back end has answered that the pass is active. */
  isActive: boolean;
}

/** Returns a watch of one pass, which begins with its first subscriber. Throws RangeError for an interval that is not above 0. */
export function watchPass(options: WatchOptions): PassWatch {
  const { reader, wallet, gatekeeperNetwork, requestPass, intervalMs = DEFAULT_INTERVAL_MS } = options;
  if (!(intervalMs > 0)) throw new RangeError('intervalMs must be a number above 0');
  const query = wallet && gatekeeperNetwork && reader ? { wallet, gatekeeperNetwork } : undefined;
  const subscribers = new Set<() => void>();
  let reading: Reading | undefined;
  let failures = 0;
  let readFault: unknown;
  let request: Request | undefined;
  let isRejected = false;
  let requestFault: unknown;
  let current: AbortController | undefined;
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
    if (JSON.stringify(keyOf(next)) === JSON.stringify(keyOf(shown)) && next.error === shown.error) return;
    shown = next;
    for (const tell of [...subscribers]) tell();
  }

  async function read(): Promise<void> {
    clearTimeout(timer);
    current?.abort();
    if (query === undefined || reader === undefined || subscribers.size === 0) return;
    const own = new AbortController();
    current = own;
    try {
      const answer = await answered(reader.read(query, own.signal), own);
      // A newer read has begun: its answer is newer too, even if it arrives earlier.
      if (own !== current) return;
      reading = answer;
      failures = 0;
      endRequestIfDone(answer);
    } catch (fault) {
      if (own !== current) return;
      readFault = fault;
      failures += 1;
      if (failures > FAILURES_MAX) reading = undefined;
    }
    update();
    schedule();
  }

  function schedule(): void {
    if (isHidden()) return;
    const { valid, expiry = Number.POSITIVE_INFINITY, time = 0 } = reading ?? {};
    const untilExpiry = valid ? (expiry - time + 1) * SECOND_MS : Number.POSITIVE_INFINITY;
    timer = setTimeout(read, Math.min(intervalMs, untilExpiry, TIMER_MAX_MS));
  }

  function endRequestIfDone({ valid, expiry }: Reading): void {
    if (valid) isRejected = false;
    if (request === undefined || !valid) return;
    if (request.reason === 'issue' || request.isActive || expiry !== request.expiry) endRequest();
  }

  function endRequest(fault?: unknown): void {
    clearTimeout(settling);
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
        current?.abort();
        current = undefined;
      };
    },
    snapshot: () => shown,
    check: () => void read(),
    async request() {
      if (query === undefined || requestPass === undefined || request !== undefined) return;
      const reason = reading?.state === 'ACTIVE' ? 'renew' : 'issue';
      const own: Request = { reason, expiry: reading?.expiry, isActive: false };
      request = own;
      isRejected = false;
      requestFault = undefined;
      update();
      try {
        const answer = await requestPass({ ...query, reason });
        const state = stateIn(answer);
        own.isActive = state === 'ACTIVE';
        if (request === own && state === 'REJECTED') {
          isRejected = true;
          endRequest();
        } else if (request === own) {
          settling = setTimeout(() => {
            endRequest(new Error('the pass is not on chain yet'));
            update();
          }, SETTLES_WITHIN_MS);
        }
      } catch (fault) {
        if (request === own) endRequest(fault);
      }
      update();
      void read();
    },
  };
}

/** The time of the reading changes all the time, and nobody waits for it. */
const keyOf = ({ error: _, reading, ...shown }: PassSnapshot) => [shown, { ...reading, time: 0 }];

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
