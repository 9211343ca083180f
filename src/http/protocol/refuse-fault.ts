import { logFault } from '../../log/log.ts';
import { DatabaseTimeout } from '../../store/d1-circuit-breaker.ts';
import { type Refusal, refuse } from './problem.ts';

const RETRY_AFTER_SECONDS = 5;

/** Whether a retry may succeed soon. Durable Objects mark such errors with flags, D1 with a prefix of the message. */
export function isTransient(fault: unknown): boolean {
  if (fault instanceof DatabaseTimeout) return true;
  if (!(fault instanceof Error)) return false;
  const { retryable, overloaded } = fault as { retryable?: boolean; overloaded?: boolean };
  return retryable === true || overloaded === true || fault.message.startsWith('D1_ERROR');
}

/** Refuses because of a transient error. `detail` replaces that of the problem code. */
export function refuseUnavailable(retryAfterSeconds = RETRY_AFTER_SECONDS, detail?: string): Refusal {
  return refuse('temporarily_unavailable', { detail, headers: { 'retry-after': String(retryAfterSeconds) } });
}

/** Logs a fault that a handler threw, and returns the refusal for it. */
export function refuseFault(fault: unknown, { request_id }: { readonly request_id: string }): Refusal {
  logFault('request.failed', fault, { request_id });
  return isTransient(fault) ? refuseUnavailable() : refuse('internal_error');
}
