/** How the page to which the authorization server returns hands its answer over. Both sides load this file alone. */

/** In `sessionStorage`: the answer to a sign-in in this window. */
export const CALLBACK_KEY = 'gatepass-callback';
/** The broadcast channel for the answer to a sign-in in a second window. */
export const SIGN_IN_CHANNEL = 'gatepass-sign-in';
/** Begins the state of a sign-in in a second window. */
export const REPEATED = 'repeated.';
