import * as v from 'valibot';
import type { AdminRules, ConsoleClients, SecondPersonAction, SecondPersonLimits, TokenRules } from './config.ts';
import { ConfigError, HttpUrl, Json, OptionalUrl, parseAll, parseVariable } from './variable.ts';

/** The algorithms of which TOKEN_ALGORITHMS names some. */
export const ASYMMETRIC = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

const Required = v.pipe(
  v.string(),
  v.nonEmpty('must be set'),
  v.regex(/^\S(.*\S)?$/, 'must not begin or end with a space'),
);
const Url = v.pipe(Required, HttpUrl);
/** A deployment refuses keys that are part of the variable, like every URL that does not begin with https. */
const KeysUrl = v.pipe(
  Required,
  v.url('must be a URL'),
  v.regex(/^(https?:\/\/|data:)\S+$/i, 'must be a URL that begins with http: or https:'),
);
const Algorithms = v.pipe(
  Required,
  v.transform((names) => names.split(/[\s,]+/).filter(Boolean)),
  v.array(v.picklist(ASYMMETRIC, `must name asymmetric algorithms: ${ASYMMETRIC.join(' ')}`)),
  v.nonEmpty('must name at least one algorithm'),
);
const Optional = v.optional(v.string(), '');

const ClientClaim = v.pipe(
  Required,
  // Many clients share these claims, or they differ in every token.
  v.check((name) => !isClaimAbout(name, 'token', 'scopes'), 'must name a claim that identifies the client'),
);
const ScopeClaim = v.pipe(
  Required,
  v.check((name) => !isClaimAbout(name, 'token', 'person'), 'must name a claim with scopes'),
);
const Binding = v.pipe(
  v.string(),
  v.regex(/^([^\s=]+=\S(.*\S)?)?$/, 'must be a claim and its value, like token_use=access'),
  v.transform((text) =>
    text === '' ? undefined : { claim: text.split('=', 1).join(), value: text.replace(/^.*?=/, '') },
  ),
  v.check(
    (binding) => binding === undefined || !isClaimAbout(binding.claim, 'token', 'scopes', 'person'),
    'must name a claim that the authorization server sets by itself',
  ),
);

/** Returns the rules for the access tokens of partners. */
export function parseTokenRules(env: Readonly<Record<string, unknown>>): TokenRules {
  const { search, issue, update, webhook, ownRules, ...parsed } = parseAll({
    issuer: () => parseVariable(env, 'TOKEN_ISSUER', Url),
    audience: () => parseVariable(env, 'TOKEN_AUDIENCE', Required),
    binding: () => parseVariable(env, 'TOKEN_BINDING', v.optional(Binding, '')),
    jwksUrl: () => parseVariable(env, 'JWKS_URL', KeysUrl),
    algorithms: () => parseVariable(env, 'TOKEN_ALGORITHMS', Algorithms),
    clientClaim: () => parseVariable(env, 'CLIENT_CLAIM', ClientClaim),
    scopeClaim: () => parseVariable(env, 'SCOPE_CLAIM', ScopeClaim),
    search: () => parseVariable(env, 'SCOPE_SEARCH', Required),
    issue: () => parseVariable(env, 'SCOPE_ISSUE', Required),
    update: () => parseVariable(env, 'SCOPE_UPDATE', Required),
    webhook: () => parseVariable(env, 'SCOPE_WEBHOOK', Optional) || 'webhook:manage',
    ownRules: () => parseVariable(env, 'SCOPE_RULES', Optional),
  });
  // A deployment from before this scope may have a binding, with which every scope begins with the audience.
  const scopeOfRules = ownRules || (parsed.binding === undefined ? 'manage:rules' : `${parsed.audience}/manage:rules`);
  const rules = { ...parsed, scopes: { search, issue, update, webhook, rules: scopeOfRules } };
  if (rules.clientClaim === rules.scopeClaim) throw new ConfigError('CLIENT_CLAIM', 'must differ from SCOPE_CLAIM');
  demandDifference(rules.scopes);
  if (rules.binding !== undefined) validateBoundScopes(rules);
  return rules;
}

const variableOf = (scope: string) => `SCOPE_${scope.toUpperCase()}`;

/** With equal names, a partner that may only search could issue, or send the events of passes to another host. */
function demandDifference(scopes: TokenRules['scopes']): void {
  const all = Object.entries(scopes);
  for (const [name, scope] of all) {
    const [first = name] = all.find(([, each]) => each === scope) ?? [];
    if (first !== name) throw new ConfigError(variableOf(name), `must differ from ${variableOf(first)}`);
  }
}

