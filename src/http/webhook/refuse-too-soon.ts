import { type Refusal, refuse } from '../protocol/problem.ts';

/** Refuses a second test or replay within ten seconds, and a test whose turn at the host would come late. */
export function refuseTooSoon(): Refusal {
  return refuse('rate_limited', {
    detail:
      'A webhook allows one test and one replay per ten seconds, and a host 20 deliveries per second. Try again after the time in Retry-After.',
    headers: { 'retry-after': '10' },
  });
}
