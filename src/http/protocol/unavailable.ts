import { type Refusal, refuse } from './problem.ts';

/** What a passing fault usually takes, in seconds. */
const RETRY_SECONDS = 5;

/** A fault that passes by itself, and after how many seconds another try makes sense. */
export function refuseUnavailable(retryAfter = RETRY_SECONDS): Refusal {
  return refuse('temporarily_unavailable', { headers: { 'retry-after': String(retryAfter) } });
}
