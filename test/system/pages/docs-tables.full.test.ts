import { expect, it } from 'vitest';
import { addTable, complaints, facts, openPage, page, SLUGS, useDocsBrowser } from './docs-browser.ts';

/** The tables of the pages under /docs: a reader sees every cell on each screen. */

useDocsBrowser();

const WIDTHS = [375, 768, 1280, 1920];

/**
 * Returns the faults of all tables: a text that leaves its cell, the column of the text or the screen, and a row without any text. The
 * header of a table of cards is for screen readers only, and each cell has its label instead. A list to choose from shows one of its texts.
 */
const FAULTS_OF_TABLES = `(() => {
  const faults = [];
  const boundsOf = (cell) => {
    let [left, right] = [0, innerWidth];
    for (let box = cell; box !== null; box = box.parentElement) {
      const bounds = box.getBoundingClientRect();
      [left, right] = [Math.max(left, bounds.left), Math.min(right, bounds.right)];
    }
    return { left, right };
  };
  // Word by word, because a space at the end of a line may leave its box.
  const rectsOf = (cell) => {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const rects = [];
    for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
      if (text.parentElement.closest('table, select') !== cell.closest('table')) continue;
      for (const { 0: word, index } of text.textContent.matchAll(/\\S+/g)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        for (const { left, right, width } of range.getClientRects()) if (width > 0) rects.push({ left, right, word });
      }
    }
    return rects;
  };
  for (const [index, table] of [...document.querySelectorAll('.VPContent table')].entries()) {
    if (table.getClientRects().length === 0) continue;
    for (const row of table.rows) {
      const head = row.closest('thead');
      if (head !== null && getComputedStyle(head).clipPath !== 'none') {
        const cells = [...table.querySelectorAll('tbody td:nth-child(n+2)')];
        if (!cells.every((cell) => cell.dataset.label !== undefined)) faults.push(index + ': no label');
        continue;
      }
      let seen = row.querySelector('img, input, select, textarea, button') === null ? 0 : 1;
      for (const cell of row.cells) {
        const { left, right } = boundsOf(cell);
        for (const rect of rectsOf(cell)) {
          seen += 1;
          if (rect.left < left - 1 || rect.right > right + 1) {
            faults.push(index + ': cut: ' + rect.word);
            break;
          }
        }
      }
      if (seen === 0) faults.push(index + ': blank row: ' + row.outerHTML.slice(0, 60));
    }
  }
  return faults;
})()`;

it('no table of any page has a cell that is cut or a row that is blank', async () => {
  await openPage('/docs/');
  let tables = 0;
  for (const slug of SLUGS) {
    await page.goto(`${facts.baseUrl}/docs/${slug}`);
    await page.locator('main h1').first().waitFor();
    if (slug === 'reference') await openAllOperations();
    tables += await page.locator('.VPContent table').count();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      expect([slug, width, await page.evaluate(FAULTS_OF_TABLES)]).toEqual([slug, width, []]);
    }
  }
  expect(tables).toBeGreaterThan(80);
  expect(complaints).toEqual([]);
});

/** Opens each operation of the reference, which then has the tables of its parameters and responses. */
async function openAllOperations(): Promise<void> {
  await page.locator('.opblock').first().waitFor();
  const closed = "[...document.querySelectorAll('.opblock:not(.is-open) .opblock-summary-control')]";
  // The viewer ignores a click while it prepares the document.
  await expect
    .poll(() => page.evaluate<number>(`${closed}.map((button) => button.click()).length`), { interval: 500 })
    .toBe(0);
}

it('finds a cell that is cut, also if it scrolls, and a row that is blank', async () => {
  await openPage('/docs/sandbox', { viewport: { width: 375, height: 900 } });
  const rule = (css: string) => page.evaluate(`document.styleSheets[0].insertRule(${JSON.stringify(css)})`);
  await addTable();
  expect(await page.evaluate(FAULTS_OF_TABLES)).toEqual([]);
  await rule('.vp-doc .table-frame td { white-space: nowrap !important }');
  await rule('.vp-doc .table-frame { overflow-x: auto !important }');
  expect(await page.evaluate(FAULTS_OF_TABLES)).toContainEqual(expect.stringContaining('cut: made-up-'));
  await rule('.vp-doc .table-frame td { font-size: 0 !important }');
  await rule('.vp-doc .table-frame td * { font-size: 0 !important }');
  expect(await page.evaluate(FAULTS_OF_TABLES)).toContainEqual(expect.stringContaining('blank row'));
});

it('an address in a table is short, and a button copies the whole of it', async () => {
  await openPage('/docs/sandbox');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const wallet = '0x5555555555555555555555555555555555555502';
  const shown = page.locator('.copyable', { has: page.getByTitle(wallet) }).first();
  expect((await shown.boundingBox())?.width).toBeLessThan(200);
  await shown.getByRole('button', { name: 'Copy 0x5555…5502' }).click();
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(wallet);
  expect(complaints).toEqual([]);
});
