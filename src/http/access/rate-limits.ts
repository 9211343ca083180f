import { logFault } from '../../log/log.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';

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
export function limitLargeRead(key: string, { bulk }: RateLimits): Promise<Refusal | undefined> {
  return checkLimit(bulk, `large/${key}`);
}

/** Counts an explanation why a pass waits: it makes the objects of the pass work beside their own work. The reply lacks the ones beyond. */
export async function mayExplain(key: string, { bulk }: RateLimits): Promise<boolean> {
  return (await checkLimit(bulk, `waits/${key}`)) === undefined;
}

/** Counts a signature for a caller without a token. It costs as much as a hundred other public requests. */
export function limitSignature(request: Request, { bulk }: RateLimits): Promise<Refusal | undefined> {
  return checkLimit(bulk, `signature/${clientAddressOf(request)}`);
}

/** As many as the limit allows in its period. */
const LARGE_READS_AT_ONCE = 20;
/** The large reads that this isolate makes for each client. */
const largeReads = new Map<string, number>();

/**
 * Makes a large read, or refuses it beside too many others of the client. Other partners wait for the same database, and the limiter alone
 * does not protect them: it counts by location and approximately, and has let everything through.
 */
export async function besideFewLargeReads<T>(clientId: string, read: () => Promise<T>): Promise<T | Refusal> {
  const running = largeReads.get(clientId) ?? 0;
  if (running >= LARGE_READS_AT_ONCE) return refuseRate();
  largeReads.set(clientId, running + 1);
  try {
    return await read();
  } finally {
    const left = (largeReads.get(clientId) ?? 1) - 1;
    if (left === 0) largeReads.delete(clientId);
    else largeReads.set(clientId, left);
  }
}

/** @param name The client, or `["CLIENT","SUB"]` for a person. */
export function limitOperator(name: string, { write }: RateLimits): Promise<Refusal | undefined> {
  return checkLimit(write, `admin/${name}`);
}

const refuseRate = () => refuse('rate_limited', { headers: { 'retry-after': PERIOD_SECONDS } });

async function checkLimit(limit: RateLimit, key: string): Promise<Refusal | undefined> {
  try {
    const { success } = await limit.limit({ key });
    return success ? undefined : refuseRate();
  } catch (fault) {
    // A rate limit does not protect any rights, so requests pass if the limiter fails.
    logFault('rate_limit.unavailable', fault);
    return undefined;
  }
}

/**
 * Returns the address of the caller for the rate limit. Cloudflare sets the header and overwrites a value that the caller sends.
 * For IPv6, returns the /64 network: callers have at least that much (RFC 6177 §2), so each request could use another address.
 */
export function clientAddressOf({ headers }: Request): string {
  const address = headers.get('cf-connecting-ip') ?? 'unknown';
  return /^[0-9a-f:]+$/i.test(address) && address.includes(':') ? prefixOf(address) : address.slice(0, 64);
}

function prefixOf(address: string): string {
  const [before = [], after] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = after === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...(after ?? [])];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
