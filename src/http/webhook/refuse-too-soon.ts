import { type Refusal, refuse } from '../protocol/problem.ts';

/** Refuses a second test or replay within ten seconds. */
export function refuseTooSoon(): Refusal {
  return refuse('rate_limited', {
    detail: 'A webhook allows one test and one replay per ten seconds. Try again after the time in Retry-After.',
    headers: { 'retry-after': '10' },
  });
}
