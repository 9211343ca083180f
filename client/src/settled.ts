import { GatepassError, GatepassProblem, GatepassUnreachable, PassNotSettled } from './errors.ts';
import type { Pass } from './pass.ts';
import { after, pausing } from './time.ts';

/** How long to wait for a pass. */
export interface Deadline {
  /** Milliseconds; two minutes for an issuance, twenty for a change, unless it says otherwise. */
  readonly withinMs?: number;
  readonly signal?: AbortSignal;
}

/** Asks for the pass: as it is when it has settled, at the latest after so many seconds. */
export type Ask = (options: { wait: number; signal: AbortSignal }) => Promise<Told>;

export interface Told {
  readonly pass: Pass;
  /** How many seconds the service was ready to wait; undefined: it was not. */
  readonly ready: number | undefined;
  /** Milliseconds before which it is not to be asked again. */
  readonly afterMs?: number | undefined;
}

/** The service waits no longer. */
const LONGEST_WAIT_S = 20;
/** Less than that need not be asked for: hardly anybody in between has less patience. */
const SHORTEST_WAIT_S = 5;
/** By so much two clocks may differ about the same wait. */
const SLACK_MS = 100;
/** So much of the time is left to the answer, which comes after the wait. */
const ANSWER_MS = 1_000;
const PAUSE_MS = 1_000;

/**
 * Asks until the pass has settled, first with one question and then with the other. A record does not always tell whether it
 * has: a new expiry shows in it before anything has begun on the chain. The service knows: it answers before the wait that
 * it was ready for is over only when the pass has settled. Once the pass was shown the wish is stored, and it does not matter if
 * the service is away for a while. Throws PassNotSettled, with the pass as it was last seen.
 */
export async function untilSettled(first: Ask, again: Ask, { withinMs = 120_000, signal }: Deadline): Promise<Pass> {
  const until = performance.now() + withinMs;
  const limit = after(withinMs);
  const both = signal ? AbortSignal.any([signal, limit]) : limit;
  let last: Pass | undefined;
  let longest = LONGEST_WAIT_S;
  try {
    for (let ask = first; ; ask = again) {
      const begun = performance.now();
      const wait = Math.min(Math.max(Math.floor((until - begun - ANSWER_MS) / 1000), 1), longest);
      const { pass, ready, afterMs } = await ask({ wait, signal: both }).catch((fault) => seenBefore(last, fault));
      last = pass;
      if (ready === undefined) {
        // Perhaps somebody in between had no patience for so long a wait.
        longest = Math.max(Math.floor(wait / 2), SHORTEST_WAIT_S);
        await pausing(Math.max(PAUSE_MS, afterMs ?? 0), both);
      } else if (performance.now() - begun < ready * 1000 - SLACK_MS) return pass;
    }
  } catch (fault) {
    if (limit.aborted && !signal?.aborted) throw new PassNotSettled(last);
    throw fault;
  }
}

/** The pass as it was seen before, where the fault may pass; else throws it. */
function seenBefore(pass: Pass | undefined, fault: unknown): Told {
  const problem = fault instanceof GatepassProblem ? fault : undefined;
  // Also of the authorization server.
  const away = fault instanceof GatepassError && [fault, fault.cause].some((it) => it instanceof GatepassUnreachable);
  const passes = away || problem?.status === 429 || (problem?.status ?? 0) >= 500;
  if (pass === undefined || !passes) throw fault;
  return { pass, ready: undefined, afterMs: problem?.retryAfterMs };
}

/** The seconds of `Preference-Applied: wait=N` (RFC 7240, section 3). */
export function waitApplied({ headers }: Response): number | undefined {
  const [, seconds] = /^wait=(\d+)$/i.exec(headers.get('preference-applied') ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}
