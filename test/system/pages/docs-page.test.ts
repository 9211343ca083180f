import { expect, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import {
  authorize,
  complaints,
  facts,
  open,
  openPage,
  ours,
  page,
  requestedHosts,
  takeScreenshot,
  tryOut,
  useDocsBrowser,
} from './docs-browser.ts';

/** The documents and the reference, which a partner reads and tries in a browser. */

useDocsBrowser();

it('the origin of the service leads to the documents, and the reference shows the operations of partners only', async () => {
  await openPage();
  expect([page.url(), await page.title()]).toEqual([`${facts.baseUrl}/docs/`, 'Gatepass for partners | Gatepass']);
  await page.locator('.VPSidebar').getByRole('link', { name: 'API reference' }).click();
  await page.locator('.opblock').first().waitFor();
  const operations = await page.locator('.opblock .opblock-summary-path').allInnerTexts();
  const paths = operations.map((text) => text.replaceAll('\u200b', ''));
  const document = (await (await fetch(`${facts.baseUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { tags?: string[] }>>;
    webhooks: object;
  };
  const ofPartners = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).flatMap(({ tags }) => (tags === undefined ? [] : [path])),
  );
  expect(paths.toSorted()).toEqual([...ofPartners, ...Object.keys(document.webhooks)].toSorted());
  expect(paths.filter((path) => path.startsWith('/admin'))).toEqual([]);
  // The first operation is in the first view.
  const first = await page.locator('.opblock').first().boundingBox();
  expect(first?.y).toBeLessThan(500);
  await takeScreenshot('docs-page');

  // A link of another site cannot make the page show another service.
  const other = encodeURIComponent('https://evil.example/openapi.json');
  await page.goto(`${facts.baseUrl}/docs/reference?url=${other}&configUrl=${other}&urls=${other}`);
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
  // The command for curl names the variable of the token, and no other code is shown.
  const form = page.locator('#operations-Passes-getPass');
  expect(await form.locator('.samples pre').allInnerTexts()).toEqual([expect.stringContaining('Bearer $TOKEN')]);
  expect(await form.innerText()).not.toMatch(/\beyJ|curl -X/i);
  await form.locator('.live-responses-table .microlight').last().scrollIntoViewIfNeeded();
  await takeScreenshot('docs-page-pass');

  expect([complaints, requestedHosts]).toEqual([[], new Set([ours(), new URL(tokenUrl).host])]);
  const kept = await page.evaluate(
    '[JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }), document.cookie]',
  );
  // The site keeps the chosen theme.
  expect(kept).toEqual(['{"vitepress-theme-appearance":"auto"}{}', '']);
});
