import * as v from 'valibot';
import type { AdminRules, Config, TokenRules } from './config.ts';
import { parseDatabaseMaxBytes } from './database-limit.ts';
import { parseGatekeepers } from './gatekeeper.ts';
import { parseLogSuccesses } from './log-successes.ts';
import { parseNetworks } from './network-overrides.ts';
import { parseCorsOrigins, parsePublicOrigin } from './origins.ts';
import { parseRpcEndpoints } from './rpc-endpoints.ts';
import { validateDeployment } from './validate-deployment.ts';
import { ConfigError, HttpUrl, parseVariable } from './variable.ts';

const parsed = new WeakMap<object, Config>();

/**
 * The configuration of an environment; parsed when it is first asked for.
 * Throws ConfigError, which names the variable and never its value.
 */
export function configOf(env: object): Config {
  let config = parsed.get(env);
  if (config === undefined) {
    config = parseConfig(env as Record<string, unknown>);
    parsed.set(env, config);
  }
  return config;
}

const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

const Required = v.pipe(v.string(), v.nonEmpty('must be set'), v.regex(/^\S(.*\S)?$/, 'must have no spaces around it'));
const Url = v.pipe(Required, HttpUrl);
const Algorithms = v.pipe(
  Required,
  v.transform((names) => names.split(/[\s,]+/).filter(Boolean)),
  v.array(v.picklist(ASYMMETRIC, `must name asymmetric algorithms: ${ASYMMETRIC.join(' ')}`)),
  v.nonEmpty('must name at least one algorithm'),
);
const Optional = v.optional(v.string(), '');
const OptionalUrl = v.union(
  [v.pipe(Optional, v.literal('')), HttpUrl],
  'must be a URL that begins with http, or empty',
);
/** Strict unless told otherwise: what is forgotten must not open anything. */
const Deployment = v.optional(
  v.picklist(['local', 'staging', 'production', ''], 'must be local, staging or production'),
  'production',
);
const BasePath = v.optional(
  v.pipe(v.string(), v.regex(/^(\/(?!\.{1,2}(\/|$))[\w.~-]+)*$/, 'must be empty or like "/partner"')),
  '',
);

function parseConfig(env: Record<string, unknown>): Config {
  const local = parseVariable(env, 'DEPLOYMENT', Deployment) === 'local';
  const basePath = parseVariable(env, 'BASE_PATH', BasePath);
  const tokens = parseTokenRules(env);
  const config = {
    local,
    origin: parsePublicOrigin(env),
    basePath,
    tokens,
    tokenUrl: parseVariable(env, 'TOKEN_URL', OptionalUrl) || undefined,
    admin: parseAdminRules(env, tokens),
    ...parseNetworks(env),
    gatekeepers: parseGatekeepers(env),
    rpc: parseRpcEndpoints(env),
    corsOrigins: parseCorsOrigins(env),
    logSuccesses: parseLogSuccesses(env),
    databaseMaxBytes: parseDatabaseMaxBytes(env),
  };
  if (!local) validateDeployment(config);
  return config;
}

function parseTokenRules(env: Record<string, unknown>): TokenRules {
  return {
    issuer: parseVariable(env, 'TOKEN_ISSUER', Url),
    audience: parseVariable(env, 'TOKEN_AUDIENCE', Required),
    jwksUrl: parseVariable(env, 'JWKS_URL', Url),
    algorithms: parseVariable(env, 'TOKEN_ALGORITHMS', Algorithms),
    clientClaim: parseVariable(env, 'CLIENT_CLAIM', Required),
    scopeClaim: parseVariable(env, 'SCOPE_CLAIM', Required),
    scopes: {
      search: parseVariable(env, 'SCOPE_SEARCH', Required),
      issue: parseVariable(env, 'SCOPE_ISSUE', Required),
      update: parseVariable(env, 'SCOPE_UPDATE', Required),
    },
  };
}

/** What is empty is as for partners; where all of it is, there is no operator. */
function parseAdminRules(env: Record<string, unknown>, { scopes: _, ...partners }: TokenRules): AdminRules | undefined {
  const scope = parseVariable(env, 'SCOPE_ADMIN', Optional) || 'admin';
  const audience = parseVariable(env, 'ADMIN_AUDIENCE', Optional) || partners.audience;
  const ownIssuer = parseVariable(env, 'ADMIN_ISSUER', OptionalUrl);
  const ownKeys = parseVariable(env, 'ADMIN_JWKS_URL', OptionalUrl);
  if (!env.ADMIN_AUDIENCE && !ownIssuer && !ownKeys) return undefined;
  const issuer = ownIssuer || partners.issuer;
  if (audience === partners.audience && issuer === partners.issuer) {
    throw new ConfigError(
      'ADMIN_AUDIENCE',
      'must differ from TOKEN_AUDIENCE where ADMIN_ISSUER is that of the partners',
    );
  }
  // The keys of one issuer must not vouch for another.
  if (issuer !== partners.issuer && !ownKeys) throw new ConfigError('ADMIN_JWKS_URL', 'must be set with ADMIN_ISSUER');
  return { ...partners, scope, audience, issuer, jwksUrl: ownKeys || partners.jwksUrl };
}
