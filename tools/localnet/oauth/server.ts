import { type JsonWebKey, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { type Client, type Context, errors, Provider, type Token } from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';
import {
  ADMIN_AUDIENCE,
  ADMIN_RIGHTS,
  ADMIN_SCOPE,
  AUDIENCE,
  METRICS_SCOPE,
  OPERATOR,
  PARTNERS,
  SCOPES,
} from './partners.ts';
import { CONSOLE_ADMIN_CLIENT_ID, CONSOLE_CLIENT_ID, ORGANIZATION_CLAIM, offeredPeople, personOf } from './people.ts';
import { answerSignIn, SIGN_IN_PATH } from './sign-in.ts';
import { formOf } from './token-request.ts';

const TOKEN_LIFETIME_SECONDS = 3600;
/** The paths of Auth0, which partners' clients know. */
const TOKEN_PATH = '/oauth/token';
const JWKS_PATH = '/.well-known/jwks.json';

export interface OAuthServer {
  /** Where it listens. */
  readonly ownOrigin: string;
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly jwksUrl: string;
  /** Its signing key. Nobody else may read the file. */
  readonly signingKey: JsonWebKey;
  stop(): Promise<void>;
}

/** The names of a server that a proxy shows to the world, as a deployment needs them: the localnet's own are refused there. */
export interface PublicNames {
  readonly issuer: string;
  readonly audience: string;
  readonly adminAudience: string;
}

/**
 * Starts the authorization server of partners and people, for RFC 9068 access tokens that are valid for an hour. A client sends its
 * credentials by HTTP Basic, in the form, or in a JSON body. By default it gets a token for its API with all its scopes. People sign
 * in to the console with the code flow and PKCE. The server runs in this process.
 * @param port 0 means any free port.
 * @param state Folder that keeps the signing key, so that tokens survive a restart.
 * @param sandbox Whether the localnet has only the sandbox.
 * @param names For a server behind a proxy, which must send `X-Forwarded-Host` and `X-Forwarded-Proto`.
 */
export async function startOAuthServer({
  port = 0,
  state,
  sandbox = false,
  names,
}: {
  port?: number | undefined;
  state?: string | undefined;
  sandbox?: boolean | undefined;
  names?: PublicNames;
} = {}): Promise<OAuthServer> {
  const key = await readOrCreateSigningKey(state);
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const ownOrigin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { issuer, ...audiences } = names ?? { issuer: ownOrigin, audience: AUDIENCE, adminAudience: ADMIN_AUDIENCE };

  const provider = new Provider(issuer, configurationFor(key, audiences));
  provider.proxy = names !== undefined;
  allowAnyPort(provider.Client);
  const answer = provider.callback();
  const offered = offeredPeople(sandbox);
  server.on('request', async (request, response) => {
    if (request.url?.startsWith(SIGN_IN_PATH)) return answerSignIn(provider, offered, request, response);
    const json = request.method === 'POST' && request.headers['content-type']?.startsWith('application/json');
    await answer(json ? await formOf(request) : request, response);
  });
  return {
    ownOrigin,
    issuer,
    tokenUrl: issuer + TOKEN_PATH,
    jwksUrl: issuer + JWKS_PATH,
    signingKey: key,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const ALL_SCOPES = [...SCOPES, ADMIN_SCOPE, ...ADMIN_RIGHTS, METRICS_SCOPE];
const CLIENTS = [...PARTNERS, { ...OPERATOR, scopes: [ADMIN_SCOPE, METRICS_SCOPE] }];

/** The data of a sign-in. They last as long as a token. */
const STORED = ['AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'Session'];

const BASES = ['', '/partner'].map((basePath) => `http://127.0.0.1${basePath}`);

/** Without a secret. They are web clients, as at a real deployment: a person who is signed in here gets a token without a question. */
const CONSOLES = [
  { client_id: CONSOLE_CLIENT_ID, scope: ['openid', ...SCOPES].join(' ') },
  { client_id: CONSOLE_ADMIN_CLIENT_ID, scope: ['openid', ADMIN_SCOPE, ...ADMIN_RIGHTS].join(' ') },
].map((client) => ({
  ...client,
  application_type: 'web',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  redirect_uris: BASES.map((base) => `${base}/console/callback`),
  post_logout_redirect_uris: BASES.map((base) => `${base}/console`),
}));

/** Lets the registered addresses have any port, because the Worker gets a free one. */
function allowAnyPort({ prototype }: Provider['Client']): void {
  const withoutPort = (uri: string) => uri.replace(/^(http:\/\/127\.0\.0\.1):\d+(?=\/)/, '$1');
  prototype.redirectUriAllowed = function (uri) {
    return this.redirectUris?.includes(withoutPort(uri)) ?? false;
  };
  prototype.postLogoutRedirectUriAllowed = function (uri) {
    return this.postLogoutRedirectUris?.includes(withoutPort(uri)) ?? false;
  };
}

/** Ends the session without a question. */
function logOutPage(context: { body?: string }, form: string): void {
  const answered = form.replace('</form>', '<input type="hidden" name="logout" value="yes"></form>');
  context.body = `<!doctype html><title>Sign out</title>${answered}<script>document.forms[0].submit()</script>`;
}

type Audiences = Omit<PublicNames, 'issuer'>;

function configurationFor(key: JsonWebKey, audiences: Audiences) {
  const audienceOf = (_: Context, { clientId }: Client) =>
    [OPERATOR.clientId, CONSOLE_ADMIN_CLIENT_ID].includes(clientId) ? audiences.adminAudience : audiences.audience;
  return {
    jwks: { keys: [key] },
    routes: { token: TOKEN_PATH, jwks: JWKS_PATH },
    scopes: ['openid', ...ALL_SCOPES],
    ttl: {
      ...Object.fromEntries(STORED.map((kind) => [kind, TOKEN_LIFETIME_SECONDS])),
      ClientCredentials: TOKEN_LIFETIME_SECONDS,
      AccessToken: TOKEN_LIFETIME_SECONDS,
    },
    clients: [
      ...CLIENTS.map(({ clientId, clientSecret, scopes }) => ({
        client_id: clientId,
        client_secret: clientSecret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        scope: scopes.join(' '),
      })),
      ...CONSOLES,
    ],
    cookies: { keys: [randomUUID()] },
    interactions: { url: (_: Context, { uid }: { readonly uid: string }) => SIGN_IN_PATH + uid },
    findAccount: (_: Context, id: string) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    extraTokenClaims: (_: Context, { accountId }: Token) => ({
      [ORGANIZATION_CLAIM]: personOf(accountId ?? '')?.organization,
    }),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource: logOutPage },
      resourceIndicators: {
        enabled: true,
        defaultResource: audienceOf,
        useGrantedResource: async () => true,
        getResourceServerInfo: (context: Context, resource: string, client: Client) => {
          if (resource !== audienceOf(context, client)) throw new errors.InvalidTarget('there is no such API here');
          return resourceServerFor(context, resource, client);
        },
      },
    },
    // The default is the same, with a warning.
    adapter: (name: string) => new MemoryAdapter(name),
    clientBasedCORS: () => true,
  };
}

/** Returns the API. It is called before the scopes are checked, so their default is set here. */
function resourceServerFor(context: Context, resource: string, client: Client) {
  context.oidc.params.scope ??= client.scope ?? '';
  return {
    scope: ALL_SCOPES.join(' '),
    audience: resource,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  };
}

async function readOrCreateSigningKey(state: string | undefined): Promise<JsonWebKey> {
  const file = state && join(state, 'oauth-key.json');
  if (file && existsSync(file)) return JSON.parse(await readFile(file, 'utf8'));
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' };
  if (file) await writeFile(file, JSON.stringify(key), { mode: 0o600 });
  return key;
}
