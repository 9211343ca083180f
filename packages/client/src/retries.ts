import { GatepassError, GatepassUnreachable } from './errors.ts';
import { type Listening, notifierOf } from './notices.ts';
import { retryAfterMs } from './retry-after.ts';
import type { Call, Send } from './send.ts';
import { limitSignal, waitFor } from './time.ts';

/** How often and how long a call is retried. */
export interface Retries {
  /** Maximum number of retries. Default: 4. Never with 0. */
  readonly times?: number;
  /** No retry begins later than this many milliseconds after the first try. Default: a minute. */
  readonly withinMs?: number;
  /** Milliseconds that each try may take. Default: 30 seconds, which is more than the service waits for a pass. */
  readonly attemptMs?: number;
}

const FIRST_PAUSE_MS = 250;
const PAUSE_MAX_MS = 8_000;

/**
 * Retries a call after 408, 429, 5xx, and if there is no answer. The pause is that of `Retry-After`, otherwise it doubles each time.
 * Operations on passes may be repeated. A wallet has one pass, and a repeated issuance sends no second transaction unless the chain
 * refused the first one in the meantime. A repeated change undoes a change that somebody else made between two tries. Operations
 * that return a new secret, advance a clock or cause an event are only retried after 429, when they had no effect.
 *
 * A 504 is from a gateway that waits less long than the service. The call is then repeated without a wait.
 *
 * Returns the last answer. Throws GatepassUnreachable if there was none, and the signal's reason after an abort.
 */
export function withRetries(
  send: Send,
  { times = 4, withinMs = 60_000, attemptMs = 30_000 }: Retries = {},
  listening: Listening = { to: 'service', on: undefined },
): Send {
  return async (call) => {
    const until = performance.now() + withinMs;
    const notify = notifierOf(listening, call);
    let next = call;
    for (let tried = 1; ; tried++) {
      const begun = performance.now();
      notify(tried, { type: 'request' });
      const answer = await attempt(send, next, attemptMs);
      const { status, headers } = answer instanceof Response ? answer : { status: undefined, headers: new Headers() };
      const requestId = headers.get('x-request-id') ?? undefined;
      const sunset = headers.get('sunset') ?? undefined;
      notify(tried, { type: 'answer', status, requestId, sunset, durationMs: performance.now() - begun });
      const pause = mustNotRepeat(call) && !isRateLimited(answer) ? undefined : pauseAfter(answer, tried);
      if (pause === undefined || tried > times || performance.now() + pause > until) {
        if (answer instanceof GatepassUnreachable) throw answer;
        return answer;
      }
      if (answer instanceof Response && answer.status === 504) next = withoutWait(call);
      notify(tried, { type: 'retry', status, pauseMs: pause });
      await waitFor(pause, call.signal);
    }
  };
}

/**
 * A lost answer loses the secret, so a retry would leave a webhook that nobody can verify, or replace the secret twice. It would also
 * advance the clock of a sandbox twice, or cause an event twice.
 */
function mustNotRepeat({ method, url }: Call): boolean {
  return method === 'POST' && /\/(?:webhooks(?:\/[^/]+\/rotate-secret)?|sandbox\/(?:clock|trigger))$/.test(url);
}

const isRateLimited = (answer: Response | GatepassUnreachable) => answer instanceof Response && answer.status === 429;

function withoutWait({ headers: { prefer: _, ...headers }, ...call }: Call): Call {
  return { ...call, headers };
}

async function attempt(send: Send, call: Call, ms: number): Promise<Response | GatepassUnreachable> {
  try {
    return await send({ ...call, signal: limitSignal(call.signal, ms) });
  } catch (fault) {
    call.signal?.throwIfAborted();
    // A given `fetch` throws it, and knows that another try would fail too.
    if (fault instanceof GatepassError) throw fault;
    return new GatepassUnreachable(call.url, fault);
  }
}

/** Returns the milliseconds until the next try; undefined if a retry is useless. */
function pauseAfter(answer: Response | GatepassUnreachable, tried: number): number | undefined {
  const answered = answer instanceof Response;
  if (answered && ![408, 429].includes(answer.status) && answer.status < 500) return undefined;
  const asked = answered ? retryAfterMs(answer.headers) : undefined;
  // Add a random part, so that clients that failed together do not retry together. Never retry earlier than the service allows.
  if (asked !== undefined) return asked + FIRST_PAUSE_MS * Math.random();
  return Math.min(FIRST_PAUSE_MS * 2 ** (tried - 1), PAUSE_MAX_MS) * (0.5 + Math.random() / 2);
}
