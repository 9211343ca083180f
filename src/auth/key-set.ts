import { waitUntil } from 'cloudflare:workers';
import { createLocalJWKSet, type JWK, type JWTVerifyGetKey } from 'jose';
import { ASYMMETRIC } from '../config/token-rules.ts';
import { FreshValue } from '../lib/fresh-value.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/units.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { FETCH_TIMEOUT_MS, fetchKeys, keysFor } from './fetch-keys.ts';

/** Minimum time between two fetches. */
const PAUSE_MS = 30 * SECOND_MS;
/** The same for a key id that is not in the set: a flood of such ids must not flood the issuer, and a new key must not wait long. */
const UNKNOWN_KEY_PAUSE_MS = 5 * SECOND_MS;
/** After an hour, a request waits for the fetch, because the issuer may have withdrawn a key. The last keys serve a day while it is down. */
const AGES = { freshMs: 5 * MINUTE_MS, waitMs: HOUR_MS, usableMs: DAY_MS, pauseMs: PAUSE_MS };

/** With keys that are older, an unknown key is a sign of an outage: each lookup of one tries to fetch newer keys. */
const ANSWERS_MS = MINUTE_MS;

/** Nobody can say yet whether the issuer has the key. A request after `retryAfter` seconds fetches the keys again. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
  readonly retryAfter: number;
  /** Whether the issuer answers, and had no such key some seconds ago: anybody may have invented it. */
  readonly isUnproven: boolean;

  constructor(retryAfter: number, isUnproven = false) {
    super('the key cannot be looked up at the token issuer now');
    this.retryAfter = retryAfter;
    this.isUnproven = isUnproven;
  }
}

interface Keys {
  /** The entries that are public keys for tokens. */
  readonly usable: readonly JWK[];
  readonly find: JWTVerifyGetKey;
  readonly ids: ReadonlySet<string | undefined>;
  /** The ids of this set and of all earlier ones. */
  readonly publishedIds: ReadonlySet<string | undefined>;
  /** When the fetch began: the issuer may have added a key since then. */
  readonly askedAt: number;
}

/** The lookup of the issuer's public keys. */
export interface KeySet extends JWTVerifyGetKey {
  /** Whether a known key, fetched now or one of the last ones, verifies tokens of one of the algorithms. Throws KeysUnavailable if there is none. */
  serves(algorithms: readonly string[]): Promise<boolean>;
}

/**
 * Returns the lookup of the issuer's public keys (JWKS), which it fetches at the first use and keeps. jose's own remote set drops
 * its keys if a fetch fails after its cache expired; this one uses the last valid keys for a day.
 * The lookup throws KeysUnavailable, or jose's JWKSNoMatchingKey once a fetch that began after the lookup did not find the key.
 * It calls `onFault` after every failed fetch.
 */
export function remoteKeySet(url: string, onFault: (fault: unknown) => void = () => {}): KeySet {
  const keys = new FreshValue<Keys>(AGES, waitUntil);

  async function read(): Promise<Keys> {
    const askedAt = Date.now();
    try {
      const set = await fetchKeys(url);
      const ids = new Set(set.keys.map(({ kid }) => kid));
      const publishedIds = new Set([...(keys.last()?.publishedIds ?? []), ...ids]);
      // RFC 7517 §5: an entry of no use must not make the others useless, also not another one with its id.
      const usable = await keysFor(ASYMMETRIC, set.keys);
      return { usable, find: createLocalJWKSet({ keys: usable }), ids, publishedIds, askedAt };
    } catch (fault) {
      onFault(fault);
      throw fault;
    }
  }

  /** Waits for the keys, or uses the last ones. Throws KeysUnavailable if there are none. */
  async function settle(reading: Promise<Keys>): Promise<Keys> {
    await withTimeout(FETCH_TIMEOUT_MS, reading, undefined).catch(() => {});
    const current = keys.last();
    if (current === undefined) throw unavailableFor(PAUSE_MS);
    return current;
  }

  const unavailableFor = (pauseMs: number, isUnproven = false) =>
    new KeysUnavailable(
      Math.ceil(Math.max(pauseMs - Math.abs(Date.now() - keys.startedAt), 1) / SECOND_MS),
      isUnproven,
    );

  const find: JWTVerifyGetKey = async (header, token) => {
    const [before, lookedUpAt] = [keys.last(), Date.now()];
    let current = await settle(keys.get(read));
    if (!current.ids.has(header.kid)) {
      // The issuer may have rotated its keys.
      current = await settle(keys.refresh(read, Date.now(), UNKNOWN_KEY_PAUSE_MS));
      const isNewer = current !== before && current.askedAt >= lookedUpAt;
      // An older set proves nothing about a new key, so an earlier request with an invented id must not lead to a refusal.
      if (!isNewer && !current.publishedIds.has(header.kid))
        throw unavailableFor(UNKNOWN_KEY_PAUSE_MS, Math.abs(Date.now() - current.askedAt) < ANSWERS_MS);
    }
    return current.find(header, token);
  };
  const serves = async (algorithms: readonly string[]) =>
    (await keysFor(algorithms, (await settle(keys.get(read))).usable)).length > 0;
  return Object.assign(find, { serves });
}
