import type { UnixSeconds } from '../../lib/brand.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';

/** Returns a refusal if the body has an expiry that is not in the future. */
export function refusePastExpiry(expiry: UnixSeconds | undefined): Refusal | undefined {
  return expiry !== undefined && expiry * 1000 <= Date.now() ? EXPIRY_PASSED : undefined;
}

const EXPIRY_PASSED = refuse('invalid_request', {
  errors: [{ pointer: '/expiryTimestamp', detail: 'must be a time in the future, in Unix seconds' }],
});
