import { readFile } from 'node:fs/promises';
import { expect, inject, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { openWindows } from './open-windows.ts';

/** The console with a service that is slow or fails: nothing that the person entered is lost, and the next action is clear. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const open = openWindows();

const PROBLEM = { type: 'about:blank', title: 'x', requestId: 'r-4711' };
const FAULTS = [
  [
    '500',
    { status: 500, json: { ...PROBLEM, status: 500, code: 'internal_error', detail: 'A fault.' } },
    'on the side of the service',
  ],
  ['503', { status: 503, body: 'upstream', contentType: 'text/plain' }, 'answered 503 without a reason'],
  [
    '429',
    {
      status: 429,
      headers: { 'retry-after': '60' },
      json: { ...PROBLEM, status: 429, code: 'rate_limited', detail: 'Too fast.' },
    },
    'Try again in 60 seconds.',
  ],
  ['no network', undefined, 'The service does not answer. Check your connection.'],
] as const;

it.each(FAULTS)('keeps the form and offers to try again after %s', async (_, answer, sentence) => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await page.route('**/pass', (route) => (answer === undefined ? route.abort() : route.fulfill(answer)));
  await window.find(wallet);
  const alert = page.getByRole('alert');
  await alert.getByText(sentence).waitFor();
  expect(await page.getByRole('searchbox', { name: 'Wallet' }).inputValue()).toBe(wallet);
  await page.unroute('**/pass');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: wallet }).waitFor();
  expect(await alert.count()).toBe(0);
});

it.each(FAULTS)(
  'keeps a dialog with its reason open after %s, and the second attempt succeeds',
  async (_, answer, sentence) => {
    const wallet = freshWallet('sepolia');
    await acme.issue('sepolia', wallet);
    await acme.untilSettled('sepolia', wallet);
    const window = await open();
    const { page } = window;
    await window.signIn('staff');
    await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallet}`);
    await page.getByRole('button', { name: 'Freeze' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('case 4711');
    await page.route(`**/pass/ethereum/sepolia/${wallet}`, (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      return answer === undefined ? route.abort() : route.fulfill(answer);
    });
    await dialog.getByRole('button', { name: 'Freeze' }).click();
    await dialog.getByRole('alert').getByText(sentence).waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('case 4711');
    await page.unrouteAll({ behavior: 'wait' });
    await dialog.getByRole('button', { name: 'Freeze' }).click();
    await window.untilOnChain('FROZEN');
  },
);

it('loads a view again by itself when the service has asked to wait', async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  let requests = 0;
  await page.route('**/audit?*', async (route) => {
    requests += 1;
    if (requests > 1) return route.continue();
    const json = { ...PROBLEM, status: 429, code: 'rate_limited', detail: 'Too many requests within a few seconds.' };
    return route.fulfill({ status: 429, headers: { 'retry-after': '3' }, json });
  });
  await window.show('Audit');
  const alert = page.getByRole('alert');
  await alert.getByText(/^Too many requests within a few seconds\. Try again in 3 seconds\.$/).waitFor();
  await page.getByRole('table', { name: 'Audit trail' }).waitFor();
  expect([requests, await alert.count()]).toEqual([2, 0]);
});

it('keeps what a person types in a dialog while the view behind it refreshes', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  await acme.untilSettled('sepolia', wallet);
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await page.clock.install();
  await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallet}`);
  await page.getByRole('button', { name: 'Renew' }).click();
  const expiry = page.getByLabel('New expiry');
  await expiry.fill('2031-05-01');
  // The view shows that it has refreshed.
  await page.route(`**/pass/ethereum/sepolia/${wallet}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), reference: 'refreshed' } });
  });
  await page.clock.fastForward(11_000);
  await page.locator('dt:has-text("Reference") + dd', { hasText: 'refreshed' }).waitFor();
  expect(await expiry.inputValue()).toBe('2031-05-01');
  await page.unrouteAll({ behavior: 'wait' });
});

it('holds the place of a slow answer, so that nothing above it jumps', async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  const answered = Promise.withResolvers<void>();
  await page.route('**/usage?*', async (route) => {
    await answered.promise;
    await route.continue();
  });
  await window.show('Usage');
  await page.getByRole('status', { name: 'Loading' }).waitFor();
  const field = page.getByLabel('Month (UTC)');
  const before = await field.boundingBox();
  answered.resolve();
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
  expect(await field.boundingBox()).toEqual(before);
});

it('offers a reload if a part of the console is gone after a release', async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await page.route(/usage-\w+\.js$/, (route) => route.fulfill({ status: 404 }));
  await page.goto(`${facts.baseUrl}/console#/usage`);
  const alert = page.getByRole('alert');
  await alert.getByText('A part of the console did not load.').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
});

it('names the day of a network that has ended, and shows the refusal of one pass and of a row', async () => {
  const wallet = freshWallet('sepolia');
  const window = await open();
  const { page } = window;
  // The service has no endpoint of the network, so its own page does not offer it.
  await page.addInitScript(`new MutationObserver(() => {
    const meta = document.querySelector('meta[name=gatepass]');
    if (meta === null || meta.content.includes('polygonZKEVM')) return;
    const { networks, ...settings } = JSON.parse(meta.content);
    const ends = { polygonZKEVM: '2026-07-01' };
    meta.content = JSON.stringify({ ...settings, networks: [...networks, 'polygonZKEVM'], ends });
  }).observe(document, { childList: true, subtree: true });`);
  await window.signIn('staff');
  await window.show('Issue');
  const one = page.getByRole('region', { name: 'One pass' });
  await one.getByLabel('Network').selectOption({ label: 'polygonZKEVM (ended on 2026-07-01)' });
  await one.getByLabel('Wallet').fill(wallet);
  await one.getByRole('button', { name: 'Issue' }).click();
  await one.getByRole('alert').getByText('polygonZKEVM ended on 2026-07-01').waitFor();
  const buffer = Buffer.from(`walletAddress,network\n${wallet},polygonZKEVM`);
  await page.locator('input[type=file]').setInputFiles({ name: 'w.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Issue all' }).click();
  await page.getByText('1 of 1 rows: 0 accepted, 1 failed.').waitFor();
  const [results] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the results' }).click(),
  ]);
  expect(await readFile(await results.path(), 'utf8')).toContain('network_ended: polygonZKEVM ended on 2026-07-01');
});
