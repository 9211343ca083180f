import { type FeedEvent, signWebhook } from '@gatepass/client';

/** The end of one attempt to deliver an event to the receiver. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** HTTP status; undefined: there was no answer. */
  readonly status?: number;
  /** Why there was no answer. */
  readonly error?: string;
  readonly durationMs: number;
}

const ANSWER_TIMEOUT_MS = 15_000;

/**
 * Posts an event as a webhook of the service does: signed, with the same headers and the same time limit. It follows no redirect, and
 * reads no body of the answer.
 */
export async function forwardEvent(url: string, event: FeedEvent, secret: string): Promise<Attempt> {
  const begun = performance.now();
  const durationMs = () => Math.round(performance.now() - begun);
  try {
    const { headers, body } = await signWebhook(event, secret);
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'user-agent': 'Gatepass-Webhooks/1' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    // The status decides, also if the connection breaks after it.
    await answer.body?.cancel().catch(() => undefined);
    return { isDelivered: answer.ok, status: answer.status, durationMs: durationMs() };
  } catch (fault) {
    return { isDelivered: false, error: describe(fault), durationMs: durationMs() };
  }
}

function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return 'no answer';
  if (fault.name === 'TimeoutError') return `no answer within ${ANSWER_TIMEOUT_MS / 1000} s`;
  const { code } = (fault.cause ?? {}) as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? 'nothing listens there' : `no answer${code === undefined ? '' : ` (${code})`}`;
}
