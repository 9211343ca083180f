import { waitUntil } from 'cloudflare:workers';
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { withTimeout } from '../lib/with-timeout.ts';
import { FETCH_TIMEOUT_MS, fetchKeys } from './fetch-keys.ts';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000] as const;

/** Younger keys serve without a fetch. Older keys serve while a fetch runs in the background. */
const FRESH_MS = 5 * MINUTE;
/** With older keys a request waits for the fetch, because the issuer may have withdrawn a key since then. */
const QUIET_MS = HOUR;
/** How long the last valid keys serve while the issuer is down. */
const STALE_MS = 24 * HOUR;
/** Minimum time between two fetches, even after a failed one: a flood of unknown key ids must not flood the issuer. */
const RETRY_MS = 30 * SECOND;

/** The issuer's keys cannot be fetched, and no earlier keys are usable. A request after `retryAfter` seconds fetches again. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
  readonly retryAfter: number;

  constructor(retryAfter: number) {
    super('the keys of the token issuer cannot be fetched');
    this.retryAfter = retryAfter;
  }
}

interface Keys {
  readonly find: JWTVerifyGetKey;
  readonly fetchedAt: number;
}

/** Returns the distance to that moment. If the clock was set back, the moment counts as old instead of young for a long time. */
const ageOf = (moment: number) => Math.abs(Date.now() - moment);

/**
 * Returns the lookup of the issuer's public keys (JWKS), which it fetches at the first use and keeps. jose's own remote set drops
 * its keys if a fetch fails after its cache expired; this one uses the last valid keys for a day.
 * The lookup throws KeysUnavailable, or jose's JWKSNoMatchingKey. It calls `onFault` after every failed fetch.
 */
export function remoteKeySet(url: string, onFault: (fault: unknown) => void = () => {}): JWTVerifyGetKey {
  let keys: Keys | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetching = Promise.resolve();

  /** Starts a fetch unless one started recently, and resolves when it ends. Concurrent requests share one fetch. */
  function refresh(): Promise<void> {
    if (ageOf(triedAt) >= RETRY_MS) {
      triedAt = Date.now();
      fetching = fetchKeys(url).then(
        (set) => {
          keys = { find: createLocalJWKSet(set), fetchedAt: Date.now() };
        },
        // Earlier keys continue to serve. Without any, the caller throws KeysUnavailable.
        onFault,
      );
      // The fetch must continue even if the request that started it ends, because other requests wait for it.
      waitUntil(fetching);
    }
    return withTimeout(FETCH_TIMEOUT_MS, fetching, undefined);
  }

  function known(): JWTVerifyGetKey {
    if (keys !== undefined && ageOf(keys.fetchedAt) < STALE_MS) return keys.find;
    throw new KeysUnavailable(Math.ceil(Math.max(RETRY_MS - ageOf(triedAt), 1) / SECOND));
  }

  return async (header, token) => {
    const age = ageOf(keys?.fetchedAt ?? Number.NEGATIVE_INFINITY);
    const refreshed = age >= FRESH_MS ? refresh() : undefined;
    if (age >= QUIET_MS) await refreshed;
    try {
      return await known()(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // An unknown key: the issuer may have rotated its keys.
      await refresh();
      return known()(header, token);
    }
  };
}
