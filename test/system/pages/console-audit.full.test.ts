import { expect, inject, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { openWindows } from './open-windows.ts';

/** The filters and the links of the audit trails in the console. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const open = openWindows();
const TODAY = new Date().toISOString().slice(0, 10);

async function frozenWallet(reason: string) {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  await acme.update('sepolia', wallet, { state: 'FROZEN', reason });
  return wallet;
}

it('shows staff the entries of an action and of a day, which lead to the pass and the network', async () => {
  const wallet = await frozenWallet('case 4711');
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await window.show('Audit');
  const rows = page.getByRole('table', { name: 'Audit trail' }).locator('tbody tr');
  const frozen = rows.filter({ hasText: 'Freeze requested' }).filter({ hasText: wallet });
  await page.getByLabel('Action').selectOption({ label: 'Freeze requested' });
  await page.getByLabel('From (UTC)').fill(TODAY);
  await page.getByLabel('To (UTC)').fill(TODAY);
  await page.getByRole('button', { name: 'Apply' }).click();
  await frozen.waitFor();
  expect(new URL(page.url()).hash).toBe(`#/audit?action=pass.freeze&from=${TODAY}&to=${TODAY}`);
  expect(await rows.filter({ hasNotText: 'Freeze requested' }).count()).toBe(0);
  // The view of a link has the same filters in its form.
  await page.reload();
  await frozen.waitFor();
  expect(await page.getByLabel('Action').inputValue()).toBe('pass.freeze');
  await frozen.getByRole('link', { name: 'sepolia' }).click();
  await page.getByRole('heading', { name: 'Find', exact: true }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/find?network=sepolia');
  await page.goBack();
  await frozen.getByRole('link', { name: wallet }).click();
  await page.getByRole('region', { name: 'dApps' }).waitFor();
  await page.goBack();
  await page.getByLabel('From (UTC)').fill('2020-01-01');
  await page.getByLabel('To (UTC)').fill('2020-01-02');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('No entry matches these filters.').waitFor();
  await page.getByRole('link', { name: 'Clear' }).click();
  await rows.first().waitFor();
});

it('shows the operator the trail of a gatekeeper network, which leads to the partner, the network and the pass', async () => {
  const wallet = await frozenWallet('case 4712');
  const key = facts.partners.find(({ name }) => name === 'acme')?.gatekeeperNetwork ?? '';
  const window = await open();
  const { page } = window;
  await window.signIn('operator', 'the operator');
  await window.show('Audit');
  await page.getByRole('table', { name: 'Audit trail of the operators' }).getByText('Signed in').first().waitFor();
  await page.getByRole('searchbox', { name: 'Gatekeeper network' }).fill(key);
  await page.getByRole('button', { name: 'Apply' }).click();
  const rows = page.getByRole('table', { name: `Audit trail of ${key}` }).locator('tbody tr');
  const frozen = rows.filter({ hasText: 'case 4712' });
  await frozen.getByRole('link', { name: 'acme' }).click();
  const partners = page.getByRole('table', { name: '1 partner' });
  await partners.getByText(key).waitFor();
  await page.getByText('Only acme.').waitFor();
  await page.goBack();
  await frozen.getByRole('link', { name: 'sepolia' }).click();
  await page.getByRole('heading', { name: 'Signers' }).waitFor();
  await page.getByText('Only sepolia.').waitFor();
  await page.goBack();
  await frozen.getByRole('link', { name: wallet }).click();
  await page.getByRole('heading', { name: 'Why not active' }).waitFor();
  await page.getByRole('region', { name: `Pass in ${key}` }).waitFor();
});
