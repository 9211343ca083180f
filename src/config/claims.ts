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
  ...[
    'sub',
    'name',
    'given_name',
    'family_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
  ],
  ...['website', 'email', 'email_verified', 'gender', 'birthdate', 'zoneinfo', 'locale', 'phone_number'],
  ...['phone_number_verified', 'address', 'updated_at'],
  ...['username', 'cognito:username', 'user_name', 'user_id', 'uid', 'oid', 'upn', 'unique_name', 'login'],
  ...['nonce', 'acr', 'amr', 'auth_time', 'sid'],
];

const KINDS = { token: OF_TOKEN, scopes: OF_SCOPES, client: OF_CLIENT, person: OF_PERSON };

/** Whether the name, or the first part of a path, is a well-known claim about one of these. */
export function isClaimAbout(name: string, ...kinds: readonly (keyof typeof KINDS)[]): boolean {
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