/** Without an audience, only the names of its scopes tie a token to this API. */
function validateBoundScopes({ audience, scopes }: TokenRules): void {
  for (const [name, scope] of Object.entries(scopes)) {
    if (!isScopeOf(audience, scope))
      throw new ConfigError(
        variableOf(name),
        'must begin with TOKEN_AUDIENCE and a slash, because TOKEN_BINDING is set',
      );
  }
}

/** The variable of each scope of the operator, and its default. */
export const ADMIN_SCOPES: Readonly<Record<keyof AdminRules['scopes'], readonly [variable: string, name: string]>> = {
  admin: ['SCOPE_ADMIN', 'admin'],
  read: ['SCOPE_ADMIN_READ', 'admin:read'],
  act: ['SCOPE_ADMIN_ACT', 'admin:act'],
  partners: ['SCOPE_ADMIN_PARTNERS', 'admin:partners'],
  metrics: ['SCOPE_METRICS', 'metrics:read'],
};

/**
 * Returns the scopes of the operator. All scopes differ: with equal names, a partner would be the operator, or a right would give another one.
 * @param hasOperator Otherwise no token is an operator's, and a default that equals another scope does no harm.
 */
function parseAdminScopes(
  env: Readonly<Record<string, unknown>>,
  ofPartners: readonly string[],
  hasOperator: boolean,
): AdminRules['scopes'] {
  const taken = new Set(ofPartners);
  const scopes = Object.entries(ADMIN_SCOPES).map(([right, [variable, byDefault]]) => {
    const own = parseVariable(env, variable, Optional);
    const scope = own || byDefault;
    if ((own || hasOperator) && taken.has(scope)) throw new ConfigError(variable, 'must differ from every other scope');
    taken.add(scope);
    return [right, scope];
  });
  return Object.fromEntries(scopes);
}

/**
 * Returns the rules for the operator's access tokens. An empty variable takes the value of the partners' rules. Undefined if
 * audience, issuer and keys are all empty: then no token is an operator's.
 */
export function parseAdminRules(env: Readonly<Record<string, unknown>>, tokens: TokenRules): AdminRules | undefined {
  const { scopes: ofPartners, binding, ...partners } = tokens;
  const audience = parseVariable(env, 'ADMIN_AUDIENCE', Optional) || partners.audience;
  const ownIssuer = parseVariable(env, 'ADMIN_ISSUER', OptionalUrl);
  const ownKeys = parseVariable(env, 'ADMIN_JWKS_URL', OptionalUrl);
  const tokenUrl = parseVariable(env, 'ADMIN_TOKEN_URL', OptionalUrl) || undefined;
  const hasOperator = Boolean(env.ADMIN_AUDIENCE || ownIssuer || ownKeys);
  const scopes = parseAdminScopes(env, Object.values(ofPartners), hasOperator);
  if (!hasOperator) return undefined;
  const issuer = ownIssuer || partners.issuer;
  const hasOwnIssuer = !isSameName(issuer, partners.issuer);
  if (isSameName(audience, partners.audience) && !hasOwnIssuer) {
    throw new ConfigError(
      'ADMIN_AUDIENCE',
      'must differ from TOKEN_AUDIENCE unless ADMIN_ISSUER differs from TOKEN_ISSUER; case and a slash at the end do not count',
    );
  }
  // The keys of one issuer must not verify tokens of another.
  if (issuer !== partners.issuer && !ownKeys) throw new ConfigError('ADMIN_JWKS_URL', 'must be set with ADMIN_ISSUER');
  const rules = { ...partners, scopes, audience, issuer, jwksUrl: ownKeys || partners.jwksUrl, tokenUrl };
  // At the same issuer, a partner's token without an audience must not be an operator's.
  return hasOwnIssuer ? { ...rules, binding } : rules;
}

/**
 * Whether two issuers or audiences are spellings of one name. The Worker compares tokens letter by letter, but an authorization
 * server that ignores case or a slash at the end would issue tokens of either spelling to partners.
 */
function isSameName(one: string, other: string): boolean {
  const [first, second] = [one, other].map((name) => (URL.parse(name)?.href ?? name).toLowerCase().replace(/\/+$/, ''));
  return first === second;
}

const OptionalClientId = v.pipe(
  v.optional(v.string(), ''),
  v.check((id) => id === '' || CLIENT_ID.test(id), 'must be printable ASCII of at most 256 characters'),
);

const PartnerClaim = v.pipe(
  v.optional(v.string(), ''),
  v.check((name) => name.trim() === name, 'must not begin or end with a space'),
  v.check(
    (name) => !isClaimAbout(name, 'token', 'scopes', 'client', 'person'),
    'must name a claim that identifies the organization',
  ),
);

