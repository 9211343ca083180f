import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { PARTNER_SCOPES } from '../../../src/config/config.ts';
import {
  authorize,
  complaints,
  facts,
  open,
  openPage,
  ours,
  page,
  requestedHosts,
  SLUGS,
  takeScreenshot,
  tryOut,
  useDocsBrowser,
} from './docs-browser.ts';
import { expectAccessible } from './open-console.ts';

/** The pages under /docs on each screen, with each theme, by keyboard and on paper. */

useDocsBrowser();

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

it('the dialog starts in the first field, and has the scopes of a partner only', async () => {
  await open();
  await page.getByRole('button', { name: 'Authorize' }).click();
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('client_id_clientCredentials');
  const boxes = page.locator('.scopes input');
  const offered = await boxes.evaluateAll((all) => all.map((box) => box.getAttribute('data-value')));
  expect(new Set(offered)).toEqual(new Set(Object.values(PARTNER_SCOPES)));
});

it('each operation shows code in tabs', async () => {
  await open();
  const form = page.locator('#operations-Passes-issuePass');
  await form.locator('.opblock-summary-control').click();
  const samples = form.locator('.samples');
  await samples.locator('pre', { hasText: 'curl "$GATEPASS_URL/pass/ethereum/sepolia"' }).waitFor();
  expect(await samples.getByRole('tab').allInnerTexts()).toEqual(['curl', 'TypeScript', 'Python', 'Command']);
  await samples.getByRole('tab', { name: 'Command' }).click();
  await expect.poll(() => samples.locator('pre').innerText()).toMatch(/^gatepass issue 0x/m);
  expect(complaints).toEqual([]);
});

it('the arrow keys choose a tab of the code, and its text and strings have different colors', async () => {
  await open();
  const form = page.locator('#operations-Passes-issuePass');
  await form.locator('.opblock-summary-control').click();
  const samples = form.locator('.samples');
  await samples.getByRole('tab', { name: 'curl' }).focus();
  const chosen = () => samples.getByRole('tab', { selected: true }).innerText();
  for (const [key, name] of [
    ['ArrowLeft', 'Command'],
    ['ArrowRight', 'curl'],
    ['End', 'Command'],
    ['Home', 'curl'],
    ['ArrowRight', 'TypeScript'],
    ['ArrowRight', 'Python'],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(async () => [key, await chosen()]).toEqual([key, name]);
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe(name);
    await samples.getByRole('tabpanel', { name }).waitFor();
  }
  // One stop for the Tab key.
  expect(await samples.locator('[role=tab][tabindex="0"]').count()).toBe(1);
  for (const name of ['curl', 'TypeScript', 'Python']) {
    await samples.getByRole('tab', { name }).click();
    await samples.getByRole('tabpanel', { name }).waitFor();
    const words = "[...document.querySelectorAll('#operations-Passes-issuePass .samples pre span')]";
    const colors = await page.evaluate<string[]>(`${words}.map((word) => getComputedStyle(word).color)`);
    expect([name, new Set(colors).size]).toEqual([name, expect.toSatisfy((count: number) => count > 1)]);
  }
  expect(complaints).toEqual([]);
});

it.each(['/docs#/Passes/issuePass', '/docs/#/Passes/issuePass'])(
  'the old address %s of an operation opens it in the reference',
  async (address) => {
    await openPage(address);
    await page.locator('#operations-Passes-issuePass.is-open').waitFor();
    expect(page.url()).toBe(`${facts.baseUrl}/docs/reference#/Passes/issuePass`);
    expect(await page.locator('.opblock.is-open').count()).toBe(1);
    expect(complaints).toEqual([]);
  },
);

/** Returns the parts of the text that end outside the screen, and that no part which scrolls contains. */
const PARTS_CUT_OFF = `[...document.querySelectorAll('.VPContent *')].filter((part) => {
  const { width, right, left } = part.getBoundingClientRect();
  if (width === 0 || (right <= innerWidth + 1 && left >= -1)) return false;
  for (let box = part.parentElement; box !== null; box = box.parentElement)
    if (/auto|scroll/.test(getComputedStyle(box).overflowX)) return false;
  return getComputedStyle(part).position !== 'fixed' && part.closest('.visually-hidden, .header-anchor') === null;
}).map((part) => part.outerHTML.slice(0, 120))`;

it('every page fits on screens of 320 to 1600 pixels', async () => {
  await openPage('/docs/', { viewport: { width: 320, height: 900 } });
  expect(SLUGS.length).toBeGreaterThan(14);
  for (const slug of SLUGS) {
    await page.goto(`${facts.baseUrl}/docs/${slug}`);
    await page
      .locator(slug === 'reference' ? '.opblock' : 'main h1')
      .first()
      .waitFor();
    for (const width of [320, 375, 768, 1024, 1280, 1600]) {
      await page.setViewportSize({ width, height: 900 });
      const needed = await page.evaluate('document.scrollingElement.scrollWidth');
      expect([slug, needed, await page.evaluate(PARTS_CUT_OFF)]).toEqual([slug, width, []]);
    }
  }
  // A part that does not fit is found, also if it makes nothing scroll.
  await page.evaluate(
    "document.querySelector('.VPContent').style.overflow = 'clip'; document.querySelector('main h1').style.translate = '2000px'",
  );
  expect(await page.evaluate(PARTS_CUT_OFF)).toContainEqual(expect.stringContaining('<h1'));
  expect(complaints).toEqual([]);
});

it('no part of the page makes a phone scroll sideways', async () => {
  const screen = { width: 320, height: 800 };
  await open({ viewport: screen, screen, isMobile: true });
  expect(await isWiderThanScreen()).toBe(false);
  await tryOut('issuePass', async () => undefined);
  expect(await isWiderThanScreen()).toBe(false);
  // One with parameters of the path and headers, one with a query, one with a large body.
  for (const operation of ['Passes-getPass', 'Audit-listAudit', 'Webhooks-createWebhook']) {
    await page.locator(`#operations-${operation} .opblock-summary-control`).click();
    await page.locator(`#operations-${operation} .responses-table`).waitFor();
    expect([operation, await isWiderThanScreen()]).toEqual([operation, false]);
  }
  await takeScreenshot('docs-page-phone');
  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.getByLabel('client_id:').waitFor();
  expect(await isWiderThanScreen()).toBe(false);
});

it('the guides open from the sidebar, and show their diagrams in both themes', async () => {
  await openPage('/docs/quickstart');
  await page.locator('.VPSidebar').getByRole('link', { name: 'Life of a pass' }).click();
  await page.locator('main h1', { hasText: 'Life of a pass' }).waitFor();
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    const image = page.locator(`figure img.${theme}-only`).first();
    await image.waitFor();
    // The picture arrives after the text.
    await expect.poll(() => image.evaluate((element) => Reflect.get(element, 'naturalWidth'))).toBeGreaterThan(100);
    await takeScreenshot(`docs-guide-${theme}`);
  }
  await page.goto(`${facts.baseUrl}/docs/errors#pass_frozen`);
  await page.locator('#pass_frozen').waitFor();
  expect([complaints, [...requestedHosts]]).toEqual([[], [ours()]]);
});

