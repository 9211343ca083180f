/**
 * The settings for tokens of common authorization servers, and what to do there. docs/operators/deployment.md shows the same table, and
 * a test makes a token in the shape of each row (`test/worker/auth/providers.test.ts`).
 */
export interface Issuer {
  readonly issuer: string;
  /** Words in capitals are placeholders of the operator's own values. */
  readonly tokenIssuer: string;
  readonly jwksUrl: string;
  /** Undefined: the form of the issuer does not tell it. */
  readonly tokenUrl?: string;
  readonly clientClaim: string;
  readonly scopeClaim: string;
  /** In Markdown. It begins with `**Refused:**` if the service cannot accept the tokens. */
  readonly atProvider: string;
}

export const ISSUERS: readonly Issuer[] = [
  {
    issuer: 'Auth0',
    tokenIssuer: 'https://TENANT.auth0.com/',
    jwksUrl: 'https://TENANT.auth0.com/.well-known/jwks.json',
    tokenUrl: 'https://TENANT.auth0.com/oauth/token',
    clientClaim: 'azp',
    scopeClaim: 'scope',
    atProvider:
      'An API whose identifier is `TOKEN_AUDIENCE`, with the scopes as its permissions; grant them to each client. Its access tokens must live at most 86,400 seconds. The slash at the end is part of the issuer. With the RFC 9068 profile, `CLIENT_CLAIM` is `client_id`.',
  },
  {
    issuer: 'Auth0 with RBAC',
    tokenIssuer: 'https://TENANT.auth0.com/',
    jwksUrl: 'https://TENANT.auth0.com/.well-known/jwks.json',
    tokenUrl: 'https://TENANT.auth0.com/oauth/token',
    clientClaim: 'azp',
    scopeClaim: 'permissions',
    atProvider: 'In the API, "Enable RBAC" and "Add Permissions in the Access Token".',
  },
  {
    issuer: 'Auth0 with tokens of 30 days',
    tokenIssuer: 'https://TENANT.auth0.com/',
    jwksUrl: 'https://TENANT.auth0.com/.well-known/jwks.json',
    tokenUrl: 'https://TENANT.auth0.com/oauth/token',
    clientClaim: 'azp',
    scopeClaim: 'scope',
    atProvider:
      '**Refused:** a token may live 24 hours. In the API, set the maximum lifetime of access tokens to at most 86,400 seconds.',
  },
  {
    issuer: 'Okta, custom authorization server',
    tokenIssuer: 'https://ORG.okta.com/oauth2/SERVER',
    jwksUrl: 'https://ORG.okta.com/oauth2/SERVER/v1/keys',
    tokenUrl: 'https://ORG.okta.com/oauth2/SERVER/v1/token',
    clientClaim: 'cid',
    scopeClaim: 'scp',
    atProvider:
      'An authorization server whose audience is `TOKEN_AUDIENCE`, with the scopes, and an access policy that lets each client have them.',
  },
  {
    issuer: 'Okta, org server',
    tokenIssuer: 'https://ORG.okta.com',
    jwksUrl: 'https://ORG.okta.com/oauth2/v1/keys',
    tokenUrl: 'https://ORG.okta.com/oauth2/v1/token',
    clientClaim: 'cid',
    scopeClaim: 'scp',
    atProvider:
      "**Refused:** its tokens are for Okta's own API, and Okta does not promise the keys for others. Use a custom authorization server.",
  },
  {
    issuer: 'Keycloak, client scopes',
    tokenIssuer: 'https://HOST/realms/REALM',
    jwksUrl: 'https://HOST/realms/REALM/protocol/openid-connect/certs',
    tokenUrl: 'https://HOST/realms/REALM/protocol/openid-connect/token',
    clientClaim: 'azp',
    scopeClaim: 'scope',
    atProvider: 'A client scope for each of the scopes, and an audience mapper for `TOKEN_AUDIENCE`.',
  },
  {
    issuer: 'Keycloak, realm roles',
    tokenIssuer: 'https://HOST/realms/REALM',
    jwksUrl: 'https://HOST/realms/REALM/protocol/openid-connect/certs',
    tokenUrl: 'https://HOST/realms/REALM/protocol/openid-connect/token',
    clientClaim: 'azp',
    scopeClaim: 'realm_access.roles',
    atProvider:
      'Realm roles with the names of the scopes, for the service account of each client, and an audience mapper.',
  },
  {
    issuer: 'Keycloak, client roles',
    tokenIssuer: 'https://HOST/realms/REALM',
    jwksUrl: 'https://HOST/realms/REALM/protocol/openid-connect/certs',
    tokenUrl: 'https://HOST/realms/REALM/protocol/openid-connect/token',
    clientClaim: 'azp',
    scopeClaim: 'resource_access.CLIENT.roles',
    atProvider:
      'Roles of the client `CLIENT`, which is the API, for the service account of each client, and an audience mapper.',
  },
  {
    issuer: 'Entra ID, v2 tokens',
    tokenIssuer: 'https://login.microsoftonline.com/TENANT/v2.0',
    jwksUrl: 'https://login.microsoftonline.com/TENANT/discovery/v2.0/keys',
    tokenUrl: 'https://login.microsoftonline.com/TENANT/oauth2/v2.0/token',
    clientClaim: 'azp',
    scopeClaim: 'roles',
    atProvider:
      '`requestedAccessTokenVersion` of the API is 2. The scopes are app roles for applications. `TOKEN_AUDIENCE` is the client id of the API.',
  },
  {
    issuer: 'Entra ID, v1 tokens',
    tokenIssuer: 'https://sts.windows.net/TENANT/',
    jwksUrl: 'https://login.microsoftonline.com/TENANT/discovery/keys',
    tokenUrl: 'https://login.microsoftonline.com/TENANT/oauth2/v2.0/token',
    clientClaim: 'appid',
    scopeClaim: 'roles',
    atProvider:
      '`requestedAccessTokenVersion` of the API is null, which is the default. The scopes are app roles for applications. `TOKEN_AUDIENCE` is the Application ID URI, like `api://APP`. The slash at the end is part of the issuer.',
  },
  {
    issuer: 'Cognito',
    tokenIssuer: 'https://cognito-idp.REGION.amazonaws.com/POOL',
    jwksUrl: 'https://cognito-idp.REGION.amazonaws.com/POOL/.well-known/jwks.json',
    clientClaim: 'client_id',
    scopeClaim: 'scope',
    atProvider:
      'A resource server whose identifier `SERVER` is `TOKEN_AUDIENCE`. `SCOPE_… = "SERVER/search:pass"` and so on. Tokens of client credentials have no `aud`, so set `TOKEN_BINDING = "token_use=access"`.',
  },
];

