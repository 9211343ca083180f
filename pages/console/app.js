import { ApprovalsView } from './approvals.js';
import { AuditView, OperatorAuditView } from './audit.js';
import { FeedView } from './feed.js';
import { FindView } from './find.js';
import { networkOf } from './format.js';
import { HealthView } from './health.js';
import { IssueView } from './issue.js';
import { Problem, useAction, View } from './layout.js';
import { PassView } from './pass.js';
import { html, render, useEffect, useLayoutEffect, useRef, useState } from './preact.js';
import { SETTINGS } from './settings.js';
import {
  awaitsNewToken,
  beginSignIn,
  currentSession,
  endSignIn,
  hasScope,
  isLeaving,
  onSession,
  remainsOfSignOut,
  signInAgain,
  signOut,
} from './sign-in.js';
import { SignersView } from './signers.js';
import { StuckView } from './stuck.js';
import { AllUsageView, UsageView } from './usage.js';
import { WebhooksView } from './webhooks.js';
import { WhyView } from './why.js';

/** The views of each kind of person. A view needs its scope. */
const VIEWS = {
  staff: [
    { path: 'find', title: 'Find', scope: 'search', view: FindView },
    { path: 'issue', title: 'Issue', scope: 'issue', view: IssueView },
    { path: 'feed', title: 'Live feed', scope: 'search', view: FeedView },
    { path: 'webhooks', title: 'Webhooks', scope: 'webhook', view: WebhooksView },
    { path: 'usage', title: 'Usage', scope: 'search', view: UsageView },
    { path: 'audit', title: 'Audit', scope: 'search', view: AuditView },
  ],
  operator: [
    { path: 'signers', title: 'Signers', scope: 'read', view: SignersView },
    { path: 'stuck', title: 'Stuck passes', scope: 'read', view: StuckView },
    { path: 'why', title: 'Why not active', scope: 'read', view: WhyView },
    { path: 'approvals', title: 'Approvals', scope: 'read', view: ApprovalsView },
    { path: 'health', title: 'Webhooks and reconciliation', scope: 'read', view: HealthView },
    { path: 'all-usage', title: 'Usage', scope: 'read', view: AllUsageView },
    { path: 'all-audit', title: 'Audit', scope: 'read', view: OperatorAuditView },
  ],
};

function App({ error: signInError }) {
  const [, redraw] = useState(0);
  const [hash, setHash] = useState(location.hash);
  // A plain effect begins to listen after the page is shown, and misses an earlier change.
  useLayoutEffect(() => onSession(() => redraw((each) => each + 1)), []);
  useLayoutEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const session = currentSession();
  if (isLeaving()) return html`<main id="main"><p role="status">Signing out …</p></main>`;
  if (session === undefined) return html`<${SignIn} error=${signInError} />`;
  const views = VIEWS[session.kind].filter(({ scope }) => hasScope(scope));
  const [path, ...parameters] = hash.slice(2).split('/').map(decode);
  const current = views.find((view) => view.path === path) ?? views[0];
  return html`
    <a class="skip" href="#main" onClick=${focusMain}>Skip to the content</a>
    <header>
      <strong>Gatepass</strong>
      <nav aria-label="Views">
        ${views.map((view) => {
          const isCurrent = view === current && path !== 'pass';
          return html`<a href=${`#/${view.path}`} aria-current=${isCurrent ? 'page' : undefined}>${view.title}</a>`;
        })}
      </nav>
      <span class="person">${session.sub}</span>
      <button type="button" onClick=${signOut}>Sign out</button>
    </header>
    <main id="main" tabindex="-1">${viewOf(session.kind, path, parameters, current)}</main>
    ${awaitsNewToken() && html`<${SignInAgain} />`}
  `;
}

function viewOf(kind, path, parameters, current) {
  const [type, network, wallet] = parameters;
  if (kind === 'staff' && path === 'pass' && isPass(type, network, wallet) && hasScope('search'))
    return html`<${PassView} key=${parameters.join('/')} chain=${{ type, network }} wallet=${wallet} />`;
  if (current === undefined)
    return html`<${View} title="No rights"><p>Your account has no right in this console. Ask your administrator.</p><//>`;
  return html`<${current.view} key=${[current.path, ...parameters].join('/')} parameters=${parameters} />`;
}

/** Whether the address of the view names a pass. Any other text could become the path of another request. */
function isPass(type, network, wallet = '') {
  return networkOf(network)?.chain === type && /^[0-9A-Za-z]+$/.test(wallet);
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function focusMain(event) {
  // The hash is the view.
  event.preventDefault();
  document.querySelector('#main').focus();
}

const WAYS = [
  ['staff', 'Sign in as staff of a partner'],
  ['operator', 'Sign in as the operator'],
];

function SignIn({ error: earlier }) {
  const { run, isRunning, error } = useAction(beginSignIn);
  const remains = remainsOfSignOut();
  return html`<main id="main">
    <${View} title="Gatepass console">
      <p>Find, issue and manage passes.</p>
      ${remains && html`<p role="status">${remains}</p>`}
      <${Problem} error=${error ?? earlier} />
      <div class="actions">
        ${WAYS.filter(([kind]) => SETTINGS[kind]).map(
          ([kind, label]) =>
            html`<button type="button" class="primary" disabled=${isRunning} onClick=${() => run(kind)}>${label}</button>`,
        )}
      </div>
    <//>
  </main>`;
}

/** Work that waits for a token continues after the sign-in. It is modal, because a dialog with such work may be open. */
function SignInAgain() {
  const [error, setError] = useState();
  const dialog = useRef();
  const open = () => dialog.current?.showModal();
  useEffect(open, []);
  // The button stays enabled, because the person may have closed the window.
  const run = () => signInAgain().then(() => setError(undefined), setError);
  return html`<dialog ref=${dialog} role="alertdialog" aria-labelledby="expired" onClose=${open}>
    <h2 id="expired">Your sign-in has expired. Sign in again, and your work continues.</h2>
    <${Problem} error=${error} />
    <div class="actions">
      <button type="button" class="primary" onClick=${run}>Sign in again</button>
      <button type="button" onClick=${signOut}>Sign out and stop</button>
    </div>
  </dialog>`;
}

const app = document.querySelector('#app');
render(html`<main><p role="status">Signing in …</p></main>`, app);
const error = await endSignIn().catch((fault) => fault);
render(html`<${App} error=${error} />`, app);
