import { type Refusal, refuse } from '../protocol/problem.ts';

/** Signing the waiting steps takes minutes, so an earlier retry cannot succeed. */
const RETRY_AFTER_SECONDS = 60;

export function refuseWaitingWork(): Refusal {
  return refuse('waiting_limit_reached', { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });
}
