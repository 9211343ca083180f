import { readFile } from 'node:fs/promises';
import { expect, inject, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { expectAccessible } from './open-console.ts';
import { openWindows } from './open-windows.ts';

/** Changes of many passes in the console, from a file or from marks in the list, and the export of a list. */

const acme = new LocalnetPartner(inject('gatepass'), 'acme');
const open = openWindows();

const fileOf = (...lines: string[]) => ({ name: 'w.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) });

it('freezes, renews and revokes the passes of a file after a confirmation that names their number', async () => {
  const wallets = [1, 2, 3].map(() => freshWallet('sepolia'));
  for (const wallet of wallets) await acme.issue('sepolia', wallet);
  for (const wallet of wallets) await acme.untilSettled('sepolia', wallet);
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await window.show('Change many passes');
  await page.getByText('The 0 marked passes').waitFor();
  const reason = '=cmd() case 4711';
  const file = page.locator('input[type=file]');
  await file.setInputFiles(fileOf('walletAddress,network', ...wallets.map((each) => `${each},sepolia`), 'x,nowhere'));
  await page.getByLabel('Reason (optional)').fill(reason);
  await expectAccessible(page, 'the change of many passes');
  await page.getByRole('button', { name: 'Continue' }).click();
  const dialog = page.getByRole('dialog', { name: 'Freeze 3 passes?' });
  await dialog.getByText('1 rows have faults and are left out').waitFor();
  await dialog.getByText(reason).waitFor();
  const changes: string[] = [];
  page.on('request', (request) => /\/passes?\b/.test(request.url()) && changes.push(request.url()));
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText(reason).waitFor();
  expect(changes).toEqual([]);
  await dialog.getByRole('button', { name: 'Freeze 3 passes' }).click();
  await page.getByText('4 of 4 rows: 3 accepted, 1 failed.').waitFor();
  for (const wallet of wallets) expect((await acme.fetch('sepolia', wallet)).state).toBe('FROZEN');

  const [downloaded] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the results' }).click(),
  ]);
  const text = await readFile(await downloaded.path(), 'utf8');
  expect(text.split('\n')).toHaveLength(6);
  expect(text).toContain('is not a network');

  await file.setInputFiles(fileOf('walletAddress,network', 'x,nowhere'));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').getByText('No row names a pass: line 2: "nowhere" is not a network').waitFor();

  // Rows with their own expiry, and one without.
  await page.getByLabel('Change').selectOption('renew');
  await file.setInputFiles(fileOf('walletAddress,network,expiryTimestamp', `${wallets[0]},sepolia,`));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').getByText('Some passes have no new expiry').waitFor();
  await file.setInputFiles(fileOf('walletAddress,network,expiryTimestamp', `${wallets[0]},sepolia,1950000000`));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Renew 1 pass' }).click();
  await page.getByText('1 of 1 rows: 1 accepted, 0 failed.').waitFor();
  expect((await acme.fetch('sepolia', wallets[0] as string)).expiryTimestamp).toBe(1_950_000_000);

  await page.getByLabel('Change').selectOption('revoke');
  await file.setInputFiles(fileOf('walletAddress,network', ...wallets.map((each) => `${each},sepolia`)));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('dialog').getByText('A revocation is final').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke 3 passes' }).click();
  await page.getByText('3 of 3 rows: 3 accepted, 0 failed.').waitFor();
  for (const wallet of wallets) expect((await acme.fetch('sepolia', wallet)).state).toBe('REVOKED');
});

it('sends the work again after a fault, and says if nobody knows what became of a row', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await window.show('Change many passes');
  let requests = 0;
  await page.route('**/passes', (route) => {
    requests += 1;
    return requests === 1 ? route.abort() : route.continue();
  });
  await page.locator('input[type=file]').setInputFiles(fileOf('walletAddress,network', `${wallet},sepolia`));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Freeze 1 pass' }).click();
  await page.getByText('1 of 1 rows: 1 accepted, 0 failed.').waitFor();
  expect(requests).toBe(2);
  expect((await acme.fetch('sepolia', wallet)).state).toBe('FROZEN');
});

it('changes the passes that are marked in the list, and exports the list as a file without formulas', async () => {
  const reference = `=cmd() ${crypto.randomUUID()}`;
  const wallets = [1, 2, 3].map(() => freshWallet('sepolia'));
  for (const wallet of wallets) await acme.issue('sepolia', wallet, { reference });
  for (const wallet of wallets) await acme.untilSettled('sepolia', wallet);
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await page.goto(`${inject('gatepass').baseUrl}/console#/find?reference=${encodeURIComponent(reference)}`);
  await page.getByRole('checkbox', { name: `Mark ${wallets[0]} on sepolia` }).check();
  await page.getByRole('link', { name: 'Change 1 marked' }).waitFor();
  await page.getByRole('button', { name: 'Mark this page' }).click();
  const [exported] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ]);
  const lines = (await readFile(await exported.path(), 'utf8')).trim().split('\n');
  expect(lines[0]).toBe(
    'chain,network,walletAddress,state,onChainState,valid,validUntil,expiryTimestamp,id,reference,subject',
  );
  expect(lines).toHaveLength(4);
  for (const wallet of wallets) {
    const line = lines.find((each) => each.includes(wallet));
    expect(line).toMatch(/^ethereum,sepolia,0x[0-9a-fA-F]{40},ACTIVE,ACTIVE,true,,,[0-9a-f-]{36},'=cmd\(\) /);
  }

  await page.getByRole('link', { name: 'Change 3 marked' }).click();
  await page.getByText('The 3 marked passes').waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Freeze 3 passes' }).click();
  await page.getByText('3 of 3 rows: 3 accepted, 0 failed.').waitFor();
  for (const wallet of wallets) expect((await acme.fetch('sepolia', wallet)).state).toBe('FROZEN');
  // The marks have done their work.
  await page.getByText('The 0 marked passes').waitFor();
});
