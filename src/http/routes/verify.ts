import { waitUntil } from 'cloudflare:workers';
import type { Config } from '../../config/config.ts';
import type { UnixSeconds } from '../../lib/units.ts';
import { logFault } from '../../log/log.ts';
import { contractOf, type Network, watchIntervalMs } from '../../network/network.ts';
import { rulesFor } from '../../network/sandbox.ts';
import type { PassKey } from '../../pass/pass.ts';
import { isValid } from '../../pass/verdict.ts';
import type { Validity } from '../../store/validity.ts';
import { passTargetOf } from '../pass/pass-requests.ts';
import { type Refusal, refuse, refuseField } from '../protocol/problem.ts';
import { isRefusal, type Reply, reply } from '../protocol/reply.ts';
import { decodeParams } from '../protocol/url.ts';
import { validate } from '../protocol/validate.ts';
import type { PublicRoute } from '../route.ts';
import { VerifyQuery } from '../schemas/requests.ts';
import type { Verification } from './sign-verdict.ts';

/** Seconds for which the platform and browsers may keep a verification. */
const VERIFICATION_MAX_AGE_SECONDS = 15;

const verifyPass: PublicRoute = {
  operationId: 'verifyPass',
  method: 'GET',
  path: '/verify/:gatekeeperNetwork/:chain/:chainNetwork/:wallet',
  scope: 'public',
  anyOrigin: true,
  query: VerifyQuery,
  async handle(context) {
    const { params, request, config, store } = context;
    const { gatekeeperNetwork = '', chain = '', chainNetwork = '', wallet = '' } = decodeParams(params);
    const now = Date.now();
    // Also if the database says otherwise.
    const { mayBePublic } = rulesFor(gatekeeperNetwork);
    const owner = mayBePublic ? await store.findPublicNetwork(gatekeeperNetwork, now) : undefined;
    if (owner === undefined) return mayBePublic || !asksForSignature(request) ? refuse('not_found') : SANDBOX;
    const target = passTargetOf({ chain, chainNetwork, wallet }, owner, config);
    if (isRefusal(target)) return target;
    const query = queryIn(request);
    if (isRefusal(query)) return query;
    const { maxAge } = query;
    const { key, network } = target;
    const seconds = Math.floor(now / 1000);
    const read = async () => {
      const { validity, coveredUntil } = await store.findValidity(owner, key);
      // A wallet without a pass would get one in the contract of the gatekeeper network.
      const contract = validity?.contract ?? contractOf(owner.contracts, network);
      return verificationOf(validity, coveredUntil, contract, seconds);
    };
    if (query.signed !== undefined) {
      const { replySigned } = await import('./sign-verdict.ts');
      return replySigned(query, target, context, async () => {
        // Never from the cache: a signature lives longer than an answer in a cache.
        const verification = await read();
        return isFresh(verification, maxAge, seconds) ? verification : refuseOld(network);
      });
    }
    const url = cacheUrlOf(key, config);
    const cached = url === undefined ? undefined : await readCached(url);
    if (cached && isFresh(cached.verification, maxAge, seconds)) return replyOf(cached, maxAge, seconds);
    const verification = await read();
    const found = { verification, text: JSON.stringify(verification) };
    if (url !== undefined) cacheLater(url, found.text);
    return isFresh(verification, maxAge, seconds) ? replyOf(found, maxAge, seconds) : refuseOld(network);
  },
};

/** The keys that sign verdicts, and those that have signed them: a contract must know them. */
const listVerdictKeys: PublicRoute = {
  operationId: 'listVerdictKeys',
  method: 'GET',
  path: '/verdict-keys',
  scope: 'public',
  anyOrigin: true,
  handle: ({ config: { verdictKeys } }) => ({
    ...reply(200, JSON.stringify({ keys: verdictKeys.history })),
    // As long as an isolate may keep the keys of before.
    headers: { 'cache-control': 'public, max-age=60' },
  }),
};

export const verifyRoutes = [verifyPass, listVerdictKeys];

const asksForSignature = ({ url }: Request) => new URL(url).searchParams.has('signed');
const SANDBOX = refuseField('/gatekeeperNetwork', 'must not be one of a sandbox: its passes are on no chain');

/** A verification, and the JSON of it that is sent. */
interface VerificationText {
  readonly verification: Verification;
  readonly text: string;
}

