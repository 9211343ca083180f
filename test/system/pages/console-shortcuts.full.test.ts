import { expect, inject, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { Page } from '../chromium.ts';
import { expectAccessible } from './open-console.ts';
import { openWindows } from './open-windows.ts';

/** The keyboard shortcuts of the console, and its form on screens of every width. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const open = openWindows();

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

it('opens views, focuses the search, and moves through a list by keys', async () => {
  for (let passes = 0; passes < 2; passes += 1) await acme.issue('sepolia', freshWallet('sepolia'));
  const window = await open();
  const { page } = window;
  const { keyboard } = page;
  await window.signIn('staff');
  for (const [key, view] of [
    ['u', 'Usage'],
    ['a', 'Audit'],
    ['f', 'Find'],
  ] as const) {
    await keyboard.press('g');
    await keyboard.press(key);
    await heading(page, view);
  }
  const links = page.locator('.list tbody a');
  await links.nth(1).waitFor();
  for (const [key, row] of [
    ['j', 0],
    ['j', 1],
    ['k', 0],
  ] as const) {
    await keyboard.press(key);
    await expect.poll(() => links.nth(row).evaluate((link) => link === link.ownerDocument.activeElement)).toBe(true);
  }
  await keyboard.press('/');
  // In a field, the same keys are text.
  await keyboard.type('gu?/');
  expect(await page.getByRole('searchbox', { name: 'Wallet' }).inputValue()).toBe('gu?/');
  await heading(page, 'Find');
});

it('lists the keys, and somebody may turn them off and on', async () => {
  const window = await open();
  const { page } = window;
  const { keyboard } = page;
  await window.signIn('staff');
  await heading(page, 'Overview');
  await keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await list.getByText('Next row of a list').waitFor();
  await expectAccessible(page, 'the list of shortcuts');
  await list.getByLabel('Use keyboard shortcuts').uncheck();
  await keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await keyboard.press('g');
  await keyboard.press('u');
  await page.reload();
  await heading(page, 'Overview');
  await keyboard.press('?');
  // An open list would cover the button.
  await page.getByRole('button', { name: /^Shortcuts/ }).click();
  await list.getByLabel('Use keyboard shortcuts').check();
  await keyboard.press('Escape');
  await keyboard.press('g');
  await keyboard.press('u');
  await heading(page, 'Usage');
});

const VIEWS = ['Overview', 'Find', 'Issue', 'Live feed', 'Webhooks', 'Usage', 'Audit'];

it.each([320, 375, 640, 768, 1024, 1280, 1600])(
  'fits a screen of %s pixels without a horizontal scroll',
  async (width) => {
    const wallet = freshWallet('sepolia');
    await acme.issue('sepolia', wallet, { reference: 'r'.repeat(128) });
    const window = await open({ viewport: { width, height: 740 } });
    const { page } = window;
    const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(await overflow(), 'sign-in').toBeLessThanOrEqual(0);
    await window.signIn('staff');
    for (const view of VIEWS) {
      await window.show(view);
      await window.untilLoaded();
      expect(await overflow(), view).toBeLessThanOrEqual(0);
    }
    await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallet}`);
    await page.getByRole('button', { name: 'Compare with the chain' }).waitFor();
    expect(await overflow(), 'Pass').toBeLessThanOrEqual(0);
  },
);

it('has a low header with a menu on a phone, which closes after a choice and with Escape', async () => {
  const window = await open({ viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true });
  const { page } = window;
  await window.signIn('staff');
  const menu = page.getByRole('button', { name: 'Menu' });
  const links = page.getByRole('navigation', { name: 'Views' });
  expect((await page.locator('header').boundingBox())?.height).toBeLessThanOrEqual(56);
  expect(await links.isVisible()).toBe(false);
  await menu.click();
  await links.getByRole('link', { name: 'Usage' }).waitFor();
  expect(await menu.getAttribute('aria-expanded')).toBe('true');
  await expectAccessible(page, 'the open menu');
  await page.keyboard.press('Escape');
  await links.waitFor({ state: 'hidden' });
  await window.show('Audit');
  await links.waitFor({ state: 'hidden' });
  // Every card names its columns, and screen readers still get a table.
  const row = page.getByRole('table', { name: 'Audit trail' }).getByRole('row').nth(1);
  await row.getByRole('cell').first().waitFor();
  expect(await row.getByRole('cell').first().getAttribute('data-label')).toBe('Time');
});
