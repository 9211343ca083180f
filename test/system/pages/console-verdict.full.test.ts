import type { Locator } from 'playwright-core';
import { expect, inject, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { Page } from '../chromium.ts';
import { openWindows } from './open-windows.ts';

/** The console says whether dApps accept a wallet now, also after its pass has expired. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const open = openWindows();

const now = () => Math.floor(Date.now() / 1_000);
const HOUR = 3_600;
const MONTH = 30 * 86_400;

const verdictIn = (page: Page) => page.getByRole('region', { name: 'dApps' });
/** The computed `--good` of the style in the light scheme. */
const GREEN = 'rgb(17, 96, 52)';
const colorOf = (locator: Locator): Promise<string> =>
  locator.evaluate((element) => element.ownerDocument.defaultView.getComputedStyle(element).color);

it('shows that a pass expires while its view and the list stay open, and why an expired pass is refused', async () => {
  const [view, list] = [await open(), await open()];
  const { page } = view;
  // From here on, the test moves the clocks of the pages.
  for (const each of [page, list.page]) await each.clock.install();
  await view.signIn('staff');
  await list.signIn('staff');
  const [onEthereum, onSolana] = [freshWallet('sepolia'), freshWallet('devnet')];
  const expiry = now() + HOUR / 2;
  await acme.issue('sepolia', onEthereum, { expiryTimestamp: expiry });
  await acme.issue('devnet', onSolana, { expiryTimestamp: expiry });
  await acme.untilSettled('sepolia', onEthereum);
  const issued = await acme.untilSettled('devnet', onSolana);
  expect(issued).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE', expiryTimestamp: expiry });

  await list.show('Find');
  await list.find(onEthereum);
  const row = list.page.getByRole('row', { name: onEthereum });
  await row.getByText('ACCEPTED', { exact: true }).waitFor();
  await page.goto(`${facts.baseUrl}/console#/pass/solana/devnet/${onSolana}`);
  const accepted = verdictIn(page).getByText('ACCEPTED', { exact: true });
  await accepted.waitFor();
  expect(await verdictIn(page).textContent()).toContain('dApps accept this wallet until');
  expect(await colorOf(accepted)).toBe(GREEN);

  // Nobody touches either page.
  for (const each of [page, list.page]) await each.clock.fastForward((expiry - now() + 1) * 1_000);
  await verdictIn(page).getByText('EXPIRED', { exact: true }).waitFor();
  await row.getByText('EXPIRED', { exact: true }).waitFor();
  expect(await page.getByText('ACCEPTED').count()).toBe(0);
  expect(await verdictIn(page).textContent()).toMatch(/dApps refuse this wallet since .* UTC: the pass has expired\./);
  expect(await verdictIn(page).textContent()).not.toContain('The chain has the wanted state');
  // The record still says ACTIVE, without a color that promises something.
  for (const each of [page, list.page])
    for (const badge of await each.locator('.badge').all()) expect(await colorOf(badge)).not.toBe(GREEN);
  await view.screenshot('expired');

  await page.getByRole('button', { name: 'Freeze' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Freeze' }).click();
  await verdictIn(page).getByText('FROZEN', { exact: true }).waitFor();
  expect(await verdictIn(page).locator('.badge').allTextContents()).toEqual(['FROZEN', 'EXPIRED']);
  expect(await verdictIn(page).textContent()).toMatch(
    /dApps refuse this wallet since .* UTC: the pass is frozen and has expired\./,
  );
  await page.getByRole('button', { name: 'Unfreeze' }).click();
  await page.getByRole('dialog').getByText('dApps still refuse the wallet: the pass has expired.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
});

const event = (eventType: string) => ({ eventType, timestamp: 1 });
/** Records by wanted state, state on chain, expiry (`in` seconds from now, or `at` a time) and events. */
const RECORDS = [
  { state: 'ACTIVE', on: 'ACTIVE', badges: ['ACCEPTED'], text: 'dApps accept this wallet. The pass never expires.' },
  { state: 'ACTIVE', on: 'ACTIVE', in: MONTH, badges: ['ACCEPTED'], text: 'dApps accept this wallet until' },
  { state: 'ACTIVE', on: 'ACTIVE', in: HOUR, badges: ['ACCEPTED', 'EXPIRES SOON'], text: 'this wallet until' },
  {
    state: 'ACTIVE',
    on: 'ACTIVE',
    valid: false,
    badges: ['IN DOUBT'],
    text: 'In doubt: others have changed the token',
  },
  { state: 'ACTIVE', on: 'ACTIVE', in: -HOUR, badges: ['EXPIRED'], text: 'the pass has expired.' },
  { state: 'ACTIVE', on: 'ACTIVE', at: 0, badges: ['EXPIRED'], text: 'the pass has expired.' },
  {
    state: 'FROZEN',
    on: 'FROZEN',
    in: HOUR,
    badges: ['FROZEN'],
    text: 'dApps refuse this wallet: the pass is frozen.',
  },
  {
    state: 'FROZEN',
    on: 'FROZEN',
    in: -HOUR,
    badges: ['FROZEN', 'EXPIRED'],
    text: 'the pass is frozen and has expired.',
  },
  { state: 'FROZEN', on: 'ACTIVE', in: MONTH, badges: ['ACCEPTED'], text: 'The chain does not have the wanted state.' },
  { state: 'ACTIVE', on: 'FROZEN', in: HOUR, badges: ['FROZEN'], text: 'The chain does not have the wanted state.' },
  {
    state: 'REVOKED',
    on: 'REVOKED',
    in: -HOUR,
    badges: ['REVOKED'],
    text: 'dApps refuse this wallet: the pass is revoked.',
  },
  { state: 'REVOKED', on: 'NONE', badges: ['REVOKED'], text: 'dApps refuse this wallet: the pass is revoked.' },
  { state: 'REVOKED', on: 'ACTIVE', in: -HOUR, badges: ['EXPIRED'], text: 'does not have the wanted state.' },
  {
    state: 'REQUESTED',
    on: 'NONE',
    in: HOUR,
    badges: ['NOT ON CHAIN'],
    text: 'Not yet: dApps refuse this wallet. The pass is not on chain yet.',
  },
  {
    state: 'REQUESTED',
    on: 'NONE',
    events: ['TOKEN_ISSUED_INITIATED'],
    waitsFor: { code: 'no_funds', detail: "The operator's account needs funds." },
    badges: ['NOT ON CHAIN'],
    text: "the issuance waits for its transaction. The operator's account needs funds.",
  },
  { state: 'FROZEN', on: 'NONE', badges: ['NOT ON CHAIN', 'FROZEN'], text: 'is not on chain yet and is to be frozen.' },
  { state: 'REJECTED', on: 'NONE', badges: ['REJECTED'], text: 'because the chain refused the issuance.' },
  {
    state: 'ACTIVE',
    on: 'ACTIVE',
    in: HOUR,
    events: ['TOKEN_ISSUED', 'TOKEN_EXPIRED', 'TOKEN_EXPIRY_CHANGED_INITIATED'],
    badges: ['EXPIRED'],
    text: 'A change is under way: the new expiry waits for its transaction.',
  },
  {
    state: 'ACTIVE',
    on: 'ACTIVE',
    in: HOUR,
    events: ['TOKEN_ISSUED', 'TOKEN_EXPIRY_CHANGED_INITIATED'],
    badges: ['ACCEPTED'],
    text: 'dApps accept this wallet. A change of the expiry is not confirmed yet.',
  },
] as const;

it('shows the same verdict in the view of a pass and in the list, for every state on chain', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  for (const { state, on, badges, text, ...rest } of RECORDS) {
    const expiry = 'at' in rest ? rest.at : 'in' in rest ? now() + rest.in : undefined;
    const events = ('events' in rest ? rest.events : ['TOKEN_ISSUED']).map(event);
    const waitsFor = 'waitsFor' in rest ? rest.waitsFor : undefined;
    // The record is real except for these fields.
    const fields = { state, onChainState: on, expiryTimestamp: expiry, valid: !('valid' in rest), events, waitsFor };
    const change = (record: object) => ({ ...record, ...fields });
    await page.route(`**/pass/ethereum/sepolia/${wallet}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: change(await response.json()) });
    });
    await page.route('**/pass', async (route) => {
      const response = await route.fetch();
      const { records = [], ...others } = await response.json();
      await route.fulfill({ response, json: { ...others, records: records.map(change) } });
    });
    await window.show('Find');
    await window.find(wallet);
    await page.getByText('The passes of the wallet').waitFor();
    const cells = page.getByRole('row', { name: wallet }).getByRole('cell');
    await cells.last().getByText(badges[0], { exact: true }).waitFor();
    expect(await cells.last().locator('.badge').allTextContents(), `${state} ${on}`).toEqual(badges);
    await page.getByRole('link', { name: wallet }).click();
    await page.getByText(text).waitFor();
    expect(await verdictIn(page).locator('.badge').allTextContents(), `${state} ${on}`).toEqual(badges);
    await page.unrouteAll({ behavior: 'wait' });
  }
});
