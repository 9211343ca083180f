import type { JWTVerifyGetKey } from 'jose';
import { remoteKeySet } from '../../auth/key-set.ts';
import { verifyCachedToken } from '../../auth/verified-token-cache.ts';
import type { Bearer, TokenRefusal, VerificationRules } from '../../auth/verify-token.ts';
import type { AdminRules, Config, Scope } from '../../config/config.ts';
import { logFault } from '../../log/log.ts';
import { findPartner, type Partner } from '../../store/partners.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import { refuseUnavailable } from '../protocol/unavailable.ts';
import { metadataUrl, wwwAuthenticate } from '../protocol/www-authenticate.ts';
import type { RequestLog } from '../request-log.ts';
import { refuseForbidden } from './forbidden.ts';
import { limitClient, limitOperator } from './rate-limits.ts';

/** By URL: the operator's issuer may be that of the partners. */
const keySets = new Map<string, JWTVerifyGetKey>();

function keysAt(url: string): JWTVerifyGetKey {
  const keys = keySets.get(url) ?? remoteKeySet(url, (fault) => logFault('keys', fault));
  keySets.set(url, keys);
  return keys;
}

/** The partner that may do what the scope allows, or why not. */
export async function authorize(
  request: Request,
  scope: Scope,
  config: Config,
  env: Env,
  trace: RequestLog,
): Promise<{ partner: Partner } | Refusal> {
  const { tokens } = config;
  const bearer = await bearerOf(request, tokens, tokens.scopes[scope], trace, () => metadataUrl(request, config));
  if ('code' in bearer) return bearer;
  const limited = await limitClient(bearer.clientId, scope, env);
  if (limited !== undefined) return limited;
  const partner = await findPartner(env.DB, bearer.clientId, Date.now());
  if (partner === undefined) return refuseForbidden('client_unknown');
  return partner.suspended ? refuseForbidden('partner_suspended') : { partner };
}

/** Why it is not the operator who asks. No partner's token has both the issuer and the audience of the operator's. */
export async function authorizeOperator(
  request: Request,
  rules: AdminRules,
  env: Env,
  trace: RequestLog,
): Promise<Refusal | undefined> {
  const bearer = await bearerOf(request, rules, rules.scope, trace);
  return 'code' in bearer ? bearer : limitOperator(bearer.clientId, env);
}

/** `metadata`: where the caller can learn whose tokens are taken; asked for only where it has to be told. */
async function bearerOf(
  request: Request,
  rules: VerificationRules,
  needed: string,
  trace: RequestLog,
  metadata?: () => string,
): Promise<Bearer | Refusal> {
  const bearer = await verifyCachedToken(
    request.headers.get('authorization'),
    rules,
    keysAt(rules.jwksUrl),
    Date.now(),
  );
  if ('type' in bearer) return tokenRefusal(bearer, metadata?.());
  trace.client = bearer.clientId;
  if (bearer.scopes.includes(needed)) return bearer;
  return refuseForbidden('insufficient_scope', {
    detail: `The access token lacks the scope "${needed}".`,
    scope: needed,
  });
}

/** RFC 6750 §3: a request without a token is told only that one is needed. */
function tokenRefusal(refusal: TokenRefusal, resource_metadata: string | undefined): Refusal {
  switch (refusal.type) {
    case 'token_missing':
      return refuse('token_missing', { headers: { 'www-authenticate': wwwAuthenticate({ resource_metadata }) } });
    case 'temporarily_unavailable':
      return refuseUnavailable(refusal.retryAfter);
    case 'token_invalid': {
      const { detail } = refusal;
      const asked = wwwAuthenticate({ error: 'invalid_token', error_description: detail, resource_metadata });
      return refuse('token_invalid', { detail, headers: { 'www-authenticate': asked } });
    }
  }
}
