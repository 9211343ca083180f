import { expect, it } from 'vitest';
import { addTable, facts, openPage, page, SLUGS, useDocsBrowser } from './docs-browser.ts';
import { visibleTextOf, withoutSpace } from './pdf-text.ts';

/** The pages under /docs on paper: a PDF of each page has its whole text. */

useDocsBrowser();

/**
 * Returns the text of a page: its words, and each line of code as a whole. Also the text that the screen hides: other tabs, closed parts, the
 * middle of an address. Buttons and lists to choose from are for the screen.
 */
const TEXT_OF_PAGE = `(() => {
  const screenOnly = 'button, select, input, svg, .lang, .header-anchor, .VPDocFooter, .VPDocAside, .visually-hidden';
  const root = document.querySelector('.VPContent .vp-doc');
  const lines = [...root.querySelectorAll('.vp-code-group label, pre')].flatMap((part) => part.textContent.split('\\n'));
  const isForReaders = (part) =>
    part.closest(screenOnly + ', pre, .tabs') === null && (part.getClientRects().length > 0 || part.closest('.blocks, details') !== null);
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const words = [];
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode())
    if (isForReaders(text.parentElement)) words.push(...text.textContent.split(/\\s+/));
  return [...lines, ...words].filter((each) => each.trim() !== '');
})()`;

/** Prints the page. Returns the parts of its text that no reader of the paper finds. */
async function missingOnPaper(format: 'A4' | 'Letter'): Promise<string[]> {
  const texts = await page.evaluate<string[]>(TEXT_OF_PAGE);
  expect(texts.length).toBeGreaterThan(30);
  const margin = { top: '1cm', right: '1cm', bottom: '1cm', left: '1cm' };
  const printed = visibleTextOf(await page.pdf({ format, margin }));
  return texts.filter((text) => !printed.includes(withoutSpace(text)));
}

it('a PDF of each page has every word and every line of code, also those of all tabs', async () => {
  await openPage('/docs/');
  for (const slug of SLUGS) {
    await page.goto(`${facts.baseUrl}/docs/${slug}`);
    await page.locator('main h1').first().waitFor();
    if (slug === 'reference') await page.locator('.opblock').first().waitFor();
    expect([slug, await missingOnPaper('A4')]).toEqual([slug, []]);
  }
});

it('an open operation of the reference has its words on paper, and a letter of another size too', async () => {
  await openPage('/docs/reference#/Passes/issuePass');
  await page.locator('#operations-Passes-issuePass .responses-table').first().waitFor();
  expect(await missingOnPaper('A4')).toEqual([]);
  expect(await missingOnPaper('Letter')).toEqual([]);
});

it('finds a line that the paper cuts, a tab that is not printed, and a part that a box cuts', async () => {
  await openPage('/docs/quickstart');
  const rule = (css: string) => page.evaluate(`document.styleSheets[0].insertRule(${JSON.stringify(css)})`);
  await addTable();
  expect(await missingOnPaper('A4')).toEqual([]);
  await rule('.vp-doc [class*="language-"] pre code { white-space: pre !important }');
  expect(await missingOnPaper('A4')).toContainEqual(expect.stringContaining('TOKEN_ISSUED_INITIATED'));
  await rule('.vp-code-group .blocks > :nth-child(3) { display: none !important }');
  expect(await missingOnPaper('A4')).toContainEqual('from gatepass import Credentials, Gatepass');
  await rule(
    '.vp-doc table { width: 300px !important; overflow: hidden !important; display: block !important; white-space: nowrap }',
  );
  const words = (await missingOnPaper('A4')).filter((text) => text.startsWith('made-up-'));
  expect(words.length).toBeGreaterThan(10);
});
