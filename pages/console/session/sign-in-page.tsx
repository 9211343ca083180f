import { useEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../layout/load.ts';
import { Problem, View } from '../layout/view.tsx';
import { type Kind, SETTINGS } from '../settings.ts';
import { remainsOfSignOut } from './session.ts';
import { beginSignIn, SessionEnded, signInAgain, signOut } from './sign-in.ts';

const WAYS: readonly (readonly [Kind, string])[] = [
  ['staff', 'Sign in as staff of a partner'],
  ['operator', 'Sign in as the operator'],
];

/** Returns the ways in. A person needs no choice if there is only one. */
function waysIn(): typeof WAYS {
  const ways = WAYS.filter(([kind]) => SETTINGS[kind]);
  return ways.length === 1 ? ways.map(([kind]) => [kind, 'Sign in'] as const) : ways;
}

/** The page of a person who has not signed in. */
export function SignInPage({ error: earlier }: { readonly error: unknown }) {
  const { run, isRunning, error } = useAction(beginSignIn);
  const remains = remainsOfSignOut();
  return (
    <main id="main" class="sign-in">
      <View title="Gatepass console">
        <p>Find, issue and manage passes.</p>
        {remains !== null && <p role="status">{remains}</p>}
        {earlier instanceof SessionEnded && <p role="status">{earlier.message}</p>}
        <Problem error={error ?? (earlier instanceof SessionEnded ? undefined : earlier)} />
        <div class="actions">
          {waysIn().map(([kind, label]) => (
            <button key={kind} type="button" class="primary" disabled={isRunning} onClick={() => run(kind)}>
              {label}
            </button>
          ))}
        </div>
      </View>
    </main>
  );
}

/** Work that waits for a token continues after the sign-in. It is modal, because a dialog with such work may be open. */
export function SignInAgain() {
  const [error, setError] = useState<unknown>();
  const dialog = useRef<HTMLDialogElement>(null);
  const open = () => dialog.current?.showModal();
  useEffect(open, []);
  // The button stays enabled, because the person may have closed the window.
  const run = () => signInAgain().then(() => setError(undefined), setError);
  return (
    <dialog ref={dialog} role="alertdialog" aria-labelledby="expired" onClose={open}>
      <h2 id="expired">Your sign-in has expired. Sign in again, and your work continues.</h2>
      <Problem error={error} />
      <div class="actions">
        <button type="button" class="primary" onClick={run}>
          Sign in again
        </button>
        <button type="button" onClick={signOut}>
          Sign out and stop
        </button>
      </div>
    </dialog>
  );
}
