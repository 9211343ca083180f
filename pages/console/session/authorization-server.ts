import * as oauth from 'oauth4webapi';
import { claimOf } from '../../../src/auth/claim-of.ts';
import { type Kind, SERVICE, settingsOf } from '../settings.ts';

/** The code flow of OAuth 2.0 with PKCE at the authorization server. */

export const REDIRECT_URI = new URL('console/callback', SERVICE).href;
const ANSWER_TIMEOUT_MS = 15_000;

/** The values that verify the answer to a sign-in. They are in `sessionStorage` until the answer comes. */
export interface PendingSignIn {
  readonly kind: Kind;
  readonly state: string;
  readonly verifier: string;
  /** The last sign-out in this browser before the sign-in began. */
  readonly signOut: string | null;
  /** The view to which the person returns. */
  readonly view?: string;
  /** Whether the authorization server may ask nothing. */
  readonly isSilent?: boolean;
  /** The length of the history before the sign-in. */
  readonly historyLength?: number;
}

export interface SignedIn {
  readonly kind: Kind;
  readonly token: string;
  readonly idToken: string | undefined;
  readonly sub: string;
  readonly organization: unknown;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
}

/** A refusal of the authorization server, with its code. */
export class SignInRefused extends Error {
  readonly code: string;
  constructor(code: string, reason: string) {
    super(`The authorization server refused the sign-in: ${reason}. Your account may lack the rights.`);
    this.code = code;
  }
}

/** Returns the address of the sign-in, and the values that verify its answer. */
export async function prepareSignIn(kind: Kind, prefix: string, prompt: string | undefined) {
  const { clientId, audience, scopes } = settingsOf(kind);
  const server = await discover(kind);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = prefix + oauth.generateRandomState();
  // With `openid`, the authorization server returns the ID token that its sign-out needs.
  const openid = server.scopes_supported?.includes('openid') === true && server.end_session_endpoint !== undefined;
  const url = new URL(server.authorization_endpoint ?? '');
  const parameters = {
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    scope: [...(openid ? ['openid'] : []), ...Object.values(scopes)].join(' '),
    state,
    ...(audience !== undefined && { audience }),
    // RFC 8707 §2: a resource is a URI.
    ...(audience !== undefined && URL.canParse(audience) && { resource: audience }),
    ...(prompt !== undefined && { prompt }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, state, verifier };
}

/** Returns the person for the answer of the authorization server. Throws if the answer is not the one to this sign-in. */
export async function redeemAnswer(
  { kind, state, verifier }: PendingSignIn,
  answer: URLSearchParams,
): Promise<SignedIn> {
  const { clientId, scopes, partnerClaim } = settingsOf(kind);
  const server = await discover(kind);
  // The ID token is only a hint for the sign-out. A wrong clock of the computer must not prevent the sign-in.
  const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: Number.MAX_SAFE_INTEGER };
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    validateAnswer(server, client, answer, state),
    REDIRECT_URI,
    verifier,
    optionsFor(server.issuer),
  );
  const result = await oauth.processAuthorizationCodeResponse(server, client, response);
  const { access_token, id_token, expires_in = 3_600, scope } = result;
  return {
    kind,
    token: access_token,
    idToken: id_token,
    ...personIn(access_token, partnerClaim),
    // RFC 6749 §5.1: without a scope, all requested ones are granted.
    scopes: scope === undefined ? Object.values(scopes) : scope.split(' '),
    expiresAt: Date.now() + expires_in * 1_000,
  };
}

function validateAnswer(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  answer: URLSearchParams,
  state: string,
): URLSearchParams {
  try {
    return oauth.validateAuthResponse(server, client, answer, state);
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw error;
    throw new SignInRefused(error.error, error.error_description ?? error.error);
  }
}

/** Returns the person and the organization. The service verifies the token, and this page does not. */
function personIn(token: string, partnerClaim = ''): Pick<SignedIn, 'sub' | 'organization'> {
  const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
  const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
  const claims: Record<string, unknown> = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof claims.sub !== 'string') throw new Error('The access token does not name a person.');
  return { sub: claims.sub, organization: claimOf(claims, partnerClaim) };
}

const servers = new Map<string, oauth.AuthorizationServer>();

/** Returns what the authorization server has published; undefined if nobody has asked for it yet. */
export const knownServer = (kind: Kind) => servers.get(settingsOf(kind).issuer);

async function discover(kind: Kind): Promise<oauth.AuthorizationServer> {
  const { issuer } = settingsOf(kind);
  const known = servers.get(issuer);
  if (known !== undefined) return known;
  const url = new URL(issuer);
  const response = await oauth.discoveryRequest(url, { algorithm: 'oidc', ...optionsFor(issuer) });
  const server = await oauth.processDiscoveryResponse(url, response);
  servers.set(issuer, server);
  return server;
}

/** Best effort: the authorization server may not revoke tokens of this form, and the service does not ask it. */
export async function revokeToken({ kind, token }: SignedIn): Promise<void> {
  const server = knownServer(kind);
  if (server?.revocation_endpoint === undefined) return;
  const client = { client_id: settingsOf(kind).clientId };
  await oauth.revocationRequest(server, client, oauth.None(), token, optionsFor(server.issuer)).catch(() => {});
}

/** A deployment refuses issuers without TLS, so only the authorization server of a developer's machine has none. */
const optionsFor = (issuer: string) => ({
  signal: () => AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
  [oauth.customFetch]: (url: string, init: object) =>
    // A revocation must not end with the page.
    fetch(url, { ...init, keepalive: true }).catch(() => {
      throw new Error('The authorization server does not answer. Check your connection, and try again.');
    }),
});
