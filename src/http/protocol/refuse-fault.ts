import { logFault } from '../../log/log.ts';
import { type Refusal, refuse } from './problem.ts';
import { isTransient, refuseUnavailable } from './transient-error.ts';

/** Logs a fault that a handler threw, and returns the refusal for it. */
export function refuseFault(fault: unknown, { request_id }: { readonly request_id: string }): Refusal {
  logFault('request.failed', fault, { request_id });
  return isTransient(fault) ? refuseUnavailable() : refuse('internal_error');
}
