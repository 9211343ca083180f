import { REQUEST_MAX_MS } from '../../counts/counted.ts';
import { count, countRequest, time } from '../../counts/counts.ts';
import { SECOND_MS } from '../../lib/time.ts';
import type { ProblemCode } from '../protocol/problem.ts';
import type { RequestLog } from '../protocol/reply.ts';

interface Answered {
  readonly status: number;
  /** Undefined: the request succeeded. */
  readonly code: ProblemCode | undefined;
  readonly durationMs: number;
}

/** Counts a request by the template of its route, never by its path: a caller could otherwise choose the labels. */
export function countAnswer(
  method: string,
  { route = '', partner, wait_s = 0 }: RequestLog,
  { status, code, durationMs }: Answered,
): void {
  const verb = route === '' ? '' : method === 'HEAD' ? 'GET' : method;
  countRequest(route, verb, `${Math.floor(status / 100)}xx`, partner);
  if (code !== undefined) count('refusals', [code]);
  // The wait is what the caller asked for.
  if (wait_s === 0) time('requestSeconds', [route, verb], durationMs / SECOND_MS);
  const isLate = status < 400 && durationMs > REQUEST_MAX_MS + wait_s * SECOND_MS;
  // Everybody can demand a check that is fresher than the service can be.
  const isFault = status >= 500 && code !== 'not_fresh_enough';
  if (isLate || isFault) count('requestsFailed', [route, verb]);
}
