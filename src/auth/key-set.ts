import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

/** How long keys serve before they are fetched again, and at the longest while the issuer is down. Milliseconds. */
const FRESH_MS = 10 * 60_000;
const STALE_MS = 24 * 3_600_000;
/** Between two tries, also after a failed one: a flood of unknown key ids must not become a flood on the issuer. */
const RETRY_MS = 30_000;
const TIMEOUT_MS = 2_000;

/** The issuer's keys cannot be had and none are remembered. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

interface Keys {
  find: JWTVerifyGetKey;
  fetchedAt: number;
}

/**
 * The issuer's public keys (JWKS), fetched when first needed and kept. jose's own remote set forgets its keys when
 * the endpoint fails after its cache ran out; this one goes on with the last good ones for a day.
 * Throws KeysUnavailable, or jose's JWKSNoMatchingKey.
 */
export function remoteKeySet(url: string, fetcher: typeof fetch = fetch): JWTVerifyGetKey {
  let keys: Keys | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> = Promise.resolve();

  async function refresh(): Promise<void> {
    triedAt = Date.now();
    try {
      const response = await fetcher(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!response.ok) return;
      const answer = (await response.json()) as JSONWebKeySet;
      const find = createLocalJWKSet(answer);
      // An issuer without any key cannot have issued a token: that is a fault of its own, not a rotation.
      if (answer.keys.length > 0) keys = { find, fetchedAt: Date.now() };
    } catch {
      // What was fetched before goes on serving; a first fetch that fails shows below.
    }
  }

  /** One fetch for all who ask meanwhile; none so soon after the last. */
  function refreshOnce(): Promise<void> {
    if (Date.now() - triedAt >= RETRY_MS) fetching = refresh();
    // The request that fetches may be cancelled, and its fetch with it: the others must not wait for ever.
    return Promise.race([fetching, scheduler.wait(TIMEOUT_MS)]);
  }

  function usable(): Keys | undefined {
    return keys !== undefined && Date.now() - keys.fetchedAt < STALE_MS ? keys : undefined;
  }

  return async (header, token) => {
    const age = keys === undefined ? Number.POSITIVE_INFINITY : Date.now() - keys.fetchedAt;
    if (age >= FRESH_MS) await refreshOnce();
    let current = usable();
    if (current === undefined) throw new KeysUnavailable('the keys of the token issuer cannot be fetched');
    try {
      return await current.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // A key we have not seen: the issuer may have rotated.
      await refreshOnce();
      current = usable() ?? current;
      return current.find(header, token);
    }
  };
}
