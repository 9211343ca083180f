import { createLocalJWKSet, type JWTPayload } from 'jose';
import { expect, it } from 'vitest';
import { verifyToken } from '../../../src/auth/verify-token.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import { anIssuer, NOW, SECONDS } from './an-issuer.ts';

/**
 * Tokens in the shape of the providers, against the settings in the operators' documents: one test per row. No provider takes
 * part. The shapes follow the documents of the providers.
 */

const documents = import.meta.glob<string>('../../../docs/operators/deployment.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const [text = ''] = Object.values(documents);
const [, table = ''] = text.split('\n## Issuers\n');
const ROWS = table
  .split('\n')
  .filter((line) => /^\| .*`https:/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, provider = '', ...cells]) => ({ provider, cells: cells.map((cell) => cell.replace(/^`(.*)`$/, '$1')) }));

const PLACES = { TENANT: 'acme', ORG: 'acme', SERVER: 'aus1', HOST: 'id.acme.io', REALM: 'acme', REGION: 'eu-west-1' };
const fill = (setting: string) =>
  Object.entries({ ...PLACES, POOL: 'eu-west-1_AbCd' }).reduce(
    (filled, [name, value]) => {
      return filled.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), value);
    },
    setting.replace('.CLIENT.', '.gatepass-api.'),
  );

const API = 'https://passes.acme.io';
const ENTRA_API = '6a1f0c1e-0000-4000-8000-000000000000';
const CLIENT = 'the-client-of-acme';
const SCOPES = ['search:pass', 'issue:pass'];
const spaced = SCOPES.join(' ');

interface Shape {
  readonly claims: JWTPayload;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, string>>;
  /** Undefined: the token is accepted. */
  readonly refused?: RegExp;
  readonly scopes?: readonly string[];
}

const HOUR = { iat: SECONDS - 10, exp: SECONDS + 3590 };
const AUTH0: JWTPayload = {
  iss: 'https://acme.auth0.com/',
  sub: `${CLIENT}@clients`,
  aud: API,
  iat: SECONDS - 10,
  exp: SECONDS + 86_390,
  scope: spaced,
  gty: 'client-credentials',
  azp: CLIENT,
};
const KEYCLOAK: JWTPayload = {
  ...HOUR,
  jti: 'trrtcc:7f0b2a1c',
  iss: 'https://id.acme.io/realms/acme',
  aud: [API, 'account'],
  sub: '5c2d5f0e-0000-4000-8000-000000000000',
  typ: 'Bearer',
  azp: CLIENT,
  acr: '1',
  realm_access: { roles: ['offline_access', 'uma_authorization'] },
  resource_access: { account: { roles: ['view-profile'] } },
  scope: 'profile email',
  clientHost: '203.0.113.7',
  preferred_username: `service-account-${CLIENT}`,
  client_id: CLIENT,
};
const ENTRA: JWTPayload = {
  ...HOUR,
  nbf: HOUR.iat,
  aio: 'E2NgYA==',
  oid: '0f0f0f0f-0000-4000-8000-000000000000',
  sub: '0f0f0f0f-0000-4000-8000-000000000000',
  tid: 'acme',
  roles: SCOPES,
  uti: 'x',
};
const COGNITO: JWTPayload = {
  ...HOUR,
  sub: CLIENT,
  token_use: 'access',
  scope: SCOPES.map((scope) => `gatepass/${scope}`).join(' '),
  auth_time: HOUR.iat,
  iss: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCd',
  version: 2,
  jti: '1b8f6f0c',
  client_id: CLIENT,
};

const SHAPES: Readonly<Record<string, Shape>> = {
  Auth0: { claims: AUTH0 },
  'Auth0 with RBAC': { claims: { ...AUTH0, scope: undefined, permissions: SCOPES } },
  'Auth0 with tokens of 30 days': {
    claims: { ...AUTH0, exp: SECONDS + 30 * 86_400 },
    refused: /lives longer than 24 hours$/,
  },
  'Okta, custom authorization server': {
    claims: {
      ...HOUR,
      ver: 1,
      jti: 'AT.Xy',
      iss: 'https://acme.okta.com/oauth2/aus1',
      aud: API,
      cid: CLIENT,
      scp: SCOPES,
      sub: CLIENT,
    },
  },
  'Okta, org server': {
    claims: {
      ...HOUR,
      ver: 1,
      jti: 'AT.Xy',
      iss: 'https://acme.okta.com',
      aud: 'https://acme.okta.com',
      cid: CLIENT,
      scp: ['okta.users.read'],
      sub: CLIENT,
    },
    header: { typ: 'application/okta-internal-at+jwt' },
    refused: /"typ" of the token/,
  },
  'Keycloak, client scopes': {
    claims: { ...KEYCLOAK, scope: `profile email ${spaced}` },
    scopes: ['profile', 'email', ...SCOPES],
  },
  'Keycloak, realm roles': {
    claims: { ...KEYCLOAK, realm_access: { roles: ['offline_access', ...SCOPES] } },
    scopes: ['offline_access', ...SCOPES],
  },
  'Keycloak, client roles': {
    claims: {
      ...KEYCLOAK,
      resource_access: { account: { roles: ['view-profile'] }, 'gatepass-api': { roles: SCOPES } },
    },
  },
  'Entra ID, v2 tokens': {
    claims: {
      ...ENTRA,
      aud: ENTRA_API,
      iss: 'https://login.microsoftonline.com/acme/v2.0',
      azp: CLIENT,
      azpacr: '1',
      ver: '2.0',
    },
    settings: { TOKEN_AUDIENCE: ENTRA_API },
  },
  'Entra ID, v1 tokens': {
    claims: {
      ...ENTRA,
      aud: `api://${ENTRA_API}`,
      iss: 'https://sts.windows.net/acme/',
      appid: CLIENT,
      appidacr: '1',
      idp: 'https://sts.windows.net/acme/',
      ver: '1.0',
    },
    header: { x5t: 'a-key-for-RS256' },
    settings: { TOKEN_AUDIENCE: `api://${ENTRA_API}` },
  },
  Cognito: {
    claims: COGNITO,
    settings: {
      TOKEN_AUDIENCE: 'gatepass',
      TOKEN_BINDING: 'token_use=access',
      ...Object.fromEntries(
        [
          ['SEARCH', 'search:pass'],
          ['ISSUE', 'issue:pass'],
          ['UPDATE', 'update:pass'],
          ['WEBHOOK', 'webhook:manage'],
        ].map(([name, scope]) => [`SCOPE_${name}`, `gatepass/${scope}`]),
      ),
    },
    scopes: SCOPES.map((scope) => `gatepass/${scope}`),
  },
};

