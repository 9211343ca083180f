import { waitUntil } from 'cloudflare:workers';
import type { Config } from '../../config/config.ts';
import type { UnixSeconds } from '../../lib/brand.ts';
import { logFault } from '../../log/log.ts';
import { contractOf } from '../../network/contract.ts';
import type { PassKey } from '../../pass/pass.ts';
import { verdictOf } from '../../pass/verdict.ts';
import type { OnChainState } from '../../pass/vocabulary.ts';
import type { Validity } from '../../store/validity.ts';
import { passTargetOf } from '../pass/pass-target.ts';
import { refuse } from '../protocol/problem.ts';
import { isRefusal, type Reply } from '../protocol/reply.ts';
import { decodeParams } from '../protocol/url.ts';
import type { PublicRoute } from '../route.ts';

/** Seconds for which the platform and browsers may keep a verification. */
const VERIFICATION_MAX_AGE_SECONDS = 15;

export const verifyPass: PublicRoute = {
  operationId: 'verifyPass',
  method: 'GET',
  path: '/verify/:gatekeeperNetwork/:chain/:chainNetwork/:wallet',
  scope: 'public',
  anyOrigin: true,
  async handle({ params, config, store }) {
    const { gatekeeperNetwork = '', chain = '', chainNetwork = '', wallet = '' } = decodeParams(params);
    const now = Date.now();
    const owner = await store.findPublicNetwork(gatekeeperNetwork, now);
    if (owner === undefined) return refuse('not_found');
    const target = passTargetOf({ chain, chainNetwork, wallet }, owner, config);
    if (isRefusal(target)) return target;
    const { key, network } = target;
    const seconds = Math.floor(now / 1000);
    const url = cacheUrlOf(key, config);
    const cached = url && (await readCached(url));
    if (cached !== undefined) return replyOf(cached, seconds - (JSON.parse(cached) as Verification).asOf);
    const { validity: found } = await store.findValidity(owner, key);
    // A wallet without a pass would get one in the contract of the gatekeeper network.
    const contract = found?.contract ?? contractOf(owner.contracts, network);
    const text = JSON.stringify(verificationOf(found, contract, seconds));
    if (url !== undefined) cacheLater(url, text);
    return replyOf(text, 0);
  },
};

interface Verification {
  readonly valid: boolean;
  readonly state: OnChainState;
  /** Present if others have taken access away, and no final block shows it yet. */
  readonly pending?: true;
  readonly expiryTimestamp?: UnixSeconds | undefined;
  readonly contract: string;
  readonly asOf: UnixSeconds;
}

function verificationOf(found: Validity | undefined, contract: string, now: UnixSeconds): Verification {
  if (found === undefined || found.onChainState === 'NONE') return { valid: false, state: 'NONE', contract, asOf: now };
  const { state, onChainState, until, isPending, isVoid } = found;
  const expiry = until ?? undefined;
  // A pass that is to be frozen or revoked is not valid, although dApps accept its token until the chain has the change.
  const isWanted = state === 'ACTIVE' && !isPending && !isVoid;
  const valid = isWanted && verdictOf({ state, onChainState, expiry }, now).isAccepted;
  const pending = isPending ? { pending: true as const } : {};
  return { valid, state: onChainState, ...pending, expiryTimestamp: expiry, contract, asOf: now };
}

/** The header `Age` keeps a browser from storing a reply of the platform's cache for 15 seconds again (RFC 9111 §5.1). */
function replyOf(text: string, ageSeconds: number): Reply {
  const headers = {
    'cache-control': `public, max-age=${VERIFICATION_MAX_AGE_SECONDS}`,
    age: String(Math.max(0, ageSeconds)),
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

async function readCached(url: string): Promise<string | undefined> {
  try {
    const cache = await openCache();
    return await (await cache.match(url))?.text();
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
