import { CALLBACK_KEY, REPEATED, SIGN_IN_CHANNEL } from './session/callback-channel.ts';

// The code must not stay in the history of the browser.
const answer = location.search;
history.replaceState(undefined, '', location.pathname);
if ((new URLSearchParams(answer).get('state') ?? '').startsWith(REPEATED)) {
  // Another window of the console waits for this answer. Only that window has the verifier.
  new BroadcastChannel(SIGN_IN_CHANNEL).postMessage(answer);
  window.close();
} else {
  sessionStorage.setItem(CALLBACK_KEY, answer);
  location.replace('../console');
}
