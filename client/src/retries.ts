import { GatepassUnreachable } from './errors.ts';
import { retryAfterMs } from './retry-after.ts';
import type { Call, Send } from './send.ts';
import { limitSignal, waitFor } from './time.ts';

/** How often and how long a call is tried again. */
export interface Retries {
  /** So many times at the most; 4 unless it says otherwise, 0 for never. */
  readonly times?: number;
  /** No try begins later than so many milliseconds after the first; a minute unless it says otherwise. */
  readonly withinMs?: number;
  /** So long each try may take; 30 seconds unless it says otherwise, which is more than the service waits for a pass. */
  readonly attemptMs?: number;
}

const FIRST_PAUSE_MS = 250;
const PAUSE_MAX_MS = 8_000;

/**
 * Tries again what may go well the next time: 408, 429, 5xx, and no answer at all. After as long as `Retry-After` says, else
 * after pauses that double. Every operation of the service may be repeated, issuing too: a wallet has one pass, and
 * asking for it again sends no second transaction, unless the chain has refused the first meanwhile. What somebody else changed
 * between two tries of a change, the second one changes back.
 *
 * 504 is of somebody in between, who waits less long than the service would: then the same is asked without a wait.
 *
 * The last answer comes back. Throws GatepassUnreachable when there was none, and the signal's reason after an abort.
 */
export function withRetries(send: Send, { times = 4, withinMs = 60_000, attemptMs = 30_000 }: Retries = {}): Send {
  return async (call) => {
    const until = performance.now() + withinMs;
    let next = call;
    for (let tried = 1; ; tried++) {
      const answer = await attempt(send, next, attemptMs);
      const pause = pauseAfter(answer, tried);
      if (pause === undefined || tried > times || performance.now() + pause > until) {
        if (answer instanceof GatepassUnreachable) throw answer;
        return answer;
      }
      if (answer instanceof Response && answer.status === 504) next = withoutWait(call);
      await waitFor(pause, call.signal);
    }
  };
}

function withoutWait({ headers: { prefer: _, ...headers }, ...call }: Call): Call {
  return { ...call, headers };
}

async function attempt(send: Send, call: Call, ms: number): Promise<Response | GatepassUnreachable> {
  try {
    return await send({ ...call, signal: limitSignal(call.signal, ms) });
  } catch (fault) {
    call.signal?.throwIfAborted();
    return new GatepassUnreachable(call.url, fault);
  }
}

/** Milliseconds until the next try; undefined: there is no sense in one. */
function pauseAfter(answer: Response | GatepassUnreachable, tried: number): number | undefined {
  const answered = answer instanceof Response;
  if (answered && ![408, 429].includes(answer.status) && answer.status < 500) return undefined;
  const asked = answered ? retryAfterMs(answer.headers) : undefined;
  // In part at random, so that many who failed together do not come back together; but never sooner than asked.
  if (asked !== undefined) return asked + FIRST_PAUSE_MS * Math.random();
  return Math.min(FIRST_PAUSE_MS * 2 ** (tried - 1), PAUSE_MAX_MS) * (0.5 + Math.random() / 2);
}
