import type { JWTVerifyGetKey } from 'jose';
import { remoteKeySet } from '../auth/key-set.ts';
import { type Bearer, type TokenRefusal, verifyToken } from '../auth/verify-token.ts';
import type { AdminRules, Config, Scope, TokenRules } from '../config/config.ts';
import { type Partner, partnerOf } from '../store/partners.ts';
import { forbidden } from './forbidden.ts';
import { type Refusal, refuse } from './problem.ts';

/** Retry-After, in seconds: the period of the rate limit, and what a passing fault usually takes. */
const RATE_PERIOD = '10';
const SOON = '5';

export const unavailable = (): Refusal => refuse('temporarily_unavailable', { headers: { 'retry-after': SOON } });

type Rules = Omit<TokenRules, 'scopes'>;

const keySets = new WeakMap<Rules, JWTVerifyGetKey>();

function keysOf(rules: Rules): JWTVerifyGetKey {
  const keys = keySets.get(rules) ?? remoteKeySet(rules.jwksUrl);
  keySets.set(rules, keys);
  return keys;
}

/** The partner that may do what the scope allows, or why not. */
export async function authorize(
  request: Request,
  scope: Scope,
  { tokens }: Config,
  env: Env,
): Promise<{ partner: Partner } | Refusal> {
  const now = Date.now();
  const bearer = await bearerOf(request, tokens, tokens.scopes[scope], now);
  if ('code' in bearer) return bearer;
  const partner = await partnerOf(env.DB, bearer.clientId, now);
  if (partner === undefined) return forbidden('client_unknown');
  if (partner.suspended) return forbidden('partner_suspended');
  const limit = scope === 'search' ? env.READ_LIMIT : env.WRITE_LIMIT;
  return (await limited(limit, partner.clientId)) ?? { partner };
}

/** The operator's client, or why it is none. No partner has a token of its issuer for its audience. */
export async function authorizeOperator(
  request: Request,
  rules: AdminRules,
  env: Env,
): Promise<{ client: string } | Refusal> {
  const bearer = await bearerOf(request, rules, rules.scope, Date.now());
  if ('code' in bearer) return bearer;
  return (await limited(env.WRITE_LIMIT, `admin/${bearer.clientId}`)) ?? { client: bearer.clientId };
}

async function bearerOf(request: Request, rules: Rules, needed: string, now: number): Promise<Bearer | Refusal> {
  const bearer = await verifyToken(request.headers.get('authorization'), rules, keysOf(rules), now);
  if ('reason' in bearer) return tokenRefusal(bearer);
  if (bearer.scopes.includes(needed)) return bearer;
  return forbidden('insufficient_scope', { detail: `The access token lacks the scope "${needed}".`, scope: needed });
}

async function limited(limit: RateLimit, key: string): Promise<Refusal | undefined> {
  const { success } = await limit.limit({ key });
  return success ? undefined : refuse('rate_limited', { headers: { 'retry-after': RATE_PERIOD } });
}

/** RFC 6750 §3: a request without a token is told only that one is needed. */
function tokenRefusal(refusal: TokenRefusal): Refusal {
  switch (refusal.reason) {
    case 'token_missing':
      return refuse('token_missing', { headers: { 'www-authenticate': 'Bearer realm="gatepass"' } });
    case 'temporarily_unavailable':
      return unavailable();
    case 'token_invalid': {
      // Only what RFC 6750 §3 allows in a description: the detail may repeat names that the token brought along.
      const description = refusal.detail.replaceAll(/[^ !#-[\]-~]/g, "'");
      const challenge = `Bearer realm="gatepass", error="invalid_token", error_description="${description}"`;
      return refuse('token_invalid', { detail: refusal.detail, headers: { 'www-authenticate': challenge } });
    }
  }
}
