import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { expect } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { LONG } from '../../form.ts';
import { type Browser, HANGS_AFTER_MS, type Page } from '../chromium.ts';

/** The example dApp in a window of its own, with everything that the browser complains about. */

const SCREENSHOTS = join(PROJECT, 'test-artifacts');
const WIDTHS = [375, 1280];
/** The state of the hook, and the name that users of Civic's packages have in their code. */
const STATUSES = {
  none: 'NOT_REQUESTED',
  requested: 'IN_REVIEW',
  active: 'ACTIVE',
  expiring: 'REFRESH_TOKEN_REQUIRED',
  expired: 'REFRESH_TOKEN_REQUIRED',
  frozen: 'FROZEN',
  revoked: 'REVOKED',
  rejected: 'REJECTED',
  'no-answer': 'ERROR',
} as const;

export interface DappWindow {
  readonly page: Page;
  /** Messages of the browser: script errors, missing files, and violations of the content policy. */
  readonly complaints: readonly string[];
  /** The tokens and secrets that the page sent anywhere: none. */
  readonly authorizations: readonly string[];
  /** Connects the test wallet of the chain, and resolves to its address. */
  connect(chain: 'Ethereum' | 'Solana'): Promise<string>;
  /** Presses a switch of the test wallet. */
  press(chain: 'Ethereum' | 'Solana', name: string): Promise<void>;
  /** Waits until the page shows this state, and whether it admits the wallet. */
  untilShown(state: keyof typeof STATUSES, admitted: boolean): Promise<void>;
  /** Presses the button of the pass. */
  ask(name: string): Promise<void>;
  /** Expects that axe finds nothing at both widths and in both color schemes. Takes pictures for people, in the long form only. */
  inspect(name: string): Promise<void>;
  close(): Promise<void>;
}

export async function openDapp(browser: Browser, url: string): Promise<DappWindow> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(HANGS_AFTER_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  const authorizations: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const { authorization } = request.headers();
    if (authorization !== undefined) authorizations.push(authorization);
  });
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const switchesOf = (chain: string) => page.getByRole('group', { name: chain });
  return {
    page,
    complaints,
    authorizations,
    async connect(chain) {
      await page.getByRole('button', { name: `Connect Test wallet (${chain})` }).click();
      return String(await page.getByTestId('address').textContent());
    },
    press: (chain, name) => switchesOf(chain).getByRole('button', { name }).click(),
    async untilShown(state, admitted) {
      await page.locator(`[data-testid=state][data-state="${state}"]`).waitFor();
      await page.getByTestId('status').getByText(STATUSES[state], { exact: true }).waitFor();
      await page.getByText('Welcome. Today').waitFor({ state: admitted ? 'visible' : 'hidden' });
    },
    ask: (name) => page.getByRole('button', { name }).click(),
    async inspect(name) {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        for (const colorScheme of ['dark', 'light'] as const) {
          await page.emulateMedia({ colorScheme });
          await expectNoFindings(page, `${name} at ${width}, ${colorScheme}`);
        }
        const isTooWide = await page.evaluate('document.scrollingElement.scrollWidth > window.innerWidth');
        expect(isTooWide, `${name} is wider than ${width}`).toBe(false);
        if (!LONG) continue;
        mkdirSync(SCREENSHOTS, { recursive: true });
        await page.screenshot({ path: join(SCREENSHOTS, `dapp-${name}-${width}.png`), fullPage: true });
      }
    },
    close: () => context.close(),
  };
}

async function expectNoFindings(page: Page, view: string): Promise<void> {
  // Not as a script of the page, which its content policy would refuse.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
    view,
  ).toEqual([]);
}
