import { importJWK, SignJWT } from 'jose';
import { PARTNER_SCOPES } from '../config/config.ts';
import { HOUR_MS, SECOND_MS } from '../lib/units.ts';
import { findStranger } from './callers.ts';
import type { Clone } from './clone.ts';

/** The issuer of a bare `npx wrangler dev`: tokens by client credentials (RFC 6749 §4.4) for the one client of the clone. */

export const TOKEN_PATH = '/development/token';
export const KEYS_PATH = '/development/keys';
/** Prints the body of a request in the log of wrangler. `tools/print-first-pass.ts` sends it. */
const PRINT_PATH = '/development/print';

const SCOPES: readonly string[] = Object.values(PARTNER_SCOPES);
const LIFETIME_SECONDS = HOUR_MS / SECOND_MS;
const BODY_MAX_CHARS = 10_000;
const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

const refuse = (status: number, error: string, error_description: string, headers: Record<string, string> = {}) =>
  Response.json({ error, error_description }, { status, headers: { ...NO_STORE, ...headers } });

/** Returns the public key, as the set of keys of an issuer. */
export function keySetOf({ key: { d: _, ...publicKey } }: Pick<Clone, 'key'>) {
  return { keys: [{ ...publicKey, use: 'sig' }] };
}

/** Returns the answer of the issuer; undefined if the path is none of its own. */
export async function answerAsIssuer(request: Request, clone: Clone, env: Env): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  if (![TOKEN_PATH, KEYS_PATH, PRINT_PATH].includes(pathname)) return undefined;
  const stranger = findStranger(request);
  if (stranger !== undefined) return refuse(403, 'access_denied', stranger);
  const method = pathname === KEYS_PATH ? 'GET' : 'POST';
  if (request.method !== method)
    return refuse(405, 'invalid_request', `the method must be ${method}`, { allow: method });
  if (pathname === KEYS_PATH) return Response.json(keySetOf(clone), { headers: NO_STORE });
  if (pathname === TOKEN_PATH) return grantToken(request, clone, env);
  console.log(await request.text());
  return new Response(null, { status: 204 });
}

async function grantToken(request: Request, clone: Clone, env: Env): Promise<Response> {
  const form = await readForm(request);
  if (form === undefined) return refuse(400, 'invalid_request', 'the body must be a form (RFC 6749 §4.4.2)');
  if (form.get('grant_type') !== 'client_credentials')
    return refuse(400, 'unsupported_grant_type', 'grant_type must be client_credentials');
  if (!isClient(request.headers, form, clone)) {
    const description = 'the client id or the secret is wrong; the log of wrangler dev shows them';
    return refuse(401, 'invalid_client', description, { 'www-authenticate': 'Basic realm="gatepass"' });
  }
  const scopes = (form.get('scope') ?? SCOPES.join(' ')).split(' ').filter(Boolean);
  const unknown = scopes.filter((scope) => !SCOPES.includes(scope));
  if (unknown.length > 0) return refuse(400, 'invalid_scope', `the scopes are ${SCOPES.join(' ')}`);
  const access_token = await signToken(scopes.join(' '), clone, env);
  const grant = { access_token, token_type: 'Bearer', expires_in: LIFETIME_SECONDS, scope: scopes.join(' ') };
  return Response.json(grant, { headers: NO_STORE });
}

/** Returns the form of the body; undefined if it is none, is too long, or has a parameter twice. */
async function readForm(request: Request): Promise<URLSearchParams | undefined> {
  const [type] = (request.headers.get('content-type') ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return undefined;
  const text = await request.text();
  if (text.length > BODY_MAX_CHARS) return undefined;
  const form = new URLSearchParams(text);
  return new Set(form.keys()).size === form.size ? form : undefined;
}

/** Whether the credentials are those of the client: in the header or in the form (RFC 6749 §2.3.1), and not in both. */
function isClient(headers: Headers, form: URLSearchParams, { client }: Clone): boolean {
  const authorization = headers.get('authorization');
  if (authorization === null)
    return isEqual(`${form.get('client_id')}:${form.get('client_secret')}`, `${client.id}:${client.secret}`);
  const [, base64 = ''] = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization) ?? [];
  if (form.has('client_secret')) return false;
  try {
    return isEqual(decodeURIComponent(atob(base64)), `${client.id}:${client.secret}`);
  } catch {
    return false;
  }
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => new TextEncoder().encode(text));
  return one?.length === other?.length && crypto.subtle.timingSafeEqual(one as Uint8Array, other as Uint8Array);
}

async function signToken(scope: string, { key, client }: Clone, env: Env): Promise<string> {
  return new SignJWT({ client_id: client.id, scope })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt' })
    .setIssuer(env.TOKEN_ISSUER)
    .setAudience(env.TOKEN_AUDIENCE)
    .setSubject(client.id)
    .setJti(crypto.randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${LIFETIME_SECONDS}s`)
    .sign(await importJWK(key, key.alg));
}
