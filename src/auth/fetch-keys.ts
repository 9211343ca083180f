import { base64url, compactVerify, createLocalJWKSet, errors, type JSONWebKeySet, type JWK } from 'jose';
import { abortAfter } from '../lib/with-timeout.ts';

/** Maximum time to wait for the issuer. */
export const FETCH_TIMEOUT_MS = 2_000;
/** The largest key sets of real issuers, with certificates, have about 30 kB. */
const KEY_SET_MAX_CHARS = 128 * 1024;

/** Returns the current keys of the issuer, some of which may be of no use. Throws on any failure. */
export async function fetchKeys(url: string): Promise<JSONWebKeySet> {
  // Do not follow redirects: the target could be a host that nobody configured, or plain http.
  const set = await abortAfter(FETCH_TIMEOUT_MS, async (signal) => {
    const response = await fetch(url, { redirect: 'manual', signal });
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status} instead of a key set`);
    return JSON.parse(await readText(response.body)) as { readonly keys?: unknown } | null;
  });
  if (!Array.isArray(set?.keys)) throw new Error('the answer is not a key set');
  // jose refuses a set with such an entry as a whole.
  const keys = (set.keys as unknown[]).filter(isObject);
  // An issuer without keys cannot issue tokens, so an empty set is a fault and not a rotation.
  if (!keys.some(({ kid, kty }) => kid && kty)) throw new Error('the key set has no keys');
  // Throws if jose cannot read the rest of the set.
  createLocalJWKSet({ ...set, keys });
  return { keys };
}

const isObject = (entry: unknown): entry is JWK => typeof entry === 'object' && entry !== null && !Array.isArray(entry);

/** Returns the keys with which jose verifies tokens of one of the algorithms. It tries each with a token without a signature. */
export async function keysFor(algorithms: readonly string[], keys: readonly JWK[]): Promise<JWK[]> {
  const serve = await Promise.all(keys.map((key) => canVerify(key, algorithms)));
  return keys.filter((_, index) => serve[index]);
}

async function canVerify(key: JWK, algorithms: readonly string[]): Promise<boolean> {
  // Every token names its key.
  if (!key.kid) return false;
  const find = createLocalJWKSet({ keys: [key] });
  for (const alg of algorithms) {
    const header = base64url.encode(JSON.stringify({ alg, kid: key.kid }));
    const fault: unknown = await compactVerify(`${header}..`, find).catch((error) => error);
    // Any other fault concerns the key: it has another type, lacks a member, is private, or is too short.
    if (fault instanceof errors.JWSSignatureVerificationFailed) return true;
  }
  return false;
}

async function readText(body: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.length > KEY_SET_MAX_CHARS) throw new Error('the key set is too large');
  }
  return text;
}