/** Returns the OAuth clients of the console. An empty variable means that nobody of that kind can sign in. */
export function parseConsoleClients(
  env: Readonly<Record<string, unknown>>,
  { clientClaim, scopeClaim }: TokenRules,
  admin: AdminRules | undefined,
): ConsoleClients {
  const clientId = parseVariable(env, 'CONSOLE_CLIENT_ID', OptionalClientId);
  const operator = parseVariable(env, 'CONSOLE_ADMIN_CLIENT_ID', OptionalClientId);
  const partnerClaim = parseVariable(env, 'CONSOLE_PARTNER_CLAIM', PartnerClaim);
  if (clientId && !partnerClaim) throw new ConfigError('CONSOLE_PARTNER_CLAIM', 'must be set with CONSOLE_CLIENT_ID');
  // Persons have such a claim too. A person with the name of a client would be that partner.
  if ((clientId || operator) && isClaimAbout(clientClaim, 'person'))
    throw new ConfigError(
      'CLIENT_CLAIM',
      'must not name a claim about persons, because people sign in to the console: a person could have the name of a client',
    );
  // All persons share the console's client: that claim would give each of them the same partner.
  if (partnerClaim === clientClaim || (partnerClaim && partnerClaim === scopeClaim))
    throw new ConfigError('CONSOLE_PARTNER_CLAIM', 'must differ from CLIENT_CLAIM and SCOPE_CLAIM');
  return {
    staff: clientId ? { clientId, partnerClaim } : undefined,
    operator: operator && admin ? { clientId: operator } : undefined,
  };
}

/** Claims about the token itself (RFC 7519, RFC 9068). */
const OF_TOKEN = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'];

/** Claims with the scopes (RFC 8693). */
const OF_SCOPES = ['scope', 'scp'];

/** Claims that name the OAuth client at common authorization servers. All persons of an application share their values. */
const OF_CLIENT = ['client_id', 'azp', 'cid', 'appid'];

/**
 * Claims about a person and the sign-in. Many of them are texts that the person chooses: the profile (OpenID Connect Core §5.1),
 * names of the account at common authorization servers, and parameters of the request.
 */
const OF_PERSON = [
  'sub name given_name family_name middle_name nickname preferred_username profile picture website email email_verified',
  'gender birthdate zoneinfo locale phone_number phone_number_verified address updated_at',
  'username cognito:username user_name user_id uid oid upn unique_name login',
  'nonce acr amr auth_time sid',
].flatMap((line) => line.split(' '));

const KINDS = { token: OF_TOKEN, scopes: OF_SCOPES, client: OF_CLIENT, person: OF_PERSON };

/** Whether the name, or the first part of a path, is a well-known claim about one of these. */
function isClaimAbout(name: string, ...kinds: readonly (keyof typeof KINDS)[]): boolean {
  const [root = ''] = name.split('.');
  return kinds.some((kind) => KINDS[kind].includes(root));
}

/** Whether the name of the scope begins with the name of the API, as Cognito writes it: `AUDIENCE/SCOPE`. */
export function isScopeOf(audience: string, scope: string): boolean {
  return scope.startsWith(`${audience}/`) && scope.length > audience.length + 1;
}

/** RFC 6749 appendix A.1: printable. Its length is bounded, because it appears in log lines and in the key of the rate limit. */
export const CLIENT_ID = /^[ -~]{1,256}$/;

/** Maximum length of a `sub` (OpenID Connect Core §2) and of an organization, for the same reason. */
export const PERSON_CLAIM_MAX_CHARS = 255;

const SECOND_PERSON_ACTIONS = [
  'withdraw',
  'abandon',
  'revocations',
  'accept_losses',
] as const satisfies readonly SecondPersonAction[];
const SECOND_PERSON_RULE = `must be JSON like {"revocations": 100}, with whole numbers and these keys: ${SECOND_PERSON_ACTIONS.join(', ')}`;
const Count = v.optional(
  v.pipe(v.number(SECOND_PERSON_RULE), v.safeInteger(SECOND_PERSON_RULE), v.minValue(0, SECOND_PERSON_RULE)),
);

/** An object schema also takes a list, which would switch off every limit. */
const isNoList = (value: unknown) => !Array.isArray(value);

const Limits = v.pipe(
  Json,
  v.check(isNoList, SECOND_PERSON_RULE),
  v.strictObject(v.entriesFromList(SECOND_PERSON_ACTIONS, Count), SECOND_PERSON_RULE),
);

export function parseSecondPerson(
  env: Readonly<Record<string, unknown>>,
  { operator }: { readonly operator: object | undefined },
): SecondPersonLimits {
  const limits = parseVariable(env, 'SECOND_PERSON', Limits);
  if (Object.keys(limits).length > 0 && operator === undefined)
    throw new ConfigError('SECOND_PERSON', 'needs CONSOLE_ADMIN_CLIENT_ID, because only persons confirm');
  return limits;
}
