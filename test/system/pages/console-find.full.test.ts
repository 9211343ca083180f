import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { type Browser, type Page, startChromium } from '../chromium.ts';
import { openPreparedState } from '../prepared-state.ts';
import { type ConsoleWindow, openConsole } from './open-console.ts';
import { type SeededPass, seededWallet, seedPasses } from './seed-passes.ts';

/** The view "Find" over ten thousand passes: filters, pages and the address. */

const COUNT = 10_000;
const PAGE_SIZE = 50;
const DAY = 86_400;
const NOW = Math.floor(Date.now() / 1_000);

/** Passes of each kind, so that every filter has few. */
const SPECIAL: readonly SeededPass[] = [
  { wallet: seededWallet(COUNT), expires: NOW - DAY },
  { wallet: seededWallet(COUNT + 1), expires: NOW + 3 * DAY },
  { wallet: seededWallet(COUNT + 2), expires: NOW + 20 * DAY },
  { wallet: seededWallet(COUNT + 3), state: 'FROZEN' },
  { wallet: '0xABcdEFABcdEFabcdEfAbCdefabcdeFABcDEFabCD', state: 'REVOKED' },
  { wallet: seededWallet(COUNT + 4), reference: '=cmd|x \u05d0\u05d1\u05d2 \u0661' },
];

let state: StateFolder;
let gatepass: Gatepass;
let browser: Browser;
let window: ConsoleWindow;
let page: Page;

beforeAll(async () => {
  state = openPreparedState(inject('preparedState'));
  const many = Array.from({ length: COUNT - SPECIAL.length }, (_, index) => ({ wallet: seededWallet(index) }));
  seedPasses(state.folder, [...many, ...SPECIAL]);
  gatepass = await startGatepass({ folder: state.folder, hasDatabase: true, config: inject('builtWorker') });
  browser = await startChromium();
  window = await openConsole(browser, gatepass.facts.baseUrl);
  page = window.page;
  await window.signIn('staff');
});

afterAll(async () => {
  await browser?.close();
  await gatepass?.stop();
  state?.close();
});

beforeEach(() => page.goto(`${gatepass.facts.baseUrl}/console#/usage`));

const wallets = () => page.locator('.list tbody .wallet').allTextContents();
const open = (query: string) => page.goto(`${gatepass.facts.baseUrl}/console#/find${query}`);
const caption = (text: string) => page.locator('caption', { hasText: text }).waitFor();
const hashOf = () => new URL(page.url()).hash;
const FOUND_LATER = seededWallet(7);
/** Finds another wallet, whose request follows everything that the page has sent before. */
async function searchAgain(): Promise<void> {
  await open(`?wallet=${FOUND_LATER}`);
  await caption('The passes of the wallet');
}

it('pages through all of ten thousand passes to the end, and back to the page before', async () => {
  await window.show('Find');
  await caption('The newest passes. More than 1,000 in all');
  const seen: string[] = [];
  const next = page.getByRole('link', { name: 'Next', exact: true });
  for (;;) {
    const shown = await wallets();
    seen.push(...shown);
    if ((await next.count()) === 0) break;
    const [last = ''] = shown;
    await next.click();
    // The rows of the page before are gone.
    await page.getByText(last, { exact: true }).waitFor({ state: 'detached' });
    // A full page may be followed by an empty one.
    const end = page.getByText('There are no more passes.');
    await page.locator('.list tbody tr').first().or(end).waitFor();
    if (await end.isVisible()) break;
  }
  expect(seen).toHaveLength(COUNT);
  expect(new Set(seen).size).toBe(COUNT);
  expect(seen.at(-1)).toBe(seededWallet(0));
  await page.getByRole('link', { name: 'Previous', exact: true }).click();
  await page.locator('.list tbody tr').first().waitFor();
  expect(seen).toEqual(expect.arrayContaining(await wallets()));
  await page.getByRole('link', { name: 'First page' }).click();
  await page.getByText(seen[0] ?? '', { exact: true }).waitFor();
});

it('shows the oldest first, and keeps page and order through a pass, Back and a reload', async () => {
  await open('?order=oldest');
  await caption('The oldest passes');
  expect((await wallets())[0]).toBe(seededWallet(0));
  await page.getByRole('link', { name: 'Next', exact: true }).click();
  const first = seededWallet(PAGE_SIZE);
  await page.getByRole('link', { name: first }).click();
  await page.getByRole('heading', { name: 'Pass', exact: true }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: first }).waitFor();
  const hash = hashOf();
  expect(hash).toMatch(/^#\/find\?order=oldest&after=/);
  // The authorization server knows the person, so a reload asks nothing.
  await page.reload();
  await page.getByRole('link', { name: first }).waitFor();
  expect(hashOf()).toBe(hash);
  expect(await page.getByLabel('Order').inputValue()).toBe('oldest');
});

