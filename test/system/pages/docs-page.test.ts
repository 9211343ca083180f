import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../localnet/partner/localnet-partner.ts';
import { PROJECT } from '../../../scripts/wrangler.ts';
import { DOCS_GUIDES } from '../../../src/http/pages/files.ts';
import { LONG } from '../../form.ts';
import { type Browser, HANGS_AFTER_MS, type Page, startChromium } from '../chromium.ts';

/** The pages under /docs in a browser. */

/** The folder of the screenshots. */
const SCREENSHOTS = join(PROJECT, 'test-artifacts');

const facts = inject('gatepass');
let browser: Browser;
let page: Page;
/** Messages of the browser: script errors, missing files, and violations of the page's content policy. */
let complaints: string[];
/** The hosts that received requests. */
let requestedHosts: Set<string>;

beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  browser = await startChromium();
});

afterAll(() => browser.close());

afterEach(() => page.close());

/** Opens the page of the API. It is large, so each test opens it once. */
async function open(options: Parameters<Browser['newPage']>[0] = { viewport: { width: 1280, height: 1000 } }) {
  page = await browser.newPage(options);
  page.setDefaultTimeout(HANGS_AFTER_MS);
  complaints = [];
  requestedHosts = new Set();
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requestedHosts.add(new URL(request.url()).host));
  await page.goto(facts.baseUrl);
  await page.locator('.opblock').first().waitFor();
}

const ours = () => new URL(facts.baseUrl).host;
/** Takes a picture for people, in the long form only. */
const takeScreenshot = async (name: string) => {
  if (LONG) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
};

