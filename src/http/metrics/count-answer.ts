import { REQUEST_MAX_MS } from '../../counts/counted.ts';
import { count, countRequest, time } from '../../counts/counts.ts';
import { SECOND_MS } from '../../lib/time.ts';
import type { Refusal } from '../protocol/problem.ts';
import type { RequestLog } from '../protocol/reply.ts';

interface Answered {
  readonly status: number;
  /** Undefined: the request succeeded. */
  readonly refusal: Refusal | undefined;
  readonly durationMs: number;
}

/** Counts a request by the template of its route, never by its path: a caller could otherwise choose the labels. */
export function countAnswer(
  method: string,
  { route = '', partner, wait_s = 0 }: RequestLog,
  { status, refusal, durationMs }: Answered,
): void {
  const verb = route === '' ? '' : method === 'HEAD' ? 'GET' : method;
  countRequest(route, verb, `${Math.floor(status / 100)}xx`, partner);
  if (refusal !== undefined) count('refusals', [refusal.code]);
  // The wait is what the caller asked for.
  if (wait_s === 0) time('requestSeconds', [route, verb], durationMs / SECOND_MS);
  const isLate = status < 400 && durationMs > REQUEST_MAX_MS + wait_s * SECOND_MS;
  // Everybody can demand a check that is fresher than the service can be, and invent the key of a token.
  const isFault = status >= 500 && refusal?.code !== 'not_fresh_enough' && !refusal?.isCallersDoing;
  if (isLate || isFault) count('requestsFailed', [route, verb]);
}
