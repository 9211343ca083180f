import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { type Browser, type Page, startChromium } from '../chromium.ts';
import { openPreparedState } from '../prepared-state.ts';
import { type ConsoleWindow, openConsole } from './open-console.ts';
import { type SeededPass, seededWallet, seedPasses } from './seed-passes.ts';

/** The room that the list of passes takes on screens of several sizes. */

const NOW = Math.floor(Date.now() / 1_000);
const DAY = 86_400;
const LONGEST_REFERENCE = 'r'.repeat(128);

/** The widest row that a partner may have, and rows without a reference. */
const PASSES: readonly SeededPass[] = Array.from({ length: 60 }, (_, index) => ({
  wallet: seededWallet(index),
  ...(index % 4 === 0 && { expires: NOW + 3 * DAY, reference: LONGEST_REFERENCE }),
  ...(index % 4 === 1 && { state: 'REQUESTED', onChainState: 'NONE' }),
  ...(index % 4 === 2 && { state: 'FROZEN', expires: NOW - DAY, reference: `order ${index}` }),
}));

let state: StateFolder;
let gatepass: Gatepass;
let browser: Browser;
let window: ConsoleWindow;
let page: Page;

beforeAll(async () => {
  state = openPreparedState(inject('preparedState'));
  seedPasses(state.folder, PASSES);
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

async function openList(width: number, height: number, query = ''): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.goto(`${gatepass.facts.baseUrl}/console#/usage`);
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  await page.goto(`${gatepass.facts.baseUrl}/console#/find${query}`);
  await page.locator('.found caption').waitFor();
}

interface Measured {
  /** The rows that the screen shows in full. */
  readonly rows: number;
  /** The height of the highest row. One with two lines of text has more than 40 pixels. */
  readonly highest: number;
  /** The widest part of a row, and of the screen beside the list, where nothing is. */
  readonly widestGap: number;
  /** The height of the highest wallet. One with two lines has more than 30 pixels. */
  readonly highestWallet: number;
  readonly overflow: number;
  /** The cells that show a part of their text only, except those that are cut on purpose. */
  readonly cut: readonly string[];
}

/** A script of the page. The text of a cell is measured by itself, because the cell is as wide as its column. */
const MEASURE = `(() => {
  const boxOf = (node) => { const range = document.createRange(); range.selectNodeContents(node); return range.getBoundingClientRect(); };
  const rows = [...document.querySelectorAll('.list tbody tr')];
  const gapsOf = (row) => {
    const boxes = [...row.children].map((cell) => ({ left: boxOf(cell).left, right: Math.min(boxOf(cell).right, cell.getBoundingClientRect().right) }));
    const starts = [...boxes.map(({ left }) => left), innerWidth];
    return boxes.map(({ right }, index) => starts[index + 1] - right);
  };
  const heightOf = (element) => element.getBoundingClientRect().height;
  return {
    rows: rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length,
    highest: Math.max(...rows.map(heightOf)),
    highestWallet: Math.max(...[...document.querySelectorAll('.list .wallet code')].map(heightOf)),
    widestGap: Math.max(...rows.flatMap(gapsOf)),
    overflow: document.documentElement.scrollWidth - innerWidth,
    cut: [...document.querySelectorAll('.list tbody td:not(.cut)')].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent),
  };
})()`;
const measure = () => page.evaluate<Measured>(MEASURE);

describe.each([
  ['all passes', ''],
  ['passes without references', '?state=REQUESTED'],
  ['passes that expire this week', '?validity=7d'],
])('the list of %s', (_, query) => {
  it('has 18 rows of one line on a screen of 1280 x 800, and no wide gap', async () => {
    await openList(1_280, 800, query);
    const { rows, highest, widestGap, overflow, cut } = await measure();
    const all = await page.locator('.list tbody tr').count();
    expect(rows).toBeGreaterThanOrEqual(Math.min(all, 18));
    expect(highest).toBeLessThan(40);
    expect(widestGap).toBeLessThan(200);
    expect([overflow, cut]).toEqual([0, []]);
  });

  it.each([375, 768, 1_024, 1_920])('fits a screen of %s pixels, also with the focus on a wallet', async (width) => {
    await openList(width, 800, query);
    const { overflow, cut, highestWallet } = await measure();
    expect([overflow, cut]).toEqual([0, []]);
    expect(highestWallet).toBeLessThan(30);
    await page.keyboard.press('j');
    await page.locator('.wallet:focus-visible').waitFor();
    expect((await measure()).overflow).toBe(0);
  });
});

it('has the checkbox first, then a wallet that copies, and that shows in full with the focus', async () => {
  await openList(1_280, 800);
  const row = page.locator('.list tbody tr').first();
  const wallet = seededWallet(PASSES.length - 1);
  await row.locator('td').first().getByRole('checkbox').waitFor();
  const link = row.getByRole('link', { name: wallet, exact: true });
  expect(await link.getAttribute('title')).toBe(wallet);
  const widthOf = async () => (await link.locator('code').boundingBox())?.width ?? 0;
  const [short, height] = [await widthOf(), (await row.boundingBox())?.height];
  expect(short).toBeLessThan(120);
  await page.keyboard.press('j');
  expect(await page.evaluate("document.activeElement.getAttribute('title')")).toBe(wallet);
  expect(await widthOf()).toBeGreaterThan(short * 2.5);
  expect((await row.boundingBox())?.height).toBe(height);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('Tab');
  expect(await widthOf()).toBe(short);
  expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(`Copy the wallet ${wallet}`);
  await page.keyboard.press('Enter');
  await row.getByText('Copied', { exact: true }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(wallet);
  // The end of the wallet shows too.
  expect(await link.textContent()).toBe(wallet);
});
