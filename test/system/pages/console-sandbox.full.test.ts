import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, inject, it } from 'vitest';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { type Browser, startChromium } from '../chromium.ts';
import { openConsole } from './open-console.ts';

/** The console with the localnet of `npm run dev -- --sandbox`. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-sandbox-console-'));
let gatepass: Gatepass;
let browser: Browser;

beforeAll(async () => {
  gatepass = await startGatepass({ folder, sandbox: true, config: inject('builtWorker') });
  browser = await startChromium();
});
afterAll(async () => {
  await browser?.close();
  await gatepass?.stop();
  rmSync(folder, { recursive: true });
});

it('shows the passes of the sandbox to the staff who sign in, and issues on every network', async () => {
  const { facts } = gatepass;
  const wallet = freshWallet('sepolia');
  const partner = new LocalnetPartner(facts, 'sandbox');
  await partner.issue('sepolia', wallet, { reference: 'order 4711' });
  await partner.untilSettled('sepolia', wallet);
  const { page, show, find, untilOnChain } = await openConsole(browser, facts.baseUrl);
  // By the buttons that a person sees.
  await page.getByRole('button', { name: 'Sign in as staff of a partner' }).click();
  await page.getByRole('button', { name: 'Staff of the partner sandbox' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await show('Find');
  await page
    .getByRole('row', { name: /order 4711/ })
    .getByText('ACCEPTED')
    .waitFor();
  await show('Overview');
  await page.getByRole('link', { name: '1 active, also if expired' }).waitFor();
  await page.getByRole('table', { name: 'The newest first' }).getByText('Issued').waitFor();
  await show('Issue');
  const issued = freshWallet('polygonAmoy');
  const form = page.locator('form').first();
  await form.getByLabel('Network').selectOption('polygonAmoy');
  await form.getByLabel('Wallet').fill(issued);
  await form.getByRole('button', { name: 'Issue', exact: true }).click();
  await page.getByRole('link', { name: `see the pass of ${issued}` }).click();
  await untilOnChain('ACTIVE');
  await show('Find');
  await find(issued);
  await page.getByRole('row', { name: 'polygonAmoy' }).waitFor();
});
