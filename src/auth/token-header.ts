import { decodeProtectedHeader } from 'jose';

/**
 * What no token of ours has in its header: a key or where to fetch one (RFC 7515 §4.1.2–6), which would let a forger
 * choose it; rules of its own (§4.1.11, RFC 7797); and what belongs to encryption (RFC 7516 §4.1.2–3).
 */
const FORBIDDEN_PARAMETERS = ['jwk', 'jku', 'x5u', 'x5c', 'crit', 'b64', 'enc', 'zip'];

/** RFC 7515 §4.1.9 and RFC 9068 §2.1; few issuers set the latter. An ID token may have the former too. */
const ACCESS_TOKEN = /^(application\/)?(at\+)?jwt$/i;

/** What is wrong with the header of a compact JWS, before anything in it is believed; undefined when nothing is. */
export function findHeaderFault(token: string): string | undefined {
  const header = headerOf(token);
  if (header === undefined) return 'the header of the access token cannot be read';
  const unwanted = FORBIDDEN_PARAMETERS.find((name) => Object.hasOwn(header, name));
  if (unwanted !== undefined) return `the header of the access token must not have "${unwanted}"`;
  const { kid, typ } = header;
  // Also where the issuer has one key only: once it has a second one, its tokens would be refused of a sudden.
  if (typeof kid !== 'string' || kid === '') return 'the access token does not name its key ("kid")';
  if (typ === undefined || (typeof typ === 'string' && ACCESS_TOKEN.test(typ))) return undefined;
  return 'the "typ" of the token is not that of an access token';
}

/** The protected header as it was sent; undefined when it is no JSON object. */
function headerOf(token: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return undefined;
  }
}
