import type { Milliseconds } from '../lib/brand.ts';
import { abortAfter } from '../lib/with-timeout.ts';
import { retryAfterMsOf } from './retry-schedule.ts';
import { signatureHeaders } from './signature.ts';

/** The outcome of one attempt to deliver an event. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** HTTP status; undefined: there was no response. */
  readonly status?: number | undefined;
  readonly durationMs: Milliseconds;
  /** Why there was no response. */
  readonly error?: string | undefined;
  /** The delay that the receiver asks for. */
  readonly retryAfterMs: Milliseconds;
}

const RESPONSE_TIMEOUT_MS = 15_000;

/**
 * Posts an event, signed with each secret. A status of 2xx within 15 s is a success. Redirects are not followed, and the body of
 * the response is not read.
 */
export async function sendEvent(
  url: string,
  { id, body }: { readonly id: string; readonly body: string },
  secrets: readonly string[],
): Promise<Attempt> {
  const startedAt = Date.now();
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Gatepass-Webhooks/1',
    ...(await signatureHeaders(id, body, secrets, startedAt)),
  };
  try {
    const response = await abortAfter(RESPONSE_TIMEOUT_MS, async (signal) => {
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
      await answer.body?.cancel();
      return answer;
    });
    const { status } = response;
    const now = Date.now();
    const retryAfterMs = retryAfterMsOf(response.headers.get('retry-after'), now);
    return { isDelivered: response.ok, status, durationMs: now - startedAt, retryAfterMs };
  } catch (fault) {
    return { isDelivered: false, durationMs: Date.now() - startedAt, error: describe(fault), retryAfterMs: 0 };
  }
}

/** The texts of network errors may name internals of the platform, so a partner sees only whether time ran out. */
function describe(fault: unknown): string {
  const isLate = fault instanceof Error && fault.name === 'TimeoutError';
  return isLate ? `no response within ${RESPONSE_TIMEOUT_MS / 1000} s` : 'no connection, or it broke';
}
