import { GatepassError, GatepassProblem, GatepassUnreachable, PassNotSettled } from './errors.ts';
import type { Pass } from './pass.ts';
import { abortAfter, waitFor } from './time.ts';

/** How long to wait for a pass. */
export interface Deadline {
  /** Milliseconds. Default: two minutes for an issuance, twenty for a change. */
  readonly withinMs?: number;
  readonly signal?: AbortSignal;
}

/** Fetches the pass: when it is settled, but no later than after `wait` seconds. Without `wait`, as it is now. */
export type AskForPass = (options: { wait?: number; signal: AbortSignal }) => Promise<PassReply>;

export interface PassReply {
  readonly pass: Pass;
  /** How many seconds the service was ready to wait; undefined if it did not wait. */
  readonly waitSeconds: number | undefined;
  /** Milliseconds until the next request is allowed. */
  readonly retryAfterMs?: number | undefined;
}

/** The longest wait of the service, in seconds. */
const WAIT_MAX_SECONDS = 20;
/** The shortest wait that is worth a request. Few gateways time out earlier. */
const WAIT_MIN_SECONDS = 5;
/** How much two clocks may differ about the same wait. */
const CLOCK_TOLERANCE_MS = 100;
/** The part of the time that is reserved for the answer, which follows the wait. */
const REPLY_RESERVE_MS = 1_000;
const RETRY_PAUSE_MS = 1_000;

/**
 * Waits until the pass is settled, with one request first and the other one after that. The record alone does not always show
 * whether it is: a new expiry shows before its transaction begins. The service knows: it answers before its wait is over only if
 * the pass is settled. Once an answer has shown the pass, the change is stored, and a fault of the service for a while does not
 * matter. Throws PassNotSettled with the pass as it was last seen.
 */
export async function awaitSettlement(
  first: AskForPass,
  again: AskForPass,
  { withinMs = 120_000, signal }: Deadline,
): Promise<Pass> {
  const until = performance.now() + withinMs;
  const limit = abortAfter(withinMs);
  const both = signal ? AbortSignal.any([signal, limit]) : limit;
  let last: Pass | undefined;
  let longest = WAIT_MAX_SECONDS;
  try {
    for (let ask = first; ; ask = again) {
      const begun = performance.now();
      const seconds = Math.floor((until - begun - REPLY_RESERVE_MS) / 1000);
      if (seconds < 1 && last === undefined) {
        // The time may end before a wait does, so fetch the pass as it is now first, for PassNotSettled.
        last = (await ask({ signal: both })).pass;
        continue;
      }
      const wait = Math.min(Math.max(seconds, 1), longest);
      const { pass, waitSeconds, retryAfterMs } = await ask({ wait, signal: both }).catch((fault) =>
        lastSeenOrThrow(last, fault),
      );
      last = pass;
      if (waitSeconds === undefined) {
        // A gateway may have timed out during the wait.
        longest = Math.max(Math.floor(wait / 2), WAIT_MIN_SECONDS);
        await waitFor(Math.max(RETRY_PAUSE_MS, retryAfterMs ?? 0), both);
      } else if (performance.now() - begun < waitSeconds * 1000 - CLOCK_TOLERANCE_MS) return pass;
    }
  } catch (fault) {
    if (limit.aborted && !signal?.aborted) throw new PassNotSettled(last);
    throw fault;
  }
}

/** Returns the pass as it was last seen if the fault may be temporary. Throws the fault otherwise. */
function lastSeenOrThrow(pass: Pass | undefined, fault: unknown): PassReply {
  const problem = fault instanceof GatepassProblem ? fault : undefined;
  // Also from the authorization server.
  const away = fault instanceof GatepassError && [fault, fault.cause].some((it) => it instanceof GatepassUnreachable);
  const passes = away || problem?.status === 429 || (problem?.status ?? 0) >= 500;
  if (pass === undefined || !passes) throw fault;
  return { pass, waitSeconds: undefined, retryAfterMs: problem?.retryAfterMs };
}

/** Returns the seconds of `Preference-Applied: wait=N` (RFC 7240, section 3). */
export function appliedWaitSeconds({ headers }: Response): number | undefined {
  const [, seconds] = /^wait=(\d+)$/i.exec(headers.get('preference-applied') ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}
