import type { JWTVerifyGetKey } from 'jose';
import { remoteKeySet } from '../../auth/key-set.ts';
import { verifyCachedToken } from '../../auth/verified-token-cache.ts';
import type { Bearer, TokenRefusal, VerificationRules } from '../../auth/verify-token.ts';
import type { AdminRules, Config, Scope } from '../../config/config.ts';
import { logFault } from '../../log/log.ts';
import { derivesSmallSlot } from '../../network/slot.ts';
import type { Backend } from '../../operations/backend.ts';
import type { Partner } from '../../store/partners.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import { isRefusal } from '../protocol/reply.ts';
import { refuseUnavailable } from '../protocol/transient-error.ts';
import { metadataUrl, wwwAuthenticate } from '../protocol/www-authenticate.ts';
import type { RequestLog } from '../request-log.ts';
import { refuseForbidden } from './forbidden.ts';
import { type ClientLimit, limitClient, limitOperator, type RateLimits } from './rate-limits.ts';

/** Key sets by URL, because the operator and the partners may have the same issuer. */
const keySets = new Map<string, JWTVerifyGetKey>();

function keySetAt(url: string): JWTVerifyGetKey {
  const keys = keySets.get(url) ?? remoteKeySet(url, (fault) => logFault('issuer.keys_unavailable', fault));
  keySets.set(url, keys);
  return keys;
}

/** The sources that authorization reads. */
export interface Access {
  readonly config: Config;
  readonly backend: Pick<Backend, 'store'>;
  readonly limits: RateLimits;
}

/** Returns the partner of the token, or refuses a token that is invalid or lacks the scope. */
export async function authorizePartner(
  request: Request,
  { scope, limit }: { readonly scope: Scope; readonly limit: ClientLimit },
  { config, backend: { store }, limits }: Access,
  log: RequestLog,
): Promise<Partner | Refusal> {
  const { tokens } = config;
  const bearer = await authenticate(request, tokens, tokens.scopes[scope], log, () => metadataUrl(request, config));
  if (isRefusal(bearer)) return bearer;
  const limited = await limitClient(bearer.clientId, limit, limits);
  if (limited !== undefined) return limited;
  const partner = await store.findPartner(bearer.clientId, Date.now());
  if (partner === undefined) return refuseForbidden('client_unknown');
  const { clientId, gatekeeperNetwork } = partner;
  // The database refuses such a row. A row from before that rule could act on the passes of another gatekeeper network.
  if (derivesSmallSlot(gatekeeperNetwork)) {
    const fault = 'the slot of its gatekeeper network could be the number of another one';
    logFault('partner.unusable', fault, { client: clientId, gatekeeper_network: gatekeeperNetwork });
    return refuseForbidden('client_unknown');
  }
  return partner.suspended ? refuseForbidden('partner_suspended') : partner;
}

/** Refuses every caller except the operator. No partner's token has both the issuer and the audience of an operator's token. */
export async function authorizeOperator(
  request: Request,
  rules: AdminRules,
  { limits }: Access,
  log: RequestLog,
): Promise<Refusal | undefined> {
  const bearer = await authenticate(request, rules, rules.scope, log);
  return isRefusal(bearer) ? bearer : limitOperator(bearer.clientId, limits);
}

/** Returns the bearer of the token. `metadata` computes the URL that describes the accepted tokens, only for a refusal. */
async function authenticate(
  request: Request,
  rules: VerificationRules,
  scope: string,
  log: RequestLog,
  metadata?: () => string,
): Promise<Bearer | Refusal> {
  const authorization = request.headers.get('authorization');
  const bearer = await verifyCachedToken(authorization, rules, keySetAt(rules.jwksUrl), Date.now());
  if ('type' in bearer) return refuseToken(bearer, metadata?.());
  log.client = bearer.clientId;
  if (bearer.scopes.includes(scope)) return bearer;
  return refuseForbidden('insufficient_scope', {
    detail: `The access token lacks the scope "${scope}". Request a token with that scope.`,
    scope,
  });
}

/** RFC 6750 §3: the challenge to a request without a token has no error code. */
function refuseToken(refusal: TokenRefusal, resource_metadata: string | undefined): Refusal {
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
