import { GatepassError, GatepassProblem, GatepassUnreachable, PassNotSettled } from './errors.ts';
import type { Pass } from './pass.ts';
import { abortAfter, waitFor } from './time.ts';

/** How long to wait for a pass. */
export interface Deadline {
  /** Milliseconds; two minutes for an issuance, twenty for a change, unless it says otherwise. */
  readonly withinMs?: number;
  readonly signal?: AbortSignal;
}

/** Asks for the pass: as it is when it has settled, at the latest after so many seconds; as it is now, if there is no `wait`. */
export type AskForPass = (options: { wait?: number; signal: AbortSignal }) => Promise<PassReply>;

export interface PassReply {
  readonly pass: Pass;
  /** How many seconds the service was ready to wait; undefined: it was not. */
  readonly waitSeconds: number | undefined;
  /** Milliseconds before which it is not to be asked again. */
  readonly retryAfterMs?: number | undefined;
}

/** The service waits no longer. */
const WAIT_MAX_SECONDS = 20;
/** Less than that need not be asked for: hardly anybody in between has less patience. */
const WAIT_MIN_SECONDS = 5;
/** By so much two clocks may differ about the same wait. */
const CLOCK_TOLERANCE_MS = 100;
/** So much of the time is left to the answer, which comes after the wait. */
const REPLY_RESERVE_MS = 1_000;
const RETRY_PAUSE_MS = 1_000;

/**
 * Asks until the pass has settled, first with one question and then with the other. A record does not always tell whether it
 * has: a new expiry shows in it before anything has begun on the chain. The service knows: it answers before the wait that
 * it was ready for is over only when the pass has settled. Once the pass was shown the wish is stored, and it does not matter if
 * the service is away for a while. Throws PassNotSettled, with the pass as it was last seen.
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
        // The time may be over before a wait is: first comes the pass as it is now, for PassNotSettled.
        last = (await ask({ signal: both })).pass;
        continue;
      }
      const wait = Math.min(Math.max(seconds, 1), longest);
      const { pass, waitSeconds, retryAfterMs } = await ask({ wait, signal: both }).catch((fault) =>
        lastSeenOrThrow(last, fault),
      );
      last = pass;
      if (waitSeconds === undefined) {
        // Perhaps somebody in between had no patience for so long a wait.
        longest = Math.max(Math.floor(wait / 2), WAIT_MIN_SECONDS);
        await waitFor(Math.max(RETRY_PAUSE_MS, retryAfterMs ?? 0), both);
      } else if (performance.now() - begun < waitSeconds * 1000 - CLOCK_TOLERANCE_MS) return pass;
    }
  } catch (fault) {
    if (limit.aborted && !signal?.aborted) throw new PassNotSettled(last);
    throw fault;
  }
}

/** The pass as it was seen before, where the fault may pass; else throws it. */
function lastSeenOrThrow(pass: Pass | undefined, fault: unknown): PassReply {
  const problem = fault instanceof GatepassProblem ? fault : undefined;
  // Also of the authorization server.
  const away = fault instanceof GatepassError && [fault, fault.cause].some((it) => it instanceof GatepassUnreachable);
  const passes = away || problem?.status === 429 || (problem?.status ?? 0) >= 500;
  if (pass === undefined || !passes) throw fault;
  return { pass, waitSeconds: undefined, retryAfterMs: problem?.retryAfterMs };
}

/** The seconds of `Preference-Applied: wait=N` (RFC 7240, section 3). */
export function appliedWaitSeconds({ headers }: Response): number | undefined {
  const [, seconds] = /^wait=(\d+)$/i.exec(headers.get('preference-applied') ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}
