import { type Kind, settingsOf } from '../settings.ts';
import { knownServer, type PendingSignIn, revokeToken, type SignedIn } from './authorization-server.ts';

/** The signed-in person. Only the memory of this module has the tokens. */

/** In the storage that all tabs share. Each sign-out writes another text, and so ends the sessions of all tabs. */
const SIGN_OUT_KEY = 'gatepass-sign-out';
/** Set for each kind of person while the next sign-in in this browser must ask for the account. */
const askAccountKey = (kind: Kind) => `gatepass-ask-account-${kind}`;
/** The text for the person about a sign-out and its limits. */
const REMAINS_KEY = 'gatepass-remains';
/** In the storage of this tab while it has a session: how a reload may sign in again without a question. */
const RESUME_KEY = 'gatepass-resume';
/** A token is replaced this long before it expires, because a request takes time. */
const EXPIRY_MARGIN_MS = 5_000;

export interface Session extends SignedIn {
  readonly signOut: string | null;
}

/** The signed-in person; undefined: nobody is. */
let session: Session | undefined;
/** The work that waits for a new token. */
let waiting: PromiseWithResolvers<void> | undefined;
/** Whether the browser leaves for the authorization server. */
let leaving: 'sign-in' | 'sign-out' | undefined;
const listeners = new Set<() => void>();

export const currentSession = () => session;
export const leavesFor = () => leaving;
/** Returns the text about the last sign-out in this tab; null: nobody has signed out. */
export const remainsOfSignOut = () => sessionStorage.getItem(REMAINS_KEY);
export const lastSignOut = () => localStorage.getItem(SIGN_OUT_KEY);
export const mustAskAccount = (kind: Kind) => localStorage.getItem(askAccountKey(kind)) !== null;
export const askAccount = (kind: Kind) => localStorage.setItem(askAccountKey(kind), 'yes');

/** Whether the person has the scope, or as an operator the one that gives every right. */
export const hasScope = (scope: string) =>
  session !== undefined &&
  [scope, 'admin'].some((each) => {
    const name = session && settingsOf(session.kind).scopes[each];
    return name !== undefined && session?.scopes.includes(name);
  });

/** Whether work waits for the person to sign in again. */
export const awaitsNewToken = () => waiting !== undefined;

export function hasToken(): boolean {
  followSignOut();
  return session !== undefined && !awaitsNewToken() && Date.now() < session.expiresAt - EXPIRY_MARGIN_MS;
}

/** Calls the listener whenever somebody has signed in or out, or a token has expired. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}

/** Says that the browser leaves this page. */
export function leaveFor(place: 'sign-in' | 'sign-out'): void {
  leaving = place;
  notify();
}

/** Throws if the person has signed out in any tab since the sign-in began. */
export function startSession(signedIn: SignedIn, { signOut }: PendingSignIn): void {
  if (signOut !== lastSignOut()) throw new Error('You signed out in the meantime. Sign in again.');
  session = { ...signedIn, signOut };
  localStorage.removeItem(askAccountKey(session.kind));
  sessionStorage.removeItem(REMAINS_KEY);
  sessionStorage.setItem(RESUME_KEY, JSON.stringify({ kind: session.kind, signOut }));
  waiting?.resolve();
  waiting = undefined;
  notify();
}

/**
 * Returns the kind of the person whose session this tab had before a reload, unless a sign-out has ended it since. Only the first call
 * after a session does: a reload must not lead to the authorization server again and again.
 */
export function takeResumable(): Kind | undefined {
  const kept = sessionStorage.getItem(RESUME_KEY);
  sessionStorage.removeItem(RESUME_KEY);
  if (kept === null) return undefined;
  const { kind, signOut }: Pick<Session, 'kind' | 'signOut'> = JSON.parse(kept);
  return signOut === lastSignOut() && !mustAskAccount(kind) ? kind : undefined;
}

const endListeners = new Set<() => void>();
/** Calls the listener when a session has ended by a sign-out. */
export const onSessionEnd = (listener: () => void) => void endListeners.add(listener);

/** Marks a sign-out for all tabs, and ends the session of this one. */
export function endSessions(): void {
  for (const kind of ['staff', 'operator'] as const) askAccount(kind);
  localStorage.setItem(SIGN_OUT_KEY, crypto.randomUUID());
  followSignOut();
}

/** Ends the session of this tab if the person has signed out in any tab: the token, and the work and the window that wait for one. */
export function followSignOut(): void {
  if (session === undefined || session.signOut === lastSignOut()) return;
  const ended = session;
  session = undefined;
  sessionStorage.removeItem(RESUME_KEY);
  for (const listener of endListeners) listener();
  waiting?.reject(new Error('You signed out.'));
  waiting = undefined;
  sessionStorage.setItem(REMAINS_KEY, describeRemains(ended));
  void revokeToken(ended);
  notify();
}

// A tab that was frozen or in the history of the browser has received no event.
for (const event of ['storage', 'pageshow', 'focus']) addEventListener(event, followSignOut);
document.addEventListener('visibilitychange', followSignOut);
addEventListener('pageshow', () => {
  if (leaving === undefined) return;
  leaving = undefined;
  notify();
});

function describeRemains({ kind, expiresAt }: Session): string {
  const until = new Date(expiresAt).toLocaleString();
  const { host } = new URL(settingsOf(kind).issuer);
  return [
    'You signed out in all tabs of this browser, and they have dropped the access token.',
    `The service would accept a copy of it until ${until}.`,
    ...(knownServer(kind)?.end_session_endpoint === undefined
      ? [`You are still signed in at ${host}, which offers this page no sign-out.`]
      : []),
    'The next sign-in here asks for the account.',
  ].join(' ');
}

/**
 * Returns when the person has signed in again, in a second window. The caller keeps its work. The page shows a button that calls
 * `signInAgain`, because browsers open windows only for a click.
 */
export function awaitNewToken(): Promise<void> {
  // Work that began before a sign-out must not continue after it.
  if (session === undefined) return Promise.reject(new Error('You signed out.'));
  if (waiting === undefined) {
    waiting = Promise.withResolvers();
    notify();
  }
  return waiting.promise;
}
