import { expect, inject, it } from 'vitest';
import type { Page } from '../chromium.ts';
import { chooseAccount, expectAccessible } from './open-console.ts';
import { openWindows } from './open-windows.ts';

/** The sign-out of the console ends the sessions of all tabs, and the one at the authorization server. */

const facts = inject('gatepass');
const open = openWindows();

const SIGN_IN = 'Sign in as staff of a partner';

async function newTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(`${facts.baseUrl}/console`);
  await tab.getByRole('heading', { name: 'Gatepass console' }).waitFor();
  return tab;
}

/** Clicks the sign-in in a new tab, which signs the person in without a question as long as the server knows the person. */
async function signedInTab(page: Page, way = SIGN_IN): Promise<Page> {
  const tab = await newTab(page);
  await tab.getByRole('button', { name: way }).click();
  await tab.getByRole('button', { name: 'Sign out' }).waitFor();
  return tab;
}

/** The requests of the browser to the authorization server, by path. */
function requestsTo(page: Page): URL[] {
  const requests: URL[] = [];
  page.context().on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin === facts.issuer) requests.push(url);
  });
  return requests;
}

const REVOCATION = '/token/revocation';

/**
 * Has each document that opens from now on note its revocations, with whether they outlive the document. A browser does not report every
 * request of a document that it leaves.
 */
async function noteRevocations(page: Page): Promise<void> {
  await page.context().addInitScript((path) => {
    const send = globalThis.fetch;
    globalThis.fetch = (target, options) => {
      const isNoted = String(target).endsWith(path);
      if (isNoted) localStorage.setItem(`${path}/${crypto.randomUUID()}`, String(options?.keepalive));
      return send(target, options);
    };
  }, REVOCATION);
}

const notedRevocations = (page: Page) =>
  page.evaluate(
    (path) => Object.entries(localStorage).flatMap(([name, value]) => (name.startsWith(path) ? value : [])),
    REVOCATION,
  );

it.each([
  ['staff', 'staff of a partner'],
  ['operator', 'the operator'],
] as const)(
  'ends the sessions of all tabs of %s, and the next sign-in in any tab asks for the account',
  async (account, way) => {
    const window = await open();
    const { page } = window;
    await noteRevocations(page);
    await window.signIn(account, way);
    const other = await signedInTab(page, `Sign in as ${way}`);
    const requests = requestsTo(page);
    await window.signOut();
    await other.getByText('You signed out in all tabs').waitFor();
    expect(await other.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
    await expect.poll(() => notedRevocations(other)).toEqual(['true', 'true']);
    const ended = requests.find(({ pathname }) => pathname === '/session/end')?.searchParams;
    expect(ended?.get('post_logout_redirect_uri')).toBe(`${facts.baseUrl}/console`);
    expect(ended?.get('id_token_hint')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    // The page is the one that the browser returned to.
    expect(page.url()).toBe(`${facts.baseUrl}/console`);
    await expectAccessible(page, 'the page after a sign-out');
    for (const tab of [page, other]) {
      await tab.getByRole('button', { name: `Sign in as ${way}` }).click();
      await tab.waitForURL(/\/sign-in\//);
    }
  },
);

it.each([
  ['knows the person still', false],
  ['has ended its session', true],
])(
  'asks for the account in a new tab after the tabs are closed, though the authorization server %s',
  async (_, offers) => {
    const window = await open();
    const { page } = window;
    if (!offers)
      await page.context().route('**/.well-known/openid-configuration', async (route) => {
        const response = await route.fetch();
        const { end_session_endpoint: _end, revocation_endpoint: _revoke, ...metadata } = await response.json();
        await route.fulfill({ response, json: metadata });
      });
    await window.signIn('staff');
    await window.signOut();
    const still = page.getByText('which offers this page no sign-out');
    expect(await still.count()).toBe(offers ? 0 : 1);
    await page.getByText('The service would accept a copy of it until').waitFor();
    const tab = await newTab(page);
    await page.close();
    await tab.getByRole('button', { name: SIGN_IN }).click();
    await tab.waitForURL(/\/sign-in\//);
    await chooseAccount(tab, 'globex-staff');
    await tab.getByText('globex-staff').waitFor();
    // The kind of person that nobody has signed in as since then asks too.
    const operator = await newTab(tab);
    await operator.getByRole('button', { name: 'Sign in as the operator' }).click();
    await operator.waitForURL(/\/sign-in\//);
  },
);

it('does not count a sign-in that began before the sign-out', async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  const late = await newTab(page);
  await page.context().clearCookies();
  await late.getByRole('button', { name: SIGN_IN }).click();
  await late.waitForURL(/\/sign-in\//);
  await window.signOut();
  await chooseAccount(late, 'staff');
  await late.getByRole('alert').getByText('You signed out in the meantime.').waitFor();
  expect(await late.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
});

it('ends the session of a tab that has not heard of the sign-out, before the tab sends its next request', async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  // A tab gets no event of its own writes, as a frozen tab gets none of others.
  await page.evaluate("localStorage.setItem('gatepass-sign-out', 'in another tab'); location.hash = '#/usage'");
  await page.getByText('You signed out in all tabs').waitFor();
  expect(requests.filter((url) => url.includes('/usage?'))).toEqual([]);
});

it('keeps no token and no account in the storage of the browser', async () => {
  const window = await open();
  const { page, tokens } = window;
  await window.signIn('staff');
  await window.signOut();
  const stored = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
  for (const token of tokens) expect(stored).not.toContain(token.slice('Bearer '.length));
  expect(stored).not.toMatch(/eyJ|org_acme|"staff"/);
});
