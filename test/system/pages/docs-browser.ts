import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { groupsOf } from '../../../tools/site/pages.ts';
import { LONG } from '../../form.ts';
import { type Browser, HANGS_AFTER_MS, type Page, startChromium } from '../chromium.ts';

/** The pages under /docs in a browser. Each test opens a page of its own, which the exported variables name. */

/** The folder of the screenshots. */
const SCREENSHOTS = join(PROJECT, 'test-artifacts');

export const facts = inject('gatepass');
export let browser: Browser;
export let page: Page;
/** Messages of the browser: script errors, missing files, and violations of the page's content policy. */
export let complaints: string[];
/** The hosts that received requests. */
export let requestedHosts: Set<string>;

/** Starts the browser for the tests of a file, which have a page each. */
export function useDocsBrowser(): void {
  beforeAll(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    browser = await startChromium();
  });
  afterEach(() => page.close());
  afterAll(() => browser.close());
}

export const SLUGS = groupsOf('partners').flatMap(({ pages }) =>
  pages.map(({ slug }) => (slug === 'index' ? '' : slug)),
);

/** Opens a page, and collects its complaints from then on. */
export async function openPage(
  address = '',
  options: Parameters<Browser['newPage']>[0] = { viewport: { width: 1280, height: 1000 } },
) {
  page = await browser.newPage(options);
  page.setDefaultTimeout(HANGS_AFTER_MS);
  complaints = [];
  requestedHosts = new Set();
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requestedHosts.add(new URL(request.url()).host));
  await page.goto(`${facts.baseUrl}${address}`);
  // The page answers clicks from then on.
  await page.locator('.VPNav').waitFor();
}

/** Adds a table to the page, whose only cell has the words `made-up-1` to `made-up-40`. It is for a test of a check. */
export async function addTable(): Promise<void> {
  const words = Array.from({ length: 40 }, (_, index) => `made-up-${index + 1}`).join(' ');
  const rows = `<thead><tr><th>Words</th></tr></thead><tbody><tr><td data-label="Words">${words}</td></tr></tbody>`;
  const table = `<div class="table-frame"><table>${rows}</table></div>`;
  await page.evaluate(`document.querySelector('.vp-doc h1').insertAdjacentHTML('afterend', ${JSON.stringify(table)})`);
}

/** Opens the API reference. It is large, so each test opens it once. */
export async function open(options?: Parameters<Browser['newPage']>[0]) {
  await openPage('/docs/reference', options);
  await page.locator('.opblock').first().waitFor();
}

export const ours = () => new URL(facts.baseUrl).host;
/** Takes a picture for people, in the long form only. */
export const takeScreenshot = async (name: string) => {
  if (LONG) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
};

/** Fills in the credentials in the dialog behind the button. */
export async function authorize(clientId: string, clientSecret: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).click();
  const field = page.getByLabel('client_id:');
  // The fields of this grant must be below the top of the dialog.
  const [inner, outer] = await Promise.all([field.boundingBox(), page.locator('.modal-ux-content').boundingBox()]);
  expect(inner?.y).toBeGreaterThan(outer?.y ?? Number.POSITIVE_INFINITY);
  await field.fill(clientId);
  await page.getByLabel('client_secret:').fill(clientSecret);
  await page.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click();
}

/** Opens an operation, fills in its form and sends it; resolves to the answer that the page shows. */
export async function tryOut(operation: string, fillIn: (form: ReturnType<Page['locator']>) => Promise<void>) {
  const form = page.locator(`#operations-Passes-${operation}`);
  await form.locator('.opblock-summary-control').click();
  await form.getByRole('button', { name: 'Try it out' }).click();
  await fillIn(form);
  await form.getByRole('button', { name: 'Execute' }).click();
  const shown = form.locator('.live-responses-table');
  await shown.waitFor();
  const [status] = await shown.locator('tbody .response-col_status').allInnerTexts();
  const [body = ''] = await shown.locator('.microlight').allInnerTexts();
  return { status: status?.trim(), record: JSON.parse(body) };
}
