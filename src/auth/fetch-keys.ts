import { createLocalJWKSet, type JSONWebKeySet } from 'jose';

/** How long the issuer is waited for (ms). */
export const FETCH_TIMEOUT_MS = 2_000;
/** The largest sets of real issuers, with certificates, have some 30 kB. */
const KEY_SET_MAX_CHARS = 128 * 1024;

/** The keys that the issuer names now; throws whatever goes wrong. */
export async function fetchKeys(url: string): Promise<JSONWebKeySet> {
  // A redirect is not followed: it could lead to a host that nobody configured, or to plain http.
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
  if (!response.ok || response.body === null) throw new Error(`no key set (HTTP ${response.status})`);
  const set = JSON.parse(await readText(response.body)) as JSONWebKeySet;
  // It throws for what is no key set.
  createLocalJWKSet(set);
  // An issuer without a key cannot have issued a token: that is a fault of its own, not a rotation.
  if (!set.keys.some(({ kid, kty }) => kid && kty)) throw new Error('a key set without keys');
  return set;
}

async function readText(body: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.length > KEY_SET_MAX_CHARS) throw new Error('a key set too large');
  }
  return text;
}
