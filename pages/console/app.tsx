import { render } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Header } from './layout/header.tsx';
import { LazyView } from './layout/lazy-view.tsx';
import { type Route, useRoute } from './layout/route.ts';
import { ShortcutList, useShortcuts } from './layout/shortcuts.tsx';
import { View } from './layout/view.tsx';
import { networkOf } from './passes/networks.ts';
import { awaitsNewToken, currentSession, hasScope, leavesFor, onSession, type Session } from './session/session.ts';
import { endSignIn, resumeSession } from './session/sign-in.ts';
import { SignInAgain, SignInPage } from './session/sign-in-page.tsx';
import { loadPassView, loadSubjectView, VIEWS } from './views.ts';

const LEAVING = { 'sign-in': 'Signing in …', 'sign-out': 'Signing out …' } as const;

function App({ error }: { readonly error: unknown }) {
  const [, redraw] = useState(0);
  // A plain effect begins to listen after the page is shown, and misses an earlier change.
  useLayoutEffect(() => onSession(() => redraw((each) => each + 1)), []);
  const route = useRoute();
  const session = currentSession();
  const leaving = leavesFor();
  if (leaving !== undefined) return <Waiting text={LEAVING[leaving]} />;
  if (session === undefined) return <SignInPage error={error} />;
  return <Console session={session} route={route} />;
}

const Waiting = ({ text }: { readonly text: string }) => (
  <main id="main" class="sign-in">
    <p role="status">{text}</p>
  </main>
);

function Console({ session, route }: { readonly session: Session; readonly route: Route }) {
  const views = VIEWS[session.kind].filter(({ scope }) => hasScope(scope));
  const { isOpen, setOpen } = useShortcuts(views);
  const named = session.kind === 'staff' && hasScope('search') ? namedView(route) : undefined;
  const current = named === undefined ? (views.find(({ path }) => path === route.path) ?? views[0]) : undefined;
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: It moves the focus on this page, and the hash is the view. */}
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <Header views={views} current={current?.path} openShortcuts={() => setOpen(true)} />
      <main id="main" tabIndex={-1}>
        <Current {...route} load={named ?? current?.load} />
      </main>
      {isOpen && <ShortcutList views={views} onClose={() => setOpen(false)} />}
      {awaitsNewToken() && <SignInAgain />}
    </>
  );
}

type LoadView = (typeof VIEWS)['staff'][number]['load'];

interface CurrentProps extends Route {
  readonly load: LoadView | undefined;
}

function Current({ load, path, parameters, query }: CurrentProps) {
  if (load === undefined)
    return (
      <View title="No rights">
        <p>Your account has no right in this console. Ask your administrator.</p>
      </View>
    );
  return <LazyView key={[path, ...parameters].join('/')} load={load} parameters={parameters} query={query} />;
}

/** Returns the view of the pass or of the person that the address names; undefined: it names neither. */
function namedView(route: Route): LoadView | undefined {
  if (route.path === 'subject') return loadSubjectView;
  return isPassRoute(route) ? loadPassView : undefined;
}

/** Whether the address of the view names a pass. Any other text could become the path of another request. */
function isPassRoute({ path, parameters: [type, network = '', wallet = ''] }: Route): boolean {
  return path === 'pass' && networkOf(network)?.chain === type && /^[0-9A-Za-z]+$/.test(wallet);
}

function focusMain(event: Event): void {
  // The hash is the view.
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

const app = document.querySelector('#app');
if (app !== null) {
  render(<Waiting text="Signing in …" />, app);
  const error = await endSignIn().catch((fault: unknown) => fault);
  // A fault of the sign-in without a question is none for the person, who has not asked for it.
  const leaves = currentSession() === undefined && error === undefined && (await resumeSession().catch(() => false));
  if (!leaves) render(<App error={error} />, app);
}