function verificationOf(
  found: Validity | undefined,
  coveredUntil: UnixSeconds | undefined,
  contract: string,
  now: UnixSeconds,
): Verification {
  // No change on chain gives a pass to a wallet without one, so the answer is as new as the database.
  const times = { asOf: now, coveredUntil: found === undefined ? now : (coveredUntil ?? null) };
  if (found === undefined || found.onChainState === 'NONE') return { valid: false, state: 'NONE', contract, ...times };
  const { onChainState, until, isPending } = found;
  const expiry = until ?? undefined;
  const valid = isValid(found, now);
  const pending = isPending ? { pending: true as const } : {};
  return { valid, state: onChainState, ...pending, expiryTimestamp: expiry, contract, ...times };
}

/** Returns the query, whose `maxAge` is the greatest age in seconds that the caller accepts; undefined: any. */
function queryIn(request: Request): VerifyQuery | Refusal {
  const { searchParams } = new URL(request.url);
  const names = asksForSignature(request) ? Object.keys(VerifyQuery.entries) : ['maxAge'];
  const repeated = names.find((name) => searchParams.getAll(name).length > 1);
  if (repeated !== undefined) return refuseField(`/${repeated}`, 'must not be repeated');
  const given = names.map((name) => [name, searchParams.get(name) ?? undefined]);
  const query = validate(VerifyQuery, Object.fromEntries(given));
  return isRefusal(query) ? query : (query.output as VerifyQuery);
}

/** Whether the caller accepts the age of the verification. One that the release before has cached lacks `coveredUntil`. */
function isFresh({ coveredUntil }: Partial<Verification>, maxAge: number | undefined, now: UnixSeconds): boolean {
  if (coveredUntil === undefined) return false;
  return maxAge === undefined || (coveredUntil !== null && now - coveredUntil <= maxAge);
}

/** A reading of the watcher may come at any time within its interval. */
function refuseOld(network: Network): Refusal {
  return refuse('not_fresh_enough', { headers: { 'retry-after': String(Math.ceil(watchIntervalMs(network) / 1000)) } });
}

/**
 * The header `Age` keeps a browser from storing a reply of the platform's cache for 15 seconds again (RFC 9111 §5.1). The time that
 * remains for a browser is `max-age` minus `Age` (§4.2), and ends before the answer is older than the caller demands.
 */
function replyOf({ verification, text }: VerificationText, maxAge: number | undefined, now: UnixSeconds): Reply {
  const { asOf, coveredUntil } = verification;
  const limit = maxAge === undefined || coveredUntil === null ? Number.POSITIVE_INFINITY : coveredUntil + maxAge - asOf;
  const headers = {
    'cache-control': `public, max-age=${Math.min(VERIFICATION_MAX_AGE_SECONDS, limit)}`,
    age: String(Math.max(0, now - asOf)),
  };
  return { status: 200, body: text, headers };
}

const openCache = () => caches.open('gatepass-verify');

/**
 * Returns the key of a pass in the platform's cache at this location: a URL with the canonical wallet and no query, so that no
 * caller can add entries for the same pass. Undefined on `workers.dev` and on a developer's machine, where the cache has no use.
 */
function cacheUrlOf(
  { gatekeeperNetwork, chain, network, wallet }: PassKey,
  { origin, basePath }: Pick<Config, 'origin' | 'basePath'>,
): string | undefined {
  if (origin === undefined || origin.endsWith('.workers.dev')) return undefined;
  return `${origin}${basePath}/verify/${gatekeeperNetwork}/${chain}/${network}/${wallet}`;
}

async function readCached(url: string): Promise<VerificationText | undefined> {
  try {
    const cache = await openCache();
    const text = await (await cache.match(url))?.text();
    return text === undefined ? undefined : { verification: JSON.parse(text) as Verification, text };
  } catch (fault) {
    logFault('verify.cache_unavailable', fault);
    return undefined;
  }
}

/** Stores the text after the response to the request. */
function cacheLater(url: string, text: string): void {
  const headers = { 'cache-control': `public, max-age=${VERIFICATION_MAX_AGE_SECONDS}` };
  const stored = openCache().then((cache) => cache.put(url, new Response(text, { headers })));
  waitUntil(stored.catch((fault) => logFault('verify.cache_unavailable', fault)));
}
