import { claimOf } from './claim.js';
import * as oauth from './oauth4webapi.js';
import { SERVICE, SETTINGS } from './settings.js';

/**
 * Signs a person in with the code flow of OAuth 2.0 and PKCE. `sessionStorage` has the state and the verifier until the sign-in
 * ends. Only the memory of this module has the tokens.
 */

const PENDING_KEY = 'gatepass-sign-in';
/** In the storage that all tabs share. Each sign-out writes another text, and so ends the sessions of all tabs. */
const SIGN_OUT_KEY = 'gatepass-sign-out';
/** Set for each kind of person while the next sign-in in this browser must ask for the account. */
const askAccountKey = (kind) => `gatepass-ask-account-${kind}`;
/** The text for the person about a sign-out and its limits. */
const REMAINS_KEY = 'gatepass-remains';
export const CALLBACK_KEY = 'gatepass-callback';
export const SIGN_IN_CHANNEL = 'gatepass-sign-in';
/** Begins the state of a sign-in in a second window. */
export const REPEATED = 'repeated.';

const REDIRECT_URI = new URL('console/callback', SERVICE).href;
const SIGNED_OUT_URI = new URL('console', SERVICE).href;
const ANSWER_TIMEOUT_MS = 15_000;
/** A token is replaced this long before it expires, because a request takes time. */
const EXPIRY_MARGIN_MS = 5_000;

/** The signed-in person; undefined: nobody is. */
let session;
/** The work that waits for a new token. */
let waiting;
/** The attempt in the second window. The person may close the window and try again. */
let attempt;
/** Whether the browser leaves for the sign-out at the authorization server. */
let leaving = false;
const listeners = new Set();

export const currentSession = () => session;
export const isLeaving = () => leaving;
/** Returns what remains after the last sign-out in this tab; null: nobody has signed out. */
export const remainsOfSignOut = () => sessionStorage.getItem(REMAINS_KEY);
const lastSignOut = () => localStorage.getItem(SIGN_OUT_KEY);
/** Whether the person has the scope, or as an operator the one that gives every right. */
export const hasScope = (scope) =>
  session !== undefined &&
  [scope, 'admin'].some((each) => session.scopes.includes(SETTINGS[session.kind].scopes[each]));
/** Whether work waits for the person to sign in again. */
export const awaitsNewToken = () => waiting !== undefined;
export function hasToken() {
  followSignOut();
  return session !== undefined && !awaitsNewToken() && Date.now() < session.expiresAt - EXPIRY_MARGIN_MS;
}

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
  startSession(await tokenOf(pending, new URLSearchParams(answer)), pending);
  if (pending.view) location.hash = pending.view;
}

/**
 * Ends the sessions of all tabs, and leaves for the sign-out at the authorization server if it offers one. The next sign-in in
 * this browser asks for the account again.
 */
export function signOut() {
  if (session === undefined) return;
  const server = servers.get(SETTINGS[session.kind].issuer);
  const { kind, idToken } = session;
  for (const each of ['staff', 'operator']) localStorage.setItem(askAccountKey(each), 'yes');
  localStorage.setItem(SIGN_OUT_KEY, crypto.randomUUID());
  leaving = server?.end_session_endpoint !== undefined;
  followSignOut();
  if (!leaving) return;
  const url = new URL(server.end_session_endpoint);
  const parameters = { client_id: SETTINGS[kind].clientId, post_logout_redirect_uri: SIGNED_OUT_URI };
  // Without a hint, servers ask the person or do not return to this page. Cognito has its own name for the address.
  if (idToken !== undefined) parameters.id_token_hint = idToken;
  if (url.hostname.endsWith('.amazoncognito.com')) parameters.logout_uri = SIGNED_OUT_URI;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}

/** Ends the session of this tab if the person has signed out in any tab: the token, and the work and the window that wait for one. */
function followSignOut() {
  if (session === undefined || session.signOut === lastSignOut()) return;
  const ended = session;
  session = undefined;
  attempt?.resolve();
  waiting?.reject(new Error('You signed out.'));
  waiting = undefined;
  sessionStorage.setItem(REMAINS_KEY, describeRemains(ended));
  revoke(ended);
  notify();
}

