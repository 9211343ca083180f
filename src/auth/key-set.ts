import { waitUntil } from 'cloudflare:workers';
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { withTimeout } from '../lib/with-timeout.ts';
import { FETCH_TIMEOUT_MS, fetchKeys } from './fetch-keys.ts';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000] as const;

/** Keys younger than this serve as they are; older ones serve while they are fetched again beside the request. */
const FRESH_MS = 5 * MINUTE;
/** Nobody has asked for so long that a key may have been withdrawn meanwhile: now the request waits for the fetch. */
const QUIET_MS = HOUR;
/** How long the last good keys serve while the issuer is down. */
const STALE_MS = 24 * HOUR;
/** Between two tries, also after a failed one: a flood of unknown key ids must not become a flood on the issuer. */
const RETRY_MS = 30 * SECOND;

/** The issuer's keys cannot be had and none are remembered. They are fetched again in so many seconds, if asked for. */
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

/** How far away that moment is. A clock that was set back makes it old, not young for all that time. */
const ageOf = (moment: number) => Math.abs(Date.now() - moment);

/**
 * The issuer's public keys (JWKS), fetched when first needed and kept. jose's own remote set forgets its keys when
 * the endpoint fails after its cache ran out; this one goes on with the last good ones for a day.
 * Throws KeysUnavailable, or jose's JWKSNoMatchingKey; `onFault` hears of every fetch that failed.
 */
export function remoteKeySet(url: string, onFault: (fault: unknown) => void = () => {}): JWTVerifyGetKey {
  let keys: Keys | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetching = Promise.resolve();

  /** One fetch for all who ask meanwhile; none so soon after the last. Resolves when it is over. */
  function refresh(): Promise<void> {
    if (ageOf(triedAt) >= RETRY_MS) {
      triedAt = Date.now();
      fetching = fetchKeys(url).then(
        (set) => {
          keys = { find: createLocalJWKSet(set), fetchedAt: Date.now() };
        },
        // What was fetched before goes on serving; where there is nothing, the request finds out below.
        onFault,
      );
      // The request that began it may be over, or given up by its caller: others are waiting too.
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
      // A key we have not seen: the issuer may have rotated.
      await refresh();
      return known()(header, token);
    }
  };
}
