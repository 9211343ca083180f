import { logFault } from '../../log/log.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import { clientAddressOf } from './client-address.ts';

export interface RateLimits {
  readonly address: RateLimit;
  readonly read: RateLimit;
  readonly write: RateLimit;
  readonly bulk: RateLimit;
}

/** The limits that count the requests of a client separately. */
export type ClientLimit = 'read' | 'write' | 'bulk';

/** The period of all rate limits. */
const PERIOD_SECONDS = '10';

/** Counts a request before anything of it is read, because verifying a signature is costly. */
export function limitAddress(request: Request, { address }: RateLimits): Promise<Refusal | undefined> {
  return checkLimit(address, clientAddressOf(request));
}

/**
 * Counts a request of a caller, before its partner row is read. The row may not exist.
 * @param key `partner/CLIENT`, or `console/["ORGANIZATION","SUB"]` for a person.
 */
export function limitPartner(key: string, limit: ClientLimit, limits: RateLimits): Promise<Refusal | undefined> {
  return checkLimit(limits[limit], key);
}

/** Counts a request that reads many rows. Like a bulk request, it costs as much as a hundred others. */
export function limitLargeRead(clientId: string, { bulk }: RateLimits): Promise<Refusal | undefined> {
  return checkLimit(bulk, `large/${clientId}`);
}

/** @param name The client, or `["CLIENT","SUB"]` for a person. */
export function limitOperator(name: string, { write }: RateLimits): Promise<Refusal | undefined> {
  return checkLimit(write, `admin/${name}`);
}

async function checkLimit(limit: RateLimit, key: string): Promise<Refusal | undefined> {
  try {
    const { success } = await limit.limit({ key });
    return success ? undefined : refuse('rate_limited', { headers: { 'retry-after': PERIOD_SECONDS } });
  } catch (fault) {
    // A rate limit does not protect any rights, so requests pass if the limiter fails.
    logFault('rate_limit.unavailable', fault);
    return undefined;
  }
}