// A tab that was frozen or in the history of the browser has received no event.
for (const event of ['storage', 'pageshow', 'focus']) addEventListener(event, followSignOut);
document.addEventListener('visibilitychange', followSignOut);
addEventListener('pageshow', () => {
  if (!leaving) return;
  leaving = false;
  notify();
});

function describeRemains({ kind, expiresAt }) {
  const { issuer } = SETTINGS[kind];
  const until = new Date(expiresAt).toLocaleString();
  return [
    'You signed out in all tabs of this browser, and they have dropped the access token.',
    `The service would accept a copy of it until ${until}.`,
    servers.get(issuer)?.end_session_endpoint === undefined &&
      `You are still signed in at ${new URL(issuer).host}, which offers this page no sign-out.`,
    'The next sign-in here asks for the account.',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Best effort: the authorization server may not revoke tokens of this form, and the service does not ask it. */
async function revoke({ kind, token }) {
  const server = servers.get(SETTINGS[kind].issuer);
  if (server?.revocation_endpoint === undefined) return;
  const client = { client_id: SETTINGS[kind].clientId };
  await oauth.revocationRequest(server, client, oauth.None(), token, optionsFor(server.issuer)).catch(() => {});
}

/**
 * Returns when the person has signed in again, in a second window. The caller keeps its work. The page shows a button that calls
 * `signInAgain`, because browsers open windows only for a click.
 */
export function awaitNewToken() {
  // Work that began before a sign-out must not continue after it.
  if (session === undefined) return Promise.reject(new Error('You signed out.'));
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
    followSignOut();
    if (session === undefined) return;
    // Another person, or the same one for another partner, must not continue this work.
    if (renewed.sub !== sub || renewed.organization !== organization) {
      // The authorization server may know the other account. It must ask at the next attempt.
      localStorage.setItem(askAccountKey(kind), 'yes');
      throw new Error('Sign in with the same account and organization as before, or sign out first.');
    }
    startSession(renewed, pending);
    popup.close();
  } finally {
    channel.close();
  }
}

/** Throws if the person has signed out in any tab since the sign-in began. */
function startSession(signedIn, { signOut }) {
  if (signOut !== lastSignOut()) throw new Error('You signed out in the meantime. Sign in again.');
  session = { ...signedIn, signOut };
  localStorage.removeItem(askAccountKey(session.kind));
  sessionStorage.removeItem(REMAINS_KEY);
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
  // With it, the authorization server returns the ID token that its sign-out needs.
  const openid = server.scopes_supported?.includes('openid') && server.end_session_endpoint !== undefined;
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    scope: [...(openid ? ['openid'] : []), ...Object.values(scopes)].join(' '),
    state,
    audience,
    // RFC 8707 §2: a resource is a URI.
    ...(URL.canParse(audience) && { resource: audience }),
    ...(localStorage.getItem(askAccountKey(kind)) !== null && { prompt: 'login' }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, pending: { kind, state, verifier, signOut: lastSignOut() } };
}

/** Returns the session for the answer of the authorization server. Throws if the answer is not the one to this sign-in. */
async function tokenOf({ kind, state, verifier }, answer) {
  const { clientId, scopes } = SETTINGS[kind];
  const server = await discover(kind);
  // The ID token is only a hint for the sign-out. A wrong clock of the computer must not prevent the sign-in.
  const client = { client_id: clientId, [oauth.clockTolerance]: Number.MAX_SAFE_INTEGER };
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
    id_token,
    expires_in = 3_600,
    scope,
  } = await oauth.processAuthorizationCodeResponse(server, client, response);
  return {
    kind,
    token: access_token,
    idToken: id_token,
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
  return { sub: claims.sub, organization: claimOf(claims, partnerClaim ?? '') };
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
    // A revocation must not end with the page.
    fetch(request[0], { ...request[1], keepalive: true }).catch(() => {
      throw new Error('The authorization server does not answer. Check your connection, and try again.');
    }),
});