const issuer = await anIssuer('RS256');
const keys = createLocalJWKSet(issuer.jwks);

/** Returns the rules of a deployment with the settings of the row. */
function rulesOf(provider: string) {
  const { cells = [] } = ROWS.find((row) => row.provider === provider) ?? {};
  const [TOKEN_ISSUER = '', JWKS_URL = '', CLIENT_CLAIM = '', SCOPE_CLAIM = ''] = cells.map(fill);
  return configOf({
    DEPLOYMENT: 'production',
    PUBLIC_ORIGIN: API,
    TOKEN_AUDIENCE: API,
    ADMIN_AUDIENCE: `${API}/admin`,
    TOKEN_ALGORITHMS: 'RS256 PS256 ES256 EdDSA',
    SCOPE_SEARCH: 'search:pass',
    SCOPE_ISSUE: 'issue:pass',
    SCOPE_UPDATE: 'update:pass',
    TOKEN_ISSUER,
    JWKS_URL,
    CLIENT_CLAIM,
    SCOPE_CLAIM,
    ...SHAPES[provider]?.settings,
  }).tokens;
}

it('the documents have a row for each of these tokens, and no other', () => {
  expect(ROWS.map(({ provider }) => provider)).toEqual(Object.keys(SHAPES));
  for (const { provider, cells } of ROWS)
    expect(cells.join().includes('**Refused:**'), provider).toBe(SHAPES[provider]?.refused !== undefined);
});

it.each(Object.entries(SHAPES))(
  'the settings of the row "%s" give its token the documented result',
  async (provider, { claims, header, refused, scopes = SCOPES }) => {
    const token = await issuer.sign(claims, { typ: 'JWT', ...header });
    const bearer = await verifyToken(`Bearer ${token}`, rulesOf(provider), keys, NOW);
    if (refused !== undefined)
      return expect(bearer).toEqual({
        type: 'token_invalid',
        reason: expect.any(String),
        detail: expect.stringMatching(refused),
      });
    return expect(bearer).toMatchObject({ clientId: CLIENT, scopes });
  },
);

it("refuses a token of Okta's org server also by its keys and its audience", async () => {
  const { claims = {} } = SHAPES['Okta, org server'] ?? {};
  const rules = rulesOf('Okta, org server');
  const judge = async (token: string) => verifyToken(`Bearer ${token}`, rules, keys, NOW);
  const withOther = await judge(await issuer.sign(claims, { kid: 'a key that Okta does not publish' }));
  expect(withOther).toMatchObject({ detail: expect.stringMatching(/no applicable key/) });
  expect(await judge(await issuer.sign(claims))).toMatchObject({ detail: expect.stringMatching(/"aud"/) });
});

it('gives a token of Keycloak no scopes if its roles are elsewhere', async () => {
  const { realm_access: _, ...claims } = KEYCLOAK;
  const bearer = await verifyToken(`Bearer ${await issuer.sign(claims)}`, rulesOf('Keycloak, realm roles'), keys, NOW);
  expect(bearer).toMatchObject({ clientId: CLIENT, scopes: [] });
});

it('refuses a token of Cognito that is for people of another API, or an ID token', async () => {
  const judge = async (changes: JWTPayload) =>
    verifyToken(`Bearer ${await issuer.sign({ ...COGNITO, ...changes })}`, rulesOf('Cognito'), keys, NOW);
  expect(await judge({ scope: 'other/search:pass openid search:pass' })).toMatchObject({ scopes: [] });
  expect(await judge({ token_use: 'id', aud: CLIENT })).toMatchObject({ detail: expect.stringMatching(/"aud"/) });
  expect(await judge({ token_use: 'id' })).toMatchObject({ type: 'token_invalid' });
});