/** Fills in the credentials in the dialog behind the button. */
async function authorize(clientId: string, clientSecret: string): Promise<void> {
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
async function tryOut(operation: string, fillIn: (form: ReturnType<Page['locator']>) => Promise<void>) {
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

it('the origin of the service leads to the page, which shows every operation and requests nothing from other hosts', async () => {
  await open();
  expect([page.url(), await page.title()]).toEqual([`${facts.baseUrl}/docs`, 'Gatepass API']);
  const operations = await page.locator('.opblock .opblock-summary-path').allInnerTexts();
  expect(operations.map((text) => text.replaceAll('\u200b', ''))).toEqual(
    expect.arrayContaining(['/pass', '/admin/stuck']),
  );
  expect(operations).toHaveLength(57);
  await takeScreenshot('docs-page');

  // A link of another site cannot make the page show another service.
  const other = encodeURIComponent('https://evil.example/openapi.json');
  await page.goto(`${facts.baseUrl}/docs?url=${other}&configUrl=${other}&urls=${other}`);
  await page.locator('.opblock').first().waitFor();
  expect([complaints, [...requestedHosts]]).toEqual([[], [ours()]]);
});

it('the page fetches a token, issues a pass and shows it active, and stores nothing', async () => {
  await open();
  const { tokenUrl, partners } = facts;
  const [{ clientId, clientSecret } = { clientId: '', clientSecret: '' }] = partners;
  await authorize(clientId, clientSecret);
  await page.getByRole('button', { name: 'Remove authorization' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).first().click();

  const walletAddress = freshWallet('sepolia');
  const issued = await tryOut('issuePass', (form) => form.locator('textarea').fill(JSON.stringify({ walletAddress })));
  expect(issued).toMatchObject({ status: '202', record: { walletAddress, chain: { network: 'sepolia' } } });

  // A busy machine may need longer than the service waits.
  await new LocalnetPartner(facts, 'acme').untilSettled('sepolia', walletAddress);
  const fetched = await tryOut('getPass', async (form) => {
    await form.getByPlaceholder('wallet').fill(walletAddress);
    await form.getByPlaceholder('Prefer').fill('wait=20');
  });
  expect(fetched).toMatchObject({
    status: '200',
    record: { id: issued.record.id, onChainState: 'ACTIVE', state: 'ACTIVE' },
  });
  await page.locator('#operations-Passes-getPass .live-responses-table .microlight').last().scrollIntoViewIfNeeded();
  await takeScreenshot('docs-page-pass');

  expect([complaints, requestedHosts]).toEqual([[], new Set([ours(), new URL(tokenUrl).host])]);
  const kept = await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]');
  expect(kept).toEqual([0, 0, '']);
});

it('the examples of the page fit together, and the page shows errors', async () => {
  await open();
  const { status, record } = await tryOut('issuePass', async () => undefined);
  expect([status, record.code]).toEqual(['401', 'token_missing']);
  const form = page.locator('#operations-Passes-issuePass');
  const chosen = form.locator('.parameters select');
  expect([await chosen.nth(0).inputValue(), await chosen.nth(1).inputValue()]).toEqual(['ethereum', 'sepolia']);

  await authorize('acme', 'not-the-secret');
  await page.getByText('invalid_client').first().waitFor();
});

/** A browser widens the page of a phone if a part does not fit. */
const isWiderThanScreen = () => page.evaluate('document.scrollingElement.scrollWidth > window.screen.width');

it('the page shows the whole table of problem codes; its dialog starts in the first field, and selects the scopes of a partner only', async () => {
  await open();
  const table = page.locator('.info table');
  const height = (name: string) => page.evaluate(`document.querySelector('.info table').${name}`);
  expect(await height('clientHeight')).toBe(await height('scrollHeight'));
  const codes = await table.locator('tbody code').allInnerTexts();
  expect(codes.length).toBeGreaterThan(20);

  await page.getByRole('button', { name: 'Authorize' }).click();
  expect(await page.evaluate('document.activeElement.id')).toBe('client_id_clientCredentials');
  const chosen = async () => {
    const boxes = page.locator('.scopes input:checked');
    return boxes.evaluateAll((all) => all.map((box) => box.getAttribute('data-value')));
  };
  await page.getByText('select all', { exact: true }).click();
  expect(await chosen()).toEqual(['search:pass', 'issue:pass', 'update:pass', 'webhook:manage']);
  // The operator still may choose the scope.
  await page.locator('.scopes label', { hasText: /^\s*admin(?!:)/ }).click();
  expect(await chosen()).toEqual(['search:pass', 'issue:pass', 'update:pass', 'webhook:manage', 'admin']);
  await page.getByText('select none', { exact: true }).click();
  expect(await chosen()).toEqual([]);
});

it('no part of the page makes a phone scroll sideways', async () => {
  const screen = { width: 320, height: 800 };
  await open({ viewport: screen, screen, isMobile: true });
  expect(await isWiderThanScreen()).toBe(false);
  await tryOut('issuePass', async () => undefined);
  expect(await isWiderThanScreen()).toBe(false);
  // One with parameters of the path and headers, one with a query, one with a large body.
  for (const operation of ['Passes-getPass', 'Operator-listStuckPasses', 'Operator-redrive']) {
    await page.locator(`#operations-${operation} .opblock-summary-control`).click();
    await page.locator(`#operations-${operation} .responses-table`).waitFor();
    expect([operation, await isWiderThanScreen()]).toEqual([operation, false]);
  }
  await takeScreenshot('docs-page-phone');
  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.getByLabel('client_id:').waitFor();
  expect(await isWiderThanScreen()).toBe(false);
});

it('the guides open from the navigation, show their diagrams, and fit on a phone', async () => {
  await open();
  await page.getByRole('link', { name: 'Life of a pass' }).click();
  await page.locator('main h1', { hasText: 'Life of a pass' }).waitFor();
  // The picture arrives after the text.
  await expect.poll(() => page.evaluate("document.querySelector('figure img').naturalWidth")).toBeGreaterThan(100);
  await takeScreenshot('docs-guide');

  await page.goto(`${facts.baseUrl}/docs/errors#pass_frozen`);
  expect(await page.locator('#pass_frozen').isVisible()).toBe(true);
  for (const guide of DOCS_GUIDES) {
    await page.setViewportSize({ width: 320, height: 800 });
    await page.goto(`${facts.baseUrl}/docs/${guide}`);
    const width = await page.evaluate('document.scrollingElement.scrollWidth');
    expect([guide, width]).toEqual([guide, 320]);
  }
  await takeScreenshot('docs-guide-phone');
  expect([complaints, [...requestedHosts]]).toEqual([[], [ours()]]);
});
