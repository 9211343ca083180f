import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import { PROJECT } from '../../../scripts/wrangler.ts';
import { type Browser, type Page, startChromium } from '../chromium.ts';

/** The page at /docs, in a browser, as who has never seen the service would use it. */

/** What it looked like stays here. */
const PICTURES = join(PROJECT, 'test-artifacts');

const facts = inject('gatepass');
let browser: Browser;
let page: Page;
/** What the browser complains of: faults of scripts, missing files, and whatever the page's policy forbids. */
let complaints: string[];
/** The hosts that were asked for anything. */
let asked: Set<string>;

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  browser = await startChromium();
});

afterAll(() => browser.close());

beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  complaints = [];
  asked = new Set();
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => asked.add(new URL(request.url()).host));
  await page.goto(facts.baseUrl);
  await page.locator('.opblock').first().waitFor();
});

const ours = () => new URL(facts.baseUrl).host;
const picture = (name: string) => page.screenshot({ path: join(PICTURES, `${name}.png`) });

/** In the dialog that the button opens. */
async function authorize(clientId: string, clientSecret: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).click();
  const field = page.getByLabel('client_id:');
  // What is filled in here is scrolled to; people would have to look for it.
  const [inner, outer] = await Promise.all([field.boundingBox(), page.locator('.modal-ux-content').boundingBox()]);
  expect(inner?.y).toBeGreaterThan(outer?.y ?? Number.POSITIVE_INFINITY);
  await field.fill(clientId);
  await page.getByLabel('client_secret:').fill(clientSecret);
  await page.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click();
}

/** Opens the operation, has the form filled in, sends it; what it answers is shown. */
async function tryOut(operation: string, fillIn: (form: ReturnType<Page['locator']>) => Promise<void>) {
  const form = page.locator(`#operations-Passes-${operation}`);
  await form.locator('.opblock-summary-control').click();
  await form.getByRole('button', { name: 'Try it out' }).click();
  await fillIn(form);
  await form.getByRole('button', { name: 'Execute' }).click();
  const shown = form.locator('.live-responses-table');
  await shown.waitFor({ timeout: 30_000 });
  const [status] = await shown.locator('tbody .response-col_status').allInnerTexts();
  const [body = ''] = await shown.locator('.microlight').allInnerTexts();
  return { status: status?.trim(), record: JSON.parse(body) };
}

it('is where the address of the service leads: every operation is there, nothing is missing, and nobody else is asked', async () => {
  expect([page.url(), await page.title()]).toEqual([`${facts.baseUrl}/docs`, 'Gatepass API']);
  const operations = await page.locator('.opblock .opblock-summary-path').allInnerTexts();
  expect(operations.map((text) => text.replaceAll('\u200b', ''))).toEqual(
    expect.arrayContaining(['/pass', '/admin/stuck']),
  );
  expect(operations).toHaveLength(13);
  await picture('docs-page');

  // Who is led here by somebody else's link sees this service, and no other.
  const other = encodeURIComponent('https://evil.example/openapi.json');
  await page.goto(`${facts.baseUrl}/docs?url=${other}&configUrl=${other}&urls=${other}`);
  await page.locator('.opblock').first().waitFor();
  expect([complaints, [...asked]]).toEqual([[], [ours()]]);
});

it('fetches a token, issues a pass, and shows it active; nothing of it is kept', async () => {
  const { tokenUrl, partners } = facts;
  const [{ clientId, clientSecret } = { clientId: '', clientSecret: '' }] = partners;
  await authorize(clientId, clientSecret);
  await page.getByRole('button', { name: 'Remove authorization' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).first().click();

  const walletAddress = freshWallet('sepolia');
  const issued = await tryOut('issuePass', (form) => form.locator('textarea').fill(JSON.stringify({ walletAddress })));
  expect(issued).toMatchObject({ status: '202', record: { walletAddress, chain: { network: 'sepolia' } } });

  const fetched = await tryOut('getPass', async (form) => {
    await form.getByPlaceholder('wallet').fill(walletAddress);
    await form.getByPlaceholder('Prefer').fill('wait=20');
  });
  expect(fetched).toMatchObject({
    status: '200',
    record: { id: issued.record.id, onChainState: 'ACTIVE', state: 'ACTIVE' },
  });
  await page.locator('#operations-Passes-getPass .live-responses-table .microlight').last().scrollIntoViewIfNeeded();
  await picture('docs-page-pass');

  expect([complaints, asked]).toEqual([[], new Set([ours(), new URL(tokenUrl).host])]);
  const kept = await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]');
  expect(kept).toEqual([0, 0, '']);
});

it('begins with examples that go together, and says what is wrong', async () => {
  const { status, record } = await tryOut('issuePass', async () => undefined);
  expect([status, record.code]).toEqual(['401', 'token_missing']);
  const form = page.locator('#operations-Passes-issuePass');
  const chosen = form.locator('.parameters select');
  expect([await chosen.nth(0).inputValue(), await chosen.nth(1).inputValue()]).toEqual(['ethereum', 'sepolia']);

  await authorize('acme', 'not-the-secret');
  await page.getByText('invalid_client').first().waitFor();
});
