import { waitUntil } from 'cloudflare:workers';
import type { Config } from '../../config/config.ts';
import { logFault } from '../../log/log.ts';
import type { PassKey } from '../../pass/pass.ts';

/** Seconds for which the platform and browsers may keep a verification. */
export const VERIFICATION_MAX_AGE_SECONDS = 15;

const CACHE = 'gatepass-verify';

/** The platform's cache at this location, or none: on `workers.dev` and on a developer's machine it has no use. */
export interface VerificationCache {
  /** Returns the text of the pass; undefined if the cache has none. */
  read(): Promise<string | undefined>;
  /** Stores the text after the response to the request. */
  store(text: string): void;
}

const NO_CACHE: VerificationCache = { read: async () => undefined, store: () => {} };

/**
 * Returns the cache for the check of a pass. Its key has the canonical wallet and no query, so that no caller can add entries for
 * the same pass.
 */
export function verificationCacheOf(
  { gatekeeperNetwork, chain, network, wallet }: PassKey,
  { origin, basePath }: Pick<Config, 'origin' | 'basePath'>,
): VerificationCache {
  if (origin === undefined || origin.endsWith('.workers.dev')) return NO_CACHE;
  const url = `${origin}${basePath}/verify/${gatekeeperNetwork}/${chain}/${network}/${wallet}`;
  return {
    async read() {
      try {
        const cache = await caches.open(CACHE);
        return await (await cache.match(url))?.text();
      } catch (fault) {
        logFault('verify.cache_unavailable', fault);
        return undefined;
      }
    },
    store(text) {
      const headers = { 'cache-control': `public, max-age=${VERIFICATION_MAX_AGE_SECONDS}` };
      const stored = caches.open(CACHE).then((cache) => cache.put(url, new Response(text, { headers })));
      waitUntil(stored.catch((fault) => logFault('verify.cache_unavailable', fault)));
    },
  };
}
