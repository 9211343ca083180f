import { expect, inject, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { expectAccessible } from './open-console.ts';
import { openWindows } from './open-windows.ts';

/** The console for people who use a keyboard, a screen reader or a phone. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const open = openWindows();

/** The name of the element with the focus, as a script of the page. */
const FOCUSED = `(({ activeElement }) =>
  activeElement.getAttribute('aria-label') ?? activeElement.closest('label')?.textContent ?? activeElement.textContent)(document)`;

it('is accessible in every view with the light and the dark theme', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  const window = await open();
  const { page } = window;
  /** Checks the view in both themes. */
  async function check(view: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page, `${view}, ${colorScheme}`);
      if (view === 'Usage' || view === 'dialog') await window.screenshot(`${view.toLowerCase()}-${colorScheme}`);
    }
  }
  await check('sign-in');
  await window.signIn('staff');
  for (const view of ['Overview', 'Find', 'Issue', 'Live feed', 'Webhooks', 'Usage', 'Audit']) {
    await window.show(view);
    await window.untilLoaded();
    await check(view);
  }
  await window.show('Find');
  // The passes of other tests may be revoked, and have other buttons.
  await window.find(wallet);
  await page.getByRole('link', { name: wallet }).click();
  await page.getByRole('button', { name: 'Compare with the chain' }).waitFor();
  await check('Pass');
  await page.getByRole('button', { name: /Revoke/ }).click();
  await check('dialog');
});

it('works by keyboard alone', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  await acme.untilSettled('sepolia', wallet);
  const window = await open();
  const { page } = window;
  const { keyboard } = page;
  /** Moves the focus with the Tab key to the element with that name. */
  async function tabTo(name: RegExp): Promise<void> {
    for (let presses = 0; presses < 60; presses += 1) {
      await keyboard.press('Tab');
      const focused = await page.evaluate<string>(FOCUSED);
      if (name.test(focused.trim())) return;
    }
    throw new Error(`the Tab key does not reach ${name}`);
  }
  /** Waits until the view has taken the focus, which it does after its heading shows. */
  const untilFocused = (heading: string) => page.locator('h1:focus', { hasText: heading }).waitFor();
  await untilFocused('Gatepass console');
  await tabTo(/^Sign in as staff/);
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sign in to console' }).waitFor();
  await tabTo(/^Staff of the partner/);
  await keyboard.press('Enter');
  await untilFocused('Overview');
  await tabTo(/^Wallet/);
  await keyboard.type(wallet);
  await keyboard.press('Enter');
  await page.getByText('The passes of the wallet').waitFor();
  await tabTo(new RegExp(`^${wallet}`));
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Freeze' }).waitFor();
  await tabTo(/^Freeze$/);
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Freeze this pass?' }).waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await tabTo(/^Freeze$/);
  await keyboard.press('Enter');
  await tabTo(/^Freeze$/);
  await keyboard.press('Enter');
  await window.untilOnChain('FROZEN');
});

it('fits a screen of 360 pixels', async () => {
  await acme.issue('sepolia', freshWallet('sepolia'));
  const window = await open({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  const { page } = window;
  const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect(await overflow()).toBeLessThanOrEqual(0);
  await window.signIn('staff');
  for (const view of ['Overview', 'Find', 'Issue', 'Live feed', 'Webhooks', 'Usage', 'Audit']) {
    await window.show(view);
    await window.untilLoaded();
    expect(await overflow(), view).toBeLessThanOrEqual(0);
    await window.screenshot(`phone-${view.toLowerCase().replaceAll(' ', '-')}`);
  }
  await window.show('Find');
  await page.getByRole('cell').getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Pass' }).waitFor();
  await page.getByText('Timeline').first().waitFor();
  expect(await overflow(), 'Pass').toBeLessThanOrEqual(0);
  await window.screenshot('phone-pass');
});
