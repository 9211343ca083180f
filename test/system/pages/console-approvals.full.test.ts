import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { type Browser, startChromium } from '../chromium.ts';
import { openPreparedState } from '../prepared-state.ts';
import { type ConsoleWindow, expectAccessible, openConsole } from './open-console.ts';

/** The view of the actions that wait for a second person, for two operators and for one who may only read. */

let state: StateFolder;
let gatepass: Gatepass;
let browser: Browser;

beforeAll(async () => {
  state = openPreparedState(inject('preparedState'));
  const variables = { SECOND_PERSON: '{"revocations": 0}' };
  const config = inject('builtWorker');
  gatepass = await startGatepass({ folder: state.folder, hasDatabase: true, config, variables });
  browser = await startChromium();
});

afterAll(async () => {
  await browser?.close();
  await gatepass?.stop();
  state?.close();
});

async function signedIn(account: string): Promise<ConsoleWindow> {
  const window = await openConsole(browser, gatepass.facts.baseUrl);
  await window.signIn(account, 'the operator');
  return window;
}

/** Asks for the revocation of these wallets, as the person of the window. */
async function askToRevoke(
  { tokens }: ConsoleWindow,
  { gatekeeperNetwork }: { readonly gatekeeperNetwork: string },
  choice: 'passes' | 'wallets',
  wallets: readonly string[],
) {
  const [authorization = ''] = tokens;
  const listed = wallets.map((walletAddress) => ({
    ...{ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', walletAddress },
  }));
  const answer = await fetch(`${gatepass.facts.baseUrl}/admin/revocations`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ [choice]: listed, reason: 'the secret of the partner was stolen' }),
  });
  expect(answer.status).toBe(202);
}

it('lists what waits, lets only another person decide, and does what is confirmed', async () => {
  const acme = new LocalnetPartner(gatepass.facts, 'acme');
  const wallets = Array.from({ length: 40 }, () => freshWallet('sepolia'));
  const [one = '', ...others] = wallets;
  await acme.issue('sepolia', one);
  const asking = await signedIn('operator');
  await askToRevoke(asking, acme, 'passes', [one]);
  await askToRevoke(asking, acme, 'wallets', others);
  await asking.show('Approvals');
  await expect.poll(() => asking.page.getByText('Another person decides').count()).toBe(2);

  const reading = await signedIn('auditor');
  await reading.show('Approvals');
  await expect.poll(() => reading.page.getByText('You may only read').count()).toBe(2);

  const deciding = await signedIn('second-operator');
  const { page } = deciding;
  await deciding.show('Approvals');
  await page
    .getByRole('button', { name: /^Reject/ })
    .last()
    .waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page, `Approvals, ${colorScheme}`);
  }
  for (const width of [1280, 375, 360]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await deciding.screenshot(`approvals-${width}`);
  }
  await page
    .getByRole('button', { name: /^Reject/ })
    .last()
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await page.getByText('Rejected. Nothing was done.').waitFor();
  const confirm = page.getByRole('button', { name: /^Confirm/ });
  await expect.poll(() => confirm.count()).toBe(1);
  await confirm.click();
  const dialog = page.getByRole('dialog', { name: 'Confirm: Revoke passes?' });
  await dialog.waitFor();
  await expectAccessible(page, 'Approvals, dialog');
  await deciding.screenshot('approvals-dialog');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Revoke passes: done, 1.').waitFor();
  await page.getByText('No action waits.').waitFor();
  expect(await acme.fetch('sepolia', one)).toMatchObject({ state: 'REVOKED' });
  for (const { complaints } of [asking, reading, deciding]) expect(complaints).toEqual([]);
});

it('says how many items could not be done', async () => {
  const asking = await signedIn('operator');
  const withoutPartner = { gatekeeperNetwork: freshWallet('devnet') };
  await askToRevoke(asking, withoutPartner, 'wallets', [freshWallet('sepolia')]);
  const deciding = await signedIn('second-operator');
  const { page } = deciding;
  await deciding.show('Approvals');
  await page.getByRole('button', { name: /^Confirm/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Revoke passes: done. 1 could not be done: ask for them again.').waitFor();
  for (const { complaints } of [asking, deciding]) expect(complaints).toEqual([]);
});
