import { type Kind, SERVICE, settingsOf } from '../settings.ts';
import { knownServer, type PendingSignIn, prepareSignIn, redeemAnswer, SignInRefused } from './authorization-server.ts';
import { followHistory, guardHistory } from './back.ts';
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
  takeResumable,
} from './session.ts';

/** Signs people in and out. `sessionStorage` has the state and the verifier until a sign-in ends. */

const PENDING_KEY = 'gatepass-sign-in';
const SIGNED_OUT_URI = new URL('console', SERVICE).href;

/** The attempt in the second window. The person may close the window and try again. */
let attempt: PromiseWithResolvers<void> | undefined;
onSessionEnd(() => attempt?.resolve());

type Prompt = 'login' | 'none' | undefined;
const promptFor = (kind: Kind): Prompt => (mustAskAccount(kind) ? 'login' : undefined);

async function prepare(kind: Kind, prefix: string, prompt = promptFor(kind)) {
  const { url, state, verifier } = await prepareSignIn(kind, prefix, prompt);
  const pending: PendingSignIn = { kind, state, verifier, signOut: lastSignOut() };
  return { url, pending };
}

/** Leaves the page for the sign-in. Its entry in the history becomes that of the authorization server, so Back leads to neither. */
async function leave(kind: Kind, prompt?: Prompt): Promise<void> {
  const { url, pending } = await prepare(kind, '', prompt);
  const more = { view: location.hash, isSilent: prompt === 'none', historyLength: history.length };
  sessionStorage.setItem(PENDING_KEY, JSON.stringify({ ...pending, ...more }));
  location.replace(url);
}

export const beginSignIn = (kind: Kind) => leave(kind);

/**
 * Signs a person in again after a reload, without a question: the page leaves for the authorization server, which returns at once. A hidden
 * frame would lack the cookies of the server in most browsers. Returns whether the page leaves.
 */
export async function resumeSession(): Promise<boolean> {
  const kind = takeResumable();
  if (kind === undefined) return false;
  await leave(kind, 'none');
  return true;
}

/** The person must sign in again by a click. */
export class SessionEnded extends Error {}

/** Ends a sign-in if the authorization server has returned to this page. */
export async function endSignIn(): Promise<void> {
  followHistory();
  const answer = sessionStorage.getItem(CALLBACK_KEY);
  const pending: PendingSignIn | null = JSON.parse(sessionStorage.getItem(PENDING_KEY) ?? 'null');
  sessionStorage.removeItem(CALLBACK_KEY);
  sessionStorage.removeItem(PENDING_KEY);
  if (answer === null || pending === null) return;
  const { view = '', historyLength = history.length } = pending;
  // The way in from here must lead to the same view.
  if (view !== '') history.replaceState(history.state, '', view);
  try {
    startSession(await redeemAnswer(pending, new URLSearchParams(answer)), pending);
  } catch (error) {
    if (pending.isSilent && error instanceof SignInRefused)
      throw new SessionEnded(
        'Your session at the authorization server has ended. Sign in, and you return to this view.',
      );
    throw error;
  }
  guardHistory(history.length - historyLength);
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
