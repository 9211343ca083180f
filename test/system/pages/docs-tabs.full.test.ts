import { expect, it } from 'vitest';
import { complaints, facts, open, openPage, ours, page, requestedHosts, useDocsBrowser } from './docs-browser.ts';

/** The tabs of the guides and of the reference: a reader chooses a language once. */

useDocsBrowser();

/** Returns the name of the chosen tab of each group of the page. */
const chosenTabs = () => page.locator('.vp-code-group input:checked + label').allInnerTexts();

it('a tab that is chosen in one group is chosen in all groups, pages and visits, and stays where it is', async () => {
  await openPage('/docs/quickstart');
  expect(new Set(await chosenTabs())).toEqual(new Set(['curl']));
  const last = page.locator('.vp-code-group').last().getByText('Python', { exact: true });
  await last.scrollIntoViewIfNeeded();
  const before = await last.boundingBox();
  await last.click();
  await expect.poll(async () => new Set(await chosenTabs())).toEqual(new Set(['Python']));
  expect((await chosenTabs()).length).toBeGreaterThan(4);
  expect(await page.getByText('from gatepass import Credentials').first().isVisible()).toBe(true);
  expect(Math.abs(((await last.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(3);

  await page.locator('.VPSidebar').getByRole('link', { name: 'API', exact: true }).click();
  await page.locator('main h1', { hasText: 'API' }).waitFor();
  await expect.poll(async () => new Set(await chosenTabs())).toEqual(new Set(['Python']));
  // A group without this tab keeps its own.
  await page.goto(`${facts.baseUrl}/docs/require-a-pass`);
  await expect.poll(chosenTabs).toContain('Python');
  expect(await chosenTabs()).toContain('viem');
  expect([complaints, [...requestedHosts]]).toEqual([[], [ours()]]);
});

it('the reference shows the tab that a guide remembers, and the other way round', async () => {
  await openPage('/docs/quickstart');
  await page.locator('.vp-code-group').first().getByText('TypeScript', { exact: true }).click();
  await page.goto(`${facts.baseUrl}/docs/reference#/Passes/issuePass`);
  const chosen = page.locator('.samples [role=tab][aria-selected=true]');
  await chosen.first().waitFor();
  expect(await chosen.allInnerTexts()).toEqual(['TypeScript']);
  await page.locator('#operations-Passes-getPass .opblock-summary-control').click();
  await page.locator('#operations-Passes-getPass .samples').getByRole('tab', { name: 'Command' }).click();
  await expect.poll(() => chosen.allInnerTexts()).toEqual(['Command', 'Command']);
  // This operation has no such tab, and shows its first one.
  await page.locator('#operations-Passes-syncPass .opblock-summary-control').click();
  await expect.poll(() => chosen.allInnerTexts()).toEqual(['Command', 'Command', 'curl']);
  await page.goto(`${facts.baseUrl}/docs/quickstart`);
  await expect.poll(async () => new Set(await chosenTabs())).toEqual(new Set(['Command']));
  expect(complaints).toEqual([]);
});

it('the sidebar of the reference lists its operations, and each opens there', async () => {
  await open();
  const listed = page.locator('.VPSidebar a[href*="reference#/"]');
  const ids = await listed.evaluateAll((all) => all.map((link) => String(Reflect.get(link, 'hash'))));
  const shown = await page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id));
  const operations = shown.filter((id) => !id.startsWith('operations-webhooks'));
  expect(ids.map((hash) => `operations-${hash.slice(2).replace('/', '-')}`)).toEqual(operations);
  for (const [name, operation] of [
    ['Create webhook', 'Webhooks-createWebhook'],
    ['Issue pass', 'Passes-issuePass'],
  ] as const) {
    await page.locator('.VPSidebar').getByRole('link', { name, exact: true }).click();
    await page.locator(`#operations-${operation}.is-open`).waitFor();
    await expect
      .poll(async () => (await page.locator(`#operations-${operation}`).boundingBox())?.y)
      .toSatisfy((top: number) => top >= 0 && top < 400);
  }
  expect(complaints).toEqual([]);
  await page.goto(`${facts.baseUrl}/docs/quickstart`);
  expect(await listed.count()).toBe(0);
});