it('a page has a contents list, the next page and the one before, and buttons that copy code', async () => {
  await openPage('/docs/quickstart');
  await page.locator('.VPDocAsideOutline').getByRole('link', { name: '3. Issue a pass' }).click();
  await expect.poll(() => page.url()).toBe(`${facts.baseUrl}/docs/quickstart#_3-issue-a-pass`.replace('#_3', '#3'));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const block = page.locator('.vp-doc div[class*="language-"]', { hasText: 'export GATEPASS_TOKEN_URL' }).first();
  await block.hover();
  await block.locator('button.copy').click();
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain("export GATEPASS_URL='");
  await page.locator('.pager-link.next').click();
  await page.locator('main h1', { hasText: 'Sandbox' }).waitFor();
  await page.locator('.pager-link.prev').click();
  await page.locator('main h1', { hasText: 'Quickstart' }).waitFor();
  await page.getByRole('link', { name: '1.0.0' }).click();
  await page.locator('main h1', { hasText: 'Changelog' }).waitFor();
  expect([complaints, [...requestedHosts]]).toEqual([[], [ours()]]);
});

it('the quickstart shows each step in tabs', async () => {
  await openPage('/docs/quickstart');
  const group = page.locator('.vp-code-group').nth(1);
  expect(await group.locator('.tabs label').allInnerTexts()).toEqual(['curl', 'TypeScript', 'Python', 'Command']);
  expect(await group.getByText('gatepass.issue_and_wait').isVisible()).toBe(false);
  await group.getByText('Python', { exact: true }).click();
  await group.getByText('gatepass.issue_and_wait').waitFor();
  await group.getByText('curl -s').waitFor({ state: 'hidden' });
  // The colors are classes of one style sheet.
  const word = "document.querySelectorAll('.vp-code-group')[1].querySelector('.language-python code span span')";
  const color = async (colorScheme: 'light' | 'dark') => {
    await page.emulateMedia({ colorScheme });
    await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor();
    return page.evaluate(`getComputedStyle(${word}).color`);
  };
  expect(await color('light')).not.toBe(await color('dark'));
  expect(complaints).toEqual([]);
});

