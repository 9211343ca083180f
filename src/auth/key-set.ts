import { waitUntil } from 'cloudflare:workers';
import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose';
import { withTimeout } from '../lib/with-timeout.ts';
import { FETCH_TIMEOUT_MS, fetchKeys } from './fetch-keys.ts';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000] as const;

/** Younger keys serve without a fetch. Older keys serve while a fetch runs in the background. */
const FRESH_MS = 5 * MINUTE;
/** With older keys a request waits for the fetch, because the issuer may have withdrawn a key since then. */
const QUIET_MS = HOUR;
/** How long the last valid keys serve while the issuer is down. */
const STALE_MS = 24 * HOUR;
/** Minimum time between two fetches, even after a failed one. */
const RETRY_MS = 30 * SECOND;
/** The same for a key id that is not in the set: a flood of such ids must not flood the issuer, and a new key must not wait long. */
const UNKNOWN_KEY_RETRY_MS = 5 * SECOND;

/** Nobody can say yet whether the issuer has the key. A request after `retryAfter` seconds fetches the keys again. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
  readonly retryAfter: number;

  constructor(retryAfter: number) {
    super('the key cannot be looked up at the token issuer now');
    this.retryAfter = retryAfter;
  }
}

interface Keys {
  readonly find: JWTVerifyGetKey;
  readonly ids: ReadonlySet<string | undefined>;
  /** The ids of this set and of all earlier ones. */
  readonly publishedIds: ReadonlySet<string | undefined>;
  /** When the fetch began: the issuer may have added a key since then. */
  readonly askedAt: number;
}

/** Returns the distance to that moment. If the clock was set back, the moment counts as old instead of young for a long time. */
const ageOf = (moment: number) => Math.abs(Date.now() - moment);

/**
 * Returns the lookup of the issuer's public keys (JWKS), which it fetches at the first use and keeps. jose's own remote set drops
 * its keys if a fetch fails after its cache expired; this one uses the last valid keys for a day.
 * The lookup throws KeysUnavailable, or jose's JWKSNoMatchingKey once a fetch that began after the lookup did not find the key.
 * It calls `onFault` after every failed fetch.
 */
export function remoteKeySet(url: string, onFault: (fault: unknown) => void = () => {}): JWTVerifyGetKey {
  let keys: Keys | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetching = Promise.resolve();

  /** Starts a fetch unless one started recently, and resolves when it ends. Concurrent requests share one fetch. */
  function refresh(pauseMs: number): Promise<void> {
    if (ageOf(triedAt) >= pauseMs) {
      const askedAt = Date.now();
      triedAt = askedAt;
      fetching = fetchKeys(url).then(
        (set) => {
          const ids = new Set(set.keys.map(({ kid }) => kid));
          const publishedIds = new Set([...(keys?.publishedIds ?? []), ...ids]);
          keys = { find: createLocalJWKSet(set), ids, publishedIds, askedAt };
        },
        // Earlier keys continue to serve. Without any, the caller throws KeysUnavailable.
        onFault,
      );
      // The fetch must continue even if the request that started it ends, because other requests wait for it.
      waitUntil(fetching);
    }
    return withTimeout(FETCH_TIMEOUT_MS, fetching, undefined);
  }

  function known(): Keys {
    if (keys !== undefined && ageOf(keys.askedAt) < STALE_MS) return keys;
    throw unavailableFor(RETRY_MS);
  }

  const unavailableFor = (pauseMs: number) =>
    new KeysUnavailable(Math.ceil(Math.max(pauseMs - ageOf(triedAt), 1) / SECOND));

  return async (header, token) => {
    const [before, lookedUpAt] = [keys, Date.now()];
    const age = ageOf(before?.askedAt ?? Number.NEGATIVE_INFINITY);
    const refreshed = age >= FRESH_MS ? refresh(RETRY_MS) : undefined;
    if (age >= QUIET_MS) await refreshed;
    let current = known();
    if (!current.ids.has(header.kid)) {
      // The issuer may have rotated its keys.
      await refresh(UNKNOWN_KEY_RETRY_MS);
      current = known();
      const isNewer = current !== before && current.askedAt >= lookedUpAt;
      // An older set proves nothing about a new key, so an earlier request with an invented id must not lead to a refusal.
      if (!isNewer && !current.publishedIds.has(header.kid)) throw unavailableFor(UNKNOWN_KEY_RETRY_MS);
    }
    return current.find(header, token);
  };
}
