import * as oauth from './oauth4webapi.js';
import { SERVICE, SETTINGS } from './settings.js';

/**
 * Signs a person in with the code flow of OAuth 2.0 and PKCE. `sessionStorage` has the state and the verifier until the sign-in
 * ends. Only the memory of this module has the token.
 */

const PENDING_KEY = 'gatepass-sign-in';
/** Set while the next sign-in must ask for the account. */
const ASK_ACCOUNT_KEY = 'gatepass-ask-account';
export const CALLBACK_KEY = 'gatepass-callback';
export const SIGN_IN_CHANNEL = 'gatepass-sign-in';
/** Begins the state of a sign-in in a second window. */
export const REPEATED = 'repeated.';

const REDIRECT_URI = new URL('console/callback', SERVICE).href;
const ANSWER_TIMEOUT_MS = 15_000;
/** A token is replaced this long before it expires, because a request takes time. */
const EXPIRY_MARGIN_MS = 5_000;

/** The signed-in person; undefined: nobody is. */
let session;
/** The work that waits for a new token. */
let waiting;
/** The attempt in the second window. The person may close the window and try again. */
let attempt;
const listeners = new Set();

export const currentSession = () => session;
export const hasScope = (scope) => session?.scopes.includes(SETTINGS[session.kind].scopes[scope]) ?? false;
/** Whether work waits for the person to sign in again. */
export const awaitsNewToken = () => waiting !== undefined;
export const hasToken = () =>
  session !== undefined && !awaitsNewToken() && Date.now() < session.expiresAt - EXPIRY_MARGIN_MS;

/** Calls the listener whenever somebody has signed in or out, or a token has expired. */
export function onSession(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify() {
  for (const listener of listeners) listener();
}

/** Leaves the page for the sign-in. `kind`: `staff` or `operator`. */
export async function beginSignIn(kind) {
  const { url, pending } = await prepare(kind, '');
  sessionStorage.setItem(PENDING_KEY, JSON.stringify({ ...pending, view: location.hash }));
  location.assign(url);
}

/** Ends a sign-in if the authorization server has returned to this page. */
export async function endSignIn() {
  const answer = sessionStorage.getItem(CALLBACK_KEY);
  const pending = JSON.parse(sessionStorage.getItem(PENDING_KEY) ?? 'null');
  sessionStorage.removeItem(CALLBACK_KEY);
  sessionStorage.removeItem(PENDING_KEY);
  if (answer === null || pending === null) return;
  startSession(await tokenOf(pending, new URLSearchParams(answer)));
  if (pending.view) location.hash = pending.view;
}

/** Drops the token, and ends the work and the window that wait for a new one. The next sign-in asks for the account again. */
export function signOut() {
  session = undefined;
  attempt?.resolve();
  sessionStorage.setItem(ASK_ACCOUNT_KEY, 'yes');
  waiting?.reject(new Error('You signed out.'));
  waiting = undefined;
  notify();
}

/**
 * Returns when the person has signed in again, in a second window. The caller keeps its work. The page shows a button that calls
 * `signInAgain`, because browsers open windows only for a click.
 */
export function awaitNewToken() {
  if (waiting === undefined) {
    waiting = Promise.withResolvers();
    notify();
  }
  return waiting.promise;
}

/** Signs the person in again, in a second window. Ends without a result if a later attempt replaces this one, or the person signs out. */
export async function signInAgain() {
  const { kind, sub, organization } = session;
  attempt?.resolve();
  attempt = Promise.withResolvers();
  const replaced = attempt.promise;
  // Before any `await`, so that the browser sees the click.
  const popup = window.open('', 'gatepass-sign-in', 'popup,width=480,height=640');
  const channel = new BroadcastChannel(SIGN_IN_CHANNEL);
  try {
    const { url, pending } = await prepare(kind, REPEATED);
    const answered = new Promise((resolve) => {
      channel.onmessage = ({ data }) => {
        if (new URLSearchParams(data).get('state') === pending.state) resolve(data);
      };
    });
    if (popup === null) throw new Error('The browser blocked the window. Allow windows of this page, and try again.');
    popup.location.href = url;
    const answer = await Promise.race([answered, replaced]);
    if (answer === undefined) return;
    const renewed = await tokenOf(pending, new URLSearchParams(answer));
    if (session === undefined) return;
    // Another person, or the same one for another partner, must not continue this work.
    if (renewed.sub !== sub || renewed.organization !== organization) {
      // The authorization server may know the other account. It must ask at the next attempt.
      sessionStorage.setItem(ASK_ACCOUNT_KEY, 'yes');
      throw new Error('Sign in with the same account and organization as before, or sign out first.');
    }
    startSession(renewed);
    popup.close();
  } finally {
    channel.close();
  }
}

function startSession(signedIn) {
  session = signedIn;
  sessionStorage.removeItem(ASK_ACCOUNT_KEY);
  waiting?.resolve();
  waiting = undefined;
  notify();
}

/** Returns the address of the sign-in, and the values that verify its answer. */
async function prepare(kind, prefix) {
  const { clientId, audience, scopes } = SETTINGS[kind];
  const server = await discover(kind);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = prefix + oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    scope: Object.values(scopes).join(' '),
    state,
    audience,
    // RFC 8707 §2: a resource is a URI.
    ...(URL.canParse(audience) && { resource: audience }),
    ...(sessionStorage.getItem(ASK_ACCOUNT_KEY) !== null && { prompt: 'login' }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, pending: { kind, state, verifier } };
}

/** Returns the session for the answer of the authorization server. Throws if the answer is not the one to this sign-in. */
async function tokenOf({ kind, state, verifier }, answer) {
  const { clientId, scopes } = SETTINGS[kind];
  const server = await discover(kind);
  const client = { client_id: clientId };
  const parameters = validateAnswer(server, client, answer, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    REDIRECT_URI,
    verifier,
    optionsFor(server.issuer),
  );
  const {
    access_token,
    expires_in = 3_600,
    scope,
  } = await oauth.processAuthorizationCodeResponse(server, client, response);
  return {
    kind,
    token: access_token,
    ...personIn(access_token, SETTINGS[kind].partnerClaim),
    // RFC 6749 §5.1: without a scope, all requested ones are granted.
    scopes: scope === undefined ? Object.values(scopes) : scope.split(' '),
    expiresAt: Date.now() + expires_in * 1_000,
  };
}

function validateAnswer(server, client, answer, state) {
  try {
    return oauth.validateAuthResponse(server, client, answer, state);
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw error;
    const { error: code, error_description: reason = code } = error;
    throw new Error(`The authorization server refused the sign-in: ${reason}. Your account may lack the rights.`);
  }
}

/** Returns the person and the organization. The service verifies the token, and this page does not. */
function personIn(token, partnerClaim) {
  const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
  const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
  const claims = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof claims.sub !== 'string') throw new Error('The access token does not name a person.');
  return { sub: claims.sub, organization: claims[partnerClaim] };
}

const servers = new Map();

async function discover(kind) {
  const { issuer } = SETTINGS[kind];
  if (!servers.has(issuer)) {
    const url = new URL(issuer);
    const options = { algorithm: 'oidc', ...optionsFor(issuer) };
    servers.set(issuer, await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options)));
  }
  return servers.get(issuer);
}

/** A deployment refuses issuers without TLS, so only the authorization server of a developer's machine has none. */
const optionsFor = (issuer) => ({
  signal: () => AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
  [oauth.customFetch]: (...request) =>
    fetch(...request).catch(() => {
      throw new Error('The authorization server does not answer. Check your connection, and try again.');
    }),
});
