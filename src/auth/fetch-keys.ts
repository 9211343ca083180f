import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { abortAfter } from '../lib/with-timeout.ts';

/** Maximum time to wait for the issuer. */
export const FETCH_TIMEOUT_MS = 2_000;
/** The largest key sets of real issuers, with certificates, have about 30 kB. */
const KEY_SET_MAX_CHARS = 128 * 1024;

/** Returns the current keys of the issuer. Throws on any failure. */
export async function fetchKeys(url: string): Promise<JSONWebKeySet> {
  // Do not follow redirects: the target could be a host that nobody configured, or plain http.
  const set = await abortAfter(FETCH_TIMEOUT_MS, async (signal) => {
    const response = await fetch(url, { redirect: 'manual', signal });
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status} instead of a key set`);
    return JSON.parse(await readText(response.body)) as JSONWebKeySet;
  });
  // Throws if the JSON is not a key set.
  createLocalJWKSet(set);
  // An issuer without keys cannot issue tokens, so an empty set is a fault and not a rotation.
  if (!set.keys.some(({ kid, kty }) => kid && kty)) throw new Error('the key set has no keys');
  return set;
}

async function readText(body: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.length > KEY_SET_MAX_CHARS) throw new Error('the key set is too large');
  }
  return text;
}
