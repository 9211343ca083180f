import { expect, inject, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { expectAccessible } from './open-console.ts';
import { openWindows } from './open-windows.ts';

/**
 * The view of a person: all wallets, one answer, and the changes of all passes. The limits count each person who signs in, and most other tests
 * of the console sign in as another one.
 */

const facts = inject('gatepass');
const globex = new LocalnetPartner(facts, 'globex');
const open = openWindows();

it('issues for a person, finds all wallets, and freezes, unfreezes and revokes them', {
  timeout: 180_000,
}, async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('globex-staff');
  // A slash and a percent sign must not change the address of a request.
  const subject = `p-${freshWallet('sepolia').slice(2, 12)}/%2e`;
  const wallets = [freshWallet('sepolia'), freshWallet('devnet')] as const;
  await globex.issue('sepolia', wallets[0]);
  await globex.untilSettled('sepolia', wallets[0]);

  await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallets[0]}`);
  await page.getByRole('button', { name: 'Change the subject' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Subject' }).fill(subject);
  await page.getByRole('dialog').getByRole('button', { name: 'Change the subject' }).click();
  await page.getByRole('link', { name: subject }).click();
  await page.getByRole('heading', { name: 'Person', level: 1 }).waitFor();
  const verdict = page.getByRole('region', { name: 'dApps' });
  await verdict.getByText('dApps accept 1 of 1 wallet of this person.').waitFor();

  await page.getByRole('link', { name: 'Issue for another wallet' }).click();
  await page.getByRole('combobox', { name: 'Network' }).first().selectOption('devnet');
  await page.getByRole('textbox', { name: 'Wallet' }).fill(wallets[1]);
  expect(await page.getByRole('textbox', { name: 'Subject' }).inputValue()).toBe(subject);
  await page.getByRole('button', { name: 'Issue', exact: true }).click();
  await page.getByText('Accepted:').waitFor();
  await globex.untilSettled('devnet', wallets[1]);

  await window.show('Find');
  await page.getByRole('searchbox', { name: 'Or subject' }).fill(subject);
  await page.getByRole('button', { name: 'Find' }).click();
  for (const wallet of wallets) await page.getByRole('row', { name: wallet }).waitFor();
  await page.getByRole('link', { name: 'Show the person' }).click();
  await verdict.getByText('dApps accept 2 of 2 wallets of this person.').waitFor();
  await expectAccessible(page, 'Person');

  await page.getByRole('button', { name: 'Freeze' }).click();
  const dialog = page.getByRole('dialog');
  await expectAccessible(page, 'Person, dialog');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('case 7');
  await dialog.getByRole('button', { name: 'Freeze' }).click();
  await verdict.getByText('This person is frozen: dApps refuse all wallets.').waitFor();
  expect(await verdict.locator('.badge').allTextContents()).toEqual(['FROZEN']);
  await page.getByText('2 of 2 passes').waitFor();
  expect(await page.getByRole('link', { name: 'Issue for another wallet' }).count()).toBe(0);
  await window.screenshot('person');

  await page.getByRole('link', { name: wallets[0] }).click();
  await page.getByRole('button', { name: 'Unfreeze' }).click();
  await dialog.getByRole('button', { name: 'Unfreeze' }).click();
  await dialog.getByText('The subject of the pass is frozen. Unfreeze the person.').waitFor();
  expect(window.complaints.splice(0)).toEqual([expect.stringContaining('the server responded with a status of 409')]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: subject }).click();

  await page.getByRole('button', { name: 'Unfreeze' }).click();
  await dialog.getByRole('button', { name: 'Unfreeze' }).click();
  await verdict.getByText('dApps accept 2 of 2 wallets of this person.').waitFor();
  const address = page.url();
  await window.show('Usage');
  // Other tests name subjects of the same partner.
  await page.getByText(/^(1 person has|\d+ persons have) \d+ active passes\.$/).waitFor();
  await page.goto(address);

  await page.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByText('A revocation is final.').waitFor();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await verdict.getByText('This person is revoked: dApps refuse all wallets.').waitFor();
  for (const name of ['Freeze', 'Unfreeze', 'Renew', 'Revoke'])
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);

  for (const [address, text] of [
    ['no-such-subject', 'No pass has this subject.'],
    ['..', 'The address names no subject.'],
  ]) {
    await page.goto(`${facts.baseUrl}/console#/subject/${address}`);
    await page.getByText(`${text}`).waitFor();
  }
});
