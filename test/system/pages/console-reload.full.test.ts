import { expect, inject, it } from 'vitest';
import type { Page } from '../chromium.ts';
import { chooseAccount } from './open-console.ts';
import { openWindows } from './open-windows.ts';

/** A reload of the console, and the way back from it. */

const facts = inject('gatepass');
const open = openWindows();

/** The values of `prompt` in the sign-ins of the page, by order. */
function promptsOf(page: Page): (string | null)[] {
  const prompts: (string | null)[] = [];
  page.on('request', (request) => {
    const { searchParams } = new URL(request.url());
    if (searchParams.has('code_challenge')) prompts.push(searchParams.get('prompt'));
  });
  return prompts;
}

const signOutButton = (page: Page) => page.getByRole('button', { name: 'Sign out' });

it('keeps session and view through each reload without a question, and no token in the storage', async () => {
  const window = await open();
  const { page, tokens } = window;
  await window.signIn('staff');
  const prompts = promptsOf(page);
  await window.show('Usage');
  for (const reload of [1, 2]) {
    await page.reload();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    expect(prompts).toHaveLength(reload);
  }
  expect(new Set(prompts)).toEqual(new Set(['none']));
  expect(await page.locator('.person').textContent()).toBe('staff');
  const stored = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
  expect(stored).not.toMatch(/eyJ|verifier/);
  for (const token of tokens) expect(stored).not.toContain(token.slice('Bearer '.length));
});

it('offers a sign-in with one click if the authorization server has forgotten the person, and returns to the view', async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await window.show('Usage');
  await page.context().clearCookies();
  const prompts = promptsOf(page);
  await page.reload();
  await page.getByText('Your session at the authorization server has ended.').waitFor();
  // Another reload does not ask the server again.
  await page.reload();
  await page.getByRole('button', { name: 'Sign in as staff of a partner' }).waitFor();
  expect(prompts).toEqual(['none']);
  await page.getByRole('button', { name: 'Sign in as staff of a partner' }).click();
  await chooseAccount(page, 'staff');
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
});

it('offers a sign-in if the authorization server does not answer after a reload', async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await page.route('**/.well-known/openid-configuration', (route) => route.abort());
  await page.reload();
  await page.getByRole('button', { name: 'Sign in as staff of a partner' }).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

it('signs nobody in by itself after a sign-out, in this tab or another', async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  const other = await page.context().newPage();
  await other.goto(`${facts.baseUrl}/console`);
  await other.getByRole('button', { name: 'Sign in as staff of a partner' }).click();
  await signOutButton(other).waitFor();
  await window.signOut();
  const prompts = [promptsOf(page), promptsOf(other)];
  for (const tab of [page, other]) {
    await tab.reload();
    await tab.getByRole('button', { name: 'Sign in as staff of a partner' }).waitFor();
    expect(await signOutButton(tab).count()).toBe(0);
  }
  expect(prompts).toEqual([[], []]);
});

it('leads back to the page before the console, and never to the authorization server', async () => {
  const window = await open();
  const { page } = window;
  const visited: string[] = [];
  await page.goto(`${facts.baseUrl}/docs/`);
  await page.goto(`${facts.baseUrl}/console`);
  await window.signIn('staff');
  await window.show('Usage');
  page.on('framenavigated', (frame) => visited.push(frame.url()));
  await page.goBack();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goBack().catch(() => undefined);
  await page.waitForURL(/\/docs/);
  expect(visited.filter((url) => url.startsWith(facts.issuer))).toEqual([]);
});
