import type { Scope } from '../../config/config.ts';
import { logFault } from '../../log/log.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import { clientAddressOf } from './client-address.ts';

/** Retry-After in seconds: the period of all rate limits. */
const PERIOD_SECONDS = '10';

/** What anybody may send, counted before anything of it is looked at: verifying signatures is work. */
export function limitAddress(request: Request, env: Env): Promise<Refusal | undefined> {
  return checkLimit(env.ADDRESS_LIMIT, clientAddressOf(request));
}

/** What a client may ask, reads and writes apart; counted before its row is read, since it may have none. */
export function limitClient(clientId: string, scope: Scope, env: Env): Promise<Refusal | undefined> {
  return checkLimit(scope === 'search' ? env.READ_LIMIT : env.WRITE_LIMIT, `partner/${clientId}`);
}

export function limitOperator(clientId: string, env: Env): Promise<Refusal | undefined> {
  return checkLimit(env.WRITE_LIMIT, `admin/${clientId}`);
}

async function checkLimit(limit: RateLimit, key: string): Promise<Refusal | undefined> {
  try {
    const { success } = await limit.limit({ key });
    return success ? undefined : refuse('rate_limited', { headers: { 'retry-after': PERIOD_SECONDS } });
  } catch (fault) {
    // A limit decides nothing about rights: while it cannot be asked, requests are served.
    logFault('rate-limit', fault);
    return undefined;
  }
}
