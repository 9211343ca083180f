import { createLocalJWKSet, type JSONWebKeySet } from 'jose';

/** How long the issuer is waited for (ms). */
export const TIMEOUT = 2_000;
/** The largest sets of real issuers, with certificates, have some 30 kB. */
const MAX_LETTERS = 128 * 1024;

/** The keys that the issuer names now; throws whatever goes wrong. */
export async function fetchKeys(url: string): Promise<JSONWebKeySet> {
  // A redirect is not followed: it could lead to a host that nobody configured, or to plain http.
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok || response.body === null) throw new Error(`no key set (HTTP ${response.status})`);
  const set = JSON.parse(await textOf(response.body)) as JSONWebKeySet;
  // It throws for what is no key set.
  createLocalJWKSet(set);
  // An issuer without a key cannot have issued a token: that is a fault of its own, not a rotation.
  if (!set.keys.some(({ kid, kty }) => kid && kty)) throw new Error('a key set without keys');
  return set;
}

async function textOf(body: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.length > MAX_LETTERS) throw new Error('a key set too large');
  }
  return text;
}