const PLACEHOLDER = /[A-Z]{2,}/g;

/** Returns the values of the placeholders in a URL of the table by their names; undefined: the URL has another form. */
function placeholdersIn(form: string, url: string): Readonly<Record<string, string>> | undefined {
  const pattern = form.replaceAll(/[.?+]/g, '\\$&').replaceAll(PLACEHOLDER, '(?<$&>[^/]+)');
  const match = new RegExp(`^${pattern}$`).exec(url);
  return match === null ? undefined : { ...match.groups };
}

/** Returns the rows whose issuer has the form of the URL, with the URLs of that issuer. Rows that the service refuses come last. */
export function issuersOf(url: string): readonly Issuer[] {
  const found = ISSUERS.flatMap((issuer) => {
    const values = placeholdersIn(issuer.tokenIssuer, url);
    if (values === undefined) return [];
    const filledIn = (form: string) => form.replaceAll(PLACEHOLDER, (name) => values[name] ?? name);
    const { tokenIssuer, jwksUrl, tokenUrl } = issuer;
    const urls = { tokenIssuer: filledIn(tokenIssuer), jwksUrl: filledIn(jwksUrl) };
    return [{ ...issuer, ...urls, ...(tokenUrl !== undefined && { tokenUrl: filledIn(tokenUrl) }) }];
  });
  return found.toSorted((one, other) => Number(isRefused(one)) - Number(isRefused(other)));
}

/** Whether the service cannot accept the tokens. */
export const isRefused = ({ atProvider }: Issuer): boolean => atProvider.startsWith('**Refused:**');

/** Returns what to do at the provider, without Markdown. */
export const plainAdvice = ({ atProvider }: Issuer): string => atProvider.replaceAll(/[`*]/g, '');