it.each([
  ['state=FROZEN', 'The newest passes with these filters. 1 in all', [seededWallet(COUNT + 3)]],
  ['state=REVOKED&network=sepolia', '1 in all', ['0xABcdEFABcdEFabcdEfAbCdefabcdeFABcDEFabCD']],
  ['validity=expired', 'By expiry, the soonest first. 1 in all', [seededWallet(COUNT)]],
  ['validity=7d', 'By expiry, the soonest first. 1 in all', [seededWallet(COUNT + 1)]],
  ['validity=30d', '2 in all', [seededWallet(COUNT + 1), seededWallet(COUNT + 2)]],
  ['wallet=0xABCDEFab', 'The passes whose wallet begins like this', ['0xABcdEFABcdEFabcdEfAbCdefabcdeFABcDEFabCD']],
])('finds the passes of the address ?%s', async (query, text, found) => {
  await open(`?${query}`);
  await caption(text);
  expect(await wallets()).toEqual(found);
});

it('writes the filters of the form into the address, and Back brings the earlier ones into the form', async () => {
  await open('');
  await caption('The newest passes');
  await page.getByText('Filters', { exact: true }).click();
  await page.getByLabel('State').selectOption('FROZEN');
  await page.getByRole('button', { name: 'Apply' }).click();
  await caption('1 in all');
  expect(hashOf()).toBe('#/find?state=FROZEN');
  await page.getByLabel('Validity').selectOption('7d');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('No pass matches these filters.').waitFor();
  await page.goBack();
  await caption('1 in all');
  expect(await page.getByLabel('Validity').inputValue()).toBe('');
  await page.getByRole('link', { name: 'Clear' }).click();
  await caption('The newest passes.');
});

it('has a column and badges for the end of the validity', async () => {
  await open('?validity=7d');
  const row = page.getByRole('row', { name: seededWallet(COUNT + 1) });
  await row.getByText('EXPIRES SOON').waitFor();
  const end = new Date((NOW + 3 * DAY) * 1_000).toISOString();
  const time = row.locator('time');
  expect(await time.textContent()).toBe(`${end.slice(0, 10)} ${end.slice(11, 16)} UTC`);
  expect(await time.getAttribute('title')).toMatch(/on this computer$/);
  await open('?validity=expired');
  await page
    .getByRole('row', { name: seededWallet(COUNT) })
    .getByText('EXPIRED', { exact: true })
    .waitFor();
});

it('shows a formula and letters that run to the left in a reference as text of its own', async () => {
  await open(`?reference=${encodeURIComponent('=cmd|x \u05d0\u05d1\u05d2 \u0661')}`);
  await caption('The newest passes with the reference');
  const reference = page.locator('.list td bdi');
  expect(await reference.textContent()).toBe('=cmd|x \u05d0\u05d1\u05d2 \u0661');
});

it('says in the words of the form what the service refuses about a reference', async () => {
  await open(`?reference=${encodeURIComponent('a\u202eb')}`);
  await page.getByRole('alert').getByText('reference must not contain control characters').waitFor();
  expect(await page.getByRole('alert').textContent()).not.toMatch(/filter\/|"errors"/);
});

it.each([
  ['0xABc', 'Enter at least 6 characters after 0x.'],
  ['vitalik.eth', 'is a name'],
  ['0xZZZZZZZZ', 'only digits and the letters a to f'],
  [`0x${'1'.repeat(41)}`, 'too long: it has 41 characters'],
  ['0xABcdEFABcdEFabcdEfAbCdefabcdeFABcDEFabCd', 'its capital letters do not fit'],
  ['not a wallet', 'A wallet has no spaces'],
  ['l0l0l0l0', 'This is no wallet'],
])('explains what is wrong with the wallet %s, and asks the service nothing', async (text, sentence) => {
  await open('');
  await caption('The newest passes');
  const searches: string[] = [];
  page.on('request', (request) => request.url().endsWith('/pass') && searches.push(String(request.postData())));
  await window.find(text);
  await page.getByRole('alert').getByText(sentence).waitFor();
  expect(await page.getByRole('searchbox', { name: 'Wallet' }).inputValue()).toBe(text);
  // The requests of a page leave in order, so the next search comes after one for that text.
  await searchAgain();
  expect(searches.filter((body) => !body.includes(FOUND_LATER))).toEqual([]);
  expect(searches).not.toEqual([]);
});

it.each([
  ['a private key', `0x${'ab12'.repeat(16)}`],
  ['a private key without 0x', 'AB12'.repeat(16)],
  ['a key of Solana', '5'.repeat(87)],
  ['a recovery phrase', 'abandon '.repeat(11).concat('about')],
])('neither sends nor shows nor keeps %s', async (_, secret) => {
  await open('');
  await caption('The newest passes');
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData()}`));
  await window.find(secret);
  await page.getByRole('alert').getByText('This looks like a private key').waitFor();
  const kept = 'JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }])';
  for (const text of [...sent, await page.content(), await page.evaluate<string>(kept)])
    expect(text.includes(secret)).toBe(false);
  expect(await page.getByRole('searchbox', { name: 'Wallet' }).inputValue()).toBe('');
  // A pasted address with a key in it loses the key.
  await open(`?wallet=${encodeURIComponent(secret)}&state=FROZEN`);
  await page.getByRole('alert').getByText('This looks like a private key').waitFor();
  await expect.poll(() => hashOf()).toBe('#/find?state=FROZEN');
  await searchAgain();
  expect(sent.filter((each) => each.includes(secret))).toEqual([]);
});
