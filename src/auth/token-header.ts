import { decodeProtectedHeader } from 'jose';

/**
 * Header parameters that no valid token has:
 * - a key, or the URL of a key (RFC 7515 §4.1.2–6), with which a forger could choose the key
 * - extensions (RFC 7515 §4.1.11, RFC 7797)
 * - parameters of encryption (RFC 7516 §4.1.2–3)
 */
const FORBIDDEN_PARAMETERS = ['jwk', 'jku', 'x5u', 'x5c', 'crit', 'b64', 'enc', 'zip'];

/** `JWT` (RFC 7515 §4.1.9), which ID tokens may have too, or `at+jwt` (RFC 9068 §2.1), which few issuers set. */
const ACCESS_TOKEN = /^(application\/)?(at\+)?jwt$/i;

/** Returns the fault in the header of a compact JWS, or undefined. It runs before any part of the token is trusted. */
export function findHeaderFault(token: string): string | undefined {
  const header = headerOf(token);
  if (header === undefined) return 'the header of the access token cannot be read';
  const unwanted = FORBIDDEN_PARAMETERS.find((name) => Object.hasOwn(header, name));
  if (unwanted !== undefined) return `the header of the access token must not have "${unwanted}"`;
  const { kid, typ } = header;
  // Required even if the issuer has one key: otherwise its tokens would suddenly be refused once it has a second one.
  if (typeof kid !== 'string' || kid === '') return 'the access token does not name its key ("kid")';
  if (typ === undefined || (typeof typ === 'string' && ACCESS_TOKEN.test(typ))) return undefined;
  return 'the "typ" of the token is not the type of an access token';
}

/** Returns the protected header, unverified; undefined if it is not a JSON object. */
function headerOf(token: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return undefined;
  }
}
