import { expect, inject, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { openWindows } from './open-windows.ts';

/** The rights of a person in the console, and the content policy of the page. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const open = openWindows();

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;

it('shows staff of another partner nothing of this partner', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  const window = await open();
  const { page } = window;
  await window.signIn('globex-staff');
  await window.find(wallet);
  await page.getByText('This wallet has no pass.').waitFor();
  // The parts of the address are no path.
  await page.goto(`${facts.baseUrl}/console#/pass/../../x`);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallet}`);
  await page.getByText(`The wallet ${wallet} has no pass on sepolia.`).waitFor();
  await page.getByRole('link', { name: 'Issue one' }).click();
  await page.getByRole('heading', { name: 'Issue', exact: true }).waitFor();
  const form = page.locator('form').first();
  expect(await form.getByLabel('Network').inputValue()).toBe('sepolia');
  expect(await form.getByLabel('Wallet').inputValue()).toBe(wallet);
});

it('shows no buttons to a person without the scope, and the service refuses a request of that person', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  const window = await open();
  const { page, tokens } = window;
  await window.signIn('viewer-staff');
  expect(await page.getByRole('navigation', { name: 'Views' }).getByRole('link').allTextContents()).toEqual([
    'Overview',
    'Find',
    'Live feed',
    'Usage',
    'Audit',
  ]);
  await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallet}`);
  await page.getByText('Timeline').first().waitFor();
  const buttons = page.getByRole('main').getByRole('button');
  for (const button of await buttons.all()) expect(await button.getAttribute('aria-label')).toMatch(/^Copy /);
  const [authorization = ''] = tokens;
  for (const [method, path] of [
    ['PATCH', `pass/ethereum/sepolia/${wallet}`],
    ['DELETE', `pass/ethereum/sepolia/${wallet}`],
    ['POST', 'passes'],
    ['GET', 'webhooks'],
  ]) {
    const response = await fetch(`${facts.baseUrl}/${path}`, { method: method ?? '', headers: { authorization } });
    expect([response.status, await codeOf(response)]).toEqual([403, 'insufficient_scope']);
  }
});

it('gives a person without an organization no right anywhere', async () => {
  const window = await open();
  const { page, tokens } = window;
  await window.signIn('stranger');
  await page
    .getByRole('alert')
    .getByText(/must name the organization of the person/)
    .waitFor();
  await window.show('Usage');
  await page
    .getByRole('alert')
    .getByText(/must name the organization of the person/)
    .waitFor();
  const [authorization = ''] = tokens;
  for (const path of ['usage', 'events', 'webhooks', `pass/ethereum/sepolia/${freshWallet('sepolia')}`]) {
    const response = await fetch(`${facts.baseUrl}/${path}`, { headers: { authorization } });
    expect([response.status, await codeOf(response)]).toEqual([403, 'client_unknown']);
  }
});

it('has a strict content policy, no inline script and no inline style', async () => {
  for (const path of ['console', 'console/callback']) {
    const response = await fetch(`${facts.baseUrl}/${path}`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain(`connect-src 'self' ${new URL(facts.issuer).origin};`);
    expect(policy).not.toMatch(/unsafe|\*|data:.*script/);
    const text = await response.text();
    expect(text).not.toMatch(/<script(?![^>]*src=)|style=|\son\w+=/);
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//);
  }
});
