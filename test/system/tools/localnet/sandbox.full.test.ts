import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Gatepass, startGatepass } from '../../../../tools/localnet/gatepass.ts';
import { freshWallet } from '../../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../../tools/localnet/partner/localnet-partner.ts';
import { startChromium } from '../../chromium.ts';
import { openConsole } from '../../pages/open-console.ts';

/** The localnet of `npm run dev -- --sandbox`. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-sandbox-'));
let gatepass: Gatepass;

beforeAll(async () => {
  gatepass = await startGatepass({ folder, sandbox: true, config: inject('builtWorker') });
});
afterAll(async () => {
  await gatepass?.stop();
  rmSync(folder, { recursive: true });
});

it('has no node, and issues passes of the partner in the sandbox', async () => {
  const { facts } = gatepass;
  expect([facts.rpc, facts.gatewayToken]).toEqual([{}, {}]);
  expect(Object.keys(facts.pids).toSorted()).toEqual(['oauth', 'proxy', 'worker', 'workerd']);
  const partner = new LocalnetPartner(facts, 'sandbox');
  for (const network of ['sepolia', 'mainnet', 'devnet', 'mainnet-beta']) {
    const wallet = freshWallet(network);
    await partner.issue(network, wallet);
    expect(await partner.untilSettled(network, wallet)).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
  }
});

it('shows the passes of the sandbox in the console to the staff who sign in, and issues there on every network', async () => {
  const { facts } = gatepass;
  const wallet = freshWallet('sepolia');
  const partner = new LocalnetPartner(facts, 'sandbox');
  await partner.issue('sepolia', wallet, { reference: 'order 4711' });
  await partner.untilSettled('sepolia', wallet);
  const browser = await startChromium();
  try {
    const { page, signIn, show, find, untilOnChain } = await openConsole(browser, facts.baseUrl);
    await signIn('sandbox-staff');
    await page.getByRole('table', { name: 'The newest first' }).getByRole('link', { name: wallet }).first().waitFor();
    await show('Find');
    await page
      .getByRole('row', { name: /order 4711/ })
      .getByText('ACCEPTED')
      .waitFor();
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
  } finally {
    await browser.close();
  }
});