it.each([
  ['pass_frozen', 'errors#pass_frozen'],
  ['issued_by_another_gatekeeper', 'errors#issued_by_another_gatekeeper'],
  ['expiryTimestamp', 'api#'],
  ['rotate-secret', 'webhooks#'],
  ['set-reference', 'command#commands'],
])('the search finds %s', async (words, address) => {
  await openPage('/docs/quickstart');
  await page.locator('#local-search button').click();
  await page.locator('#localsearch-input').fill(words);
  const hits = page.locator('.results a');
  const addresses = () => hits.evaluateAll((all) => all.map((hit) => String(Reflect.get(hit, 'href'))));
  await expect.poll(async () => (await addresses()).some((href) => href.includes(`/docs/${address}`))).toBe(true);
  await page.locator(`.results a[href*="/docs/${address}"]`).first().click();
  await expect.poll(() => page.url()).toContain(`/docs/${address}`);
  expect([complaints, [...requestedHosts]]).toEqual([[], [ours()]]);
});

it('an unknown page leads back to the documents', async () => {
  await openPage('/docs/nowhere');
  await page.getByText('No page has this address.').waitFor();
  await page.getByRole('link', { name: 'To the documents' }).click();
  await page.locator('main h1', { hasText: 'Gatepass for partners' }).waitFor();
  // The browser itself reports the status.
  expect(complaints).toEqual([expect.stringContaining('404')]);
});

it('a printed page has the text without the parts for the screen', async () => {
  await openPage('/docs/quickstart');
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.VPNav').isVisible()).toBe(false);
  expect(await page.locator('.VPSidebar').isVisible()).toBe(false);
  expect(await page.locator('main h1').isVisible()).toBe(true);
});

it.each(['', 'quickstart', 'errors', 'pass-life', 'reference', 'nowhere'])(
  'the page "%s" is accessible in both themes, on a screen and on a phone',
  async (name) => {
    await openPage(`/docs/${name}`);
    if (name === 'reference') {
      await page.locator('#operations-Passes-issuePass .opblock-summary-control').click();
      await page.locator('#operations-Passes-issuePass .samples').waitFor();
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      // Without motion, the colors change at once.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor();
      for (const width of [1280, 320]) {
        await page.setViewportSize({ width, height: 900 });
        await expectAccessible(page, `${name}, ${colorScheme}, ${width}`);
      }
    }
  },
);

it('works by keyboard alone: search, a result, a tab and the theme', async () => {
  await openPage('/docs/quickstart');
  await page.keyboard.press('Control+k');
  await page.locator('#localsearch-input').waitFor();
  // All at once: on a busy machine, Enter would open the first result of the letters so far, which may be of this page.
  await page.keyboard.insertText('rotate-secret');
  await page.locator('.results a.selected').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/docs\/(?!quickstart)/);
  const theme = page.locator('.VPNavBarAppearance button');
  await theme.focus();
  await page.keyboard.press('Enter');
  await page.locator('html.dark').waitFor();
  expect([complaints, [...requestedHosts]]).toEqual([[], [ours()]]);
});

/** Serves the pages of the service under another base path, with their policy. */
async function underBasePath(): Promise<{ readonly origin: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    if (!path.startsWith('/a/partner/')) return void response.writeHead(404).end();
    const answer = await fetch(facts.baseUrl + path.slice('/a/partner'.length));
    const names = ['content-type', 'content-security-policy'];
    const headers = names.map((name) => [name, answer.headers.get(name) ?? ''] as const);
    response.writeHead(answer.status, Object.fromEntries(headers)).end(Buffer.from(await answer.arrayBuffer()));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

it('the same files work under any base path: links, search, the reference and the page for unknown pages', async () => {
  const { origin, close } = await underBasePath();
  onTestFinished(close);
  await openPage('/docs/quickstart');
  await page.goto(`${origin}/a/partner/docs/quickstart`);
  await page.locator('.VPSidebar').getByRole('link', { name: 'Errors' }).click();
  await page.locator('main h1', { hasText: 'Errors' }).waitFor();
  expect(page.url()).toBe(`${origin}/a/partner/docs/errors`);
  await page.locator('#local-search button').click();
  await page.locator('#localsearch-input').fill('pass_frozen');
  await page.locator('.results a').first().click();
  await page.waitForURL(`${origin}/a/partner/docs/errors#pass_frozen`);
  await page.locator('.VPSidebar').getByRole('link', { name: 'API reference' }).click();
  await page.locator('.opblock').first().waitFor();
  expect(page.url()).toBe(`${origin}/a/partner/docs/reference`);
  await page.goto(`${origin}/a/partner/docs/nowhere`);
  await page.getByRole('link', { name: 'To the documents' }).click();
  await page.locator('main h1', { hasText: 'Gatepass for partners' }).waitFor();
  expect(page.url()).toBe(`${origin}/a/partner/docs/`);
  expect(complaints).toEqual([expect.stringContaining('404')]);
});
