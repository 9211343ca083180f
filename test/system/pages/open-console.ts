import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { expect } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { eventually } from '../../eventually.ts';
import { LONG } from '../../form.ts';
import { type Browser, HANGS_AFTER_MS, type Page } from '../chromium.ts';

/** The console in a window of its own, with everything that the browser complains about. */

const SCREENSHOTS = join(PROJECT, 'test-artifacts');
mkdirSync(SCREENSHOTS, { recursive: true });

export interface ConsoleWindow {
  readonly page: Page;
  /** Messages of the browser: script errors, missing files, and violations of the content policy. */
  readonly complaints: string[];
  /** The hosts that received requests. */
  readonly hosts: Set<string>;
  /** The tokens that the page sent to the service. */
  readonly tokens: Set<string>;
  /** Signs in with an account of the localnet, at the way in that the button names. */
  signIn(account: string, way?: 'staff of a partner' | 'the operator'): Promise<void>;
  /** Signs out, also at the authorization server, and waits until the browser has returned. */
  signOut(): Promise<void>;
  /** Opens a view by its link. */
  show(view: string): Promise<void>;
  /** Waits until the view has the answers that it shows. */
  untilLoaded(): Promise<void>;
  /** Finds the passes of a wallet in the view "Find". */
  find(wallet: string): Promise<void>;
  /** Waits until the pass in the view has this state on chain. */
  untilOnChain(state: string): Promise<void>;
  /** Takes a picture for people. The short form takes one of a failure only. */
  screenshot(name: string): Promise<void>;
}

export async function openConsole(
  browser: Browser,
  baseUrl: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<ConsoleWindow> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  context.setDefaultTimeout(HANGS_AFTER_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  const hosts = new Set<string>();
  const tokens = new Set<string>();
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  context.on('request', (request) => {
    hosts.add(new URL(request.url()).host);
    const authorization = request.headers().authorization;
    if (authorization !== undefined) tokens.add(authorization);
  });
  await page.goto(`${baseUrl}/console`);
  await page.getByRole('heading', { name: 'Gatepass console' }).waitFor();
  return {
    page,
    complaints,
    hosts,
    tokens,
    async signIn(account, way = 'staff of a partner') {
      const before = tokens.size;
      await page.getByRole('button', { name: `Sign in as ${way}` }).click();
      // A narrow screen has the sign-out in the menu.
      const signedIn = page.getByRole('button', { name: /^(Sign out|Menu)$/ });
      // The authorization server may know the person still.
      await page.locator('button[name=account]').first().or(signedIn).first().waitFor();
      if (!(await signedIn.isVisible())) await chooseAccount(page, account);
      await signedIn.waitFor();
      expect(await page.locator('.person').textContent()).toBe(account);
      // The first view shows before it sends its request.
      await eventually(() => expect(tokens.size).toBeGreaterThan(before));
    },
    async signOut() {
      await page
        .getByRole('button', { name: /^Sign out/ })
        .last()
        .click();
      await page.getByText('You signed out in all tabs').waitFor();
    },
    async show(view) {
      const menu = page.getByRole('button', { name: 'Menu' });
      if (await menu.isVisible()) await menu.click();
      await page.getByRole('navigation').getByRole('link', { name: view, exact: true }).click();
      await page.getByRole('heading', { name: view, level: 1 }).waitFor();
    },
    async untilLoaded() {
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    },
    async find(wallet) {
      await page.getByRole('searchbox', { name: 'Wallet' }).fill(wallet);
      await page.getByRole('button', { name: 'Find' }).click();
    },
    async untilOnChain(state) {
      await page.locator('dt:has-text("On chain") + dd', { hasText: state }).waitFor();
    },
    async screenshot(name) {
      if (!LONG && !name.startsWith('failed-')) return;
      await page.screenshot({ path: join(SCREENSHOTS, `console-${name}.png`), fullPage: true });
    },
  };
}

/** Chooses an account on the sign-in page of the localnet, which has no buttons for the accounts of the tests. */
export async function chooseAccount(page: Page, account: string): Promise<void> {
  const button = page.locator('button[name=account]').first();
  await button.evaluate((element, value) => element.setAttribute('value', value), account);
  await button.click();
}

/** Expects that axe finds nothing serious in the view. */
export async function expectAccessible(page: Page, view: string): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(
    serious.map(({ id, nodes }) => `${view}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`),
    view,
  ).toEqual([]);
}
