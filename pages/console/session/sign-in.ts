import { type Kind, SERVICE, settingsOf } from '../settings.ts';
import { knownServer, type PendingSignIn, prepareSignIn, redeemAnswer } from './authorization-server.ts';
import { CALLBACK_KEY, REPEATED, SIGN_IN_CHANNEL } from './callback-channel.ts';
import {
  askAccount,
  currentSession,
  endSessions,
  followSignOut,
  lastSignOut,
  leaveFor,
  mustAskAccount,
  onSessionEnd,
  startSession,
} from './session.ts';

/** Signs people in and out. `sessionStorage` has the state and the verifier until a sign-in ends. */

const PENDING_KEY = 'gatepass-sign-in';
const SIGNED_OUT_URI = new URL('console', SERVICE).href;

/** The attempt in the second window. The person may close the window and try again. */
let attempt: PromiseWithResolvers<void> | undefined;
onSessionEnd(() => attempt?.resolve());

async function prepare(kind: Kind, prefix: string): Promise<{ url: string; pending: PendingSignIn }> {
  const prompt = mustAskAccount(kind) ? 'login' : undefined;
  const { url, state, verifier } = await prepareSignIn(kind, prefix, prompt);
  return { url, pending: { kind, state, verifier, signOut: lastSignOut() } };
}

/** Leaves the page for the sign-in. */
export async function beginSignIn(kind: Kind): Promise<void> {
  const { url, pending } = await prepare(kind, '');
  sessionStorage.setItem(PENDING_KEY, JSON.stringify({ ...pending, view: location.hash }));
  location.assign(url);
}

/** Ends a sign-in if the authorization server has returned to this page. */
export async function endSignIn(): Promise<void> {
  const answer = sessionStorage.getItem(CALLBACK_KEY);
  const pending: PendingSignIn | null = JSON.parse(sessionStorage.getItem(PENDING_KEY) ?? 'null');
  sessionStorage.removeItem(CALLBACK_KEY);
  sessionStorage.removeItem(PENDING_KEY);
  if (answer === null || pending === null) return;
  startSession(await redeemAnswer(pending, new URLSearchParams(answer)), pending);
  if (pending.view) location.hash = pending.view;
}

/**
 * Ends the sessions of all tabs, and leaves for the sign-out at the authorization server if it offers one. The next sign-in in
 * this browser asks for the account again.
 */
export function signOut(): void {
  const session = currentSession();
  if (session === undefined) return;
  const { kind, idToken } = session;
  const endpoint = knownServer(kind)?.end_session_endpoint;
  if (endpoint !== undefined) leaveFor('sign-out');
  endSessions();
  if (endpoint === undefined) return;
  const url = new URL(endpoint);
  const parameters = {
    client_id: settingsOf(kind).clientId,
    post_logout_redirect_uri: SIGNED_OUT_URI,
    // Without a hint, servers ask the person or do not return to this page.
    ...(idToken !== undefined && { id_token_hint: idToken }),
    // Cognito has its own name for the address.
    ...(url.hostname.endsWith('.amazoncognito.com') && { logout_uri: SIGNED_OUT_URI }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}

/** Signs the person in again, in a second window. Ends without a result if a later attempt replaces this one, or the person signs out. */
export async function signInAgain(): Promise<void> {
  const session = currentSession();
  if (session === undefined) return;
  const { kind, sub, organization } = session;
  attempt?.resolve();
  attempt = Promise.withResolvers();
  const replaced = attempt.promise;
  // Before any `await`, so that the browser sees the click.
  const popup = window.open('', 'gatepass-sign-in', 'popup,width=480,height=640');
  const channel = new BroadcastChannel(SIGN_IN_CHANNEL);
  try {
    const { url, pending } = await prepare(kind, REPEATED);
    const answered = new Promise<string>((resolve) => {
      channel.onmessage = ({ data }) => {
        if (new URLSearchParams(data).get('state') === pending.state) resolve(data);
      };
    });
    if (popup === null) throw new Error('The browser blocked the window. Allow windows of this page, and try again.');
    popup.location.href = url;
    const answer = await Promise.race([answered, replaced]);
    if (answer === undefined) return;
    const renewed = await redeemAnswer(pending, new URLSearchParams(answer));
    followSignOut();
    if (currentSession() === undefined) return;
    // Another person, or the same one for another partner, must not continue this work.
    if (renewed.sub !== sub || renewed.organization !== organization) {
      // The authorization server may know the other account. It must ask at the next attempt.
      askAccount(kind);
      throw new Error('Sign in with the same account and organization as before, or sign out first.');
    }
    startSession(renewed, pending);
    popup.close();
  } finally {
    channel.close();
  }
}
