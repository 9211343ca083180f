import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { type Browser, startChromium } from '../chromium.ts';
import { openPreparedState } from '../prepared-state.ts';
import { type ConsoleWindow, chooseAccount, expectAccessible, openConsole } from './open-console.ts';

/** The console for the operator, over a localnet of its own, whose signer runs out of funds. */

let state: StateFolder;
let gatepass: Gatepass;
let browser: Browser;
let window: ConsoleWindow;

beforeAll(async () => {
  state = openPreparedState(inject('preparedState'));
  gatepass = await startGatepass({ folder: state.folder, hasDatabase: true, config: inject('builtWorker') });
  browser = await startChromium();
  window = await openConsole(browser, gatepass.facts.baseUrl);
  await window.signIn('operator', 'the operator');
});

afterAll(async () => {
  await browser?.close();
  await gatepass?.stop();
  state?.close();
});

/** Calls the node of sepolia. */
async function callNode<Result>(method: string, ...params: unknown[]): Promise<Result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(gatepass.facts.rpc.sepolia as string, { method: 'POST', headers, body });
  return ((await response.json()) as { result: Result }).result;
}

/** Expects that the overview shows what waits, with links to the views that explain it. */
async function expectOverviewOf(waiting: readonly string[]): Promise<void> {
  const { page, tokens } = window;
  const [authorization = ''] = tokens;
  const report = { command: 'deploy', environment: 'production', arguments: ['--env', 'production', 'v1.2.3'] };
  const headers = { authorization, 'content-type': 'application/json' };
  const recorded = await fetch(`${gatepass.facts.baseUrl}/admin/audit`, {
    ...{ method: 'POST', headers, body: JSON.stringify(report) },
  });
  expect(recorded.status).toBe(201);
  await window.show('Overview');
  const main = page.getByRole('main');
  await main.getByRole('link', { name: /^The signer of sepolia is paused: .*funds/ }).waitFor();
  await main.getByRole('link', { name: `${waiting.length} passes wait`, exact: true }).waitFor();
  await main.locator('dl[aria-label="Waiting by reason"] dt').first().waitFor();
  const row = main.getByRole('table', { name: '3 networks' }).getByRole('row', { name: /^sepolia/ });
  await row.getByText('PAUSED').waitFor();
  await main.getByText(/^deploy v1\.2\.3 to production by operator, .* UTC$/).waitFor();
  await window.screenshot('operator-overview-with-alerts');
  await main.getByRole('link', { name: 'deploy v1.2.3' }).click();
  await page.getByRole('table', { name: 'Audit trail of the operators' }).getByText('Command run').waitFor();
  await page.goBack();
  await row.getByRole('link', { name: 'sepolia' }).click();
  await page.getByText('Only sepolia.').waitFor();
  await page.getByRole('region', { name: /^Signer .* on sepolia$/ }).waitFor();
  expect(await page.getByRole('region', { name: /^Signer / }).count()).toBe(1);
}

it('shows a signer run dry, redrives the stuck pass, and shows the signer recover', async () => {
  const { page } = window;
  const acme = new LocalnetPartner(gatepass.facts, 'acme');
  const { ethereum: key } = gatepass.facts.gatekeeper;
  const first = freshWallet('sepolia');
  await acme.issue('sepolia', first);
  await acme.untilSettled('sepolia', first);
  await window.show('Signers');
  const signer = page.getByRole('region', { name: `Signer ${key} on sepolia` });
  const fact = (name: string) => signer.locator(`dt:text-is("${name}") + dd`);
  await expect.poll(() => fact('Passes left').textContent()).toMatch(/^[\d,]{4,}$/);
  await expect.poll(() => fact('Balance').textContent()).toMatch(/^9,999\.\d+ coins$/);
  const watcher = page
    .getByRole('table', { name: 'Changes by others on each network' })
    .getByRole('row', { name: /^sepolia/ });
  await expect.poll(() => watcher.textContent()).toMatch(/^sepolia\d+ s ago\s*00$/);
  const contract = signer.getByRole('table', { name: 'Control of the contract' }).getByRole('row').nth(1);
  await contract.getByText('the public build').waitFor();
  expect(await contract.getByText(/^0x[0-9a-fA-F]{40}/).count()).toBeGreaterThan(0);
  await window.screenshot('signers');

  const balance = await callNode<string>('eth_getBalance', key, 'latest');
  await callNode('anvil_setBalance', key, '0x0');
  const wallets = [freshWallet('sepolia'), freshWallet('sepolia')];
  for (const wallet of wallets) await acme.issue('sepolia', wallet);
  await signer.getByText('PAUSED').waitFor();
  await signer.getByText(/the gatekeeper has no funds/).waitFor();
  await expect.poll(() => fact('Balance').textContent()).toBe('0 coins');
  await expect.poll(() => fact('Passes left').textContent()).toBe('0');
  await expect.poll(() => fact('Waiting').textContent()).toMatch(/[12] single/);
  await window.screenshot('signer-without-funds');
  await expectOverviewOf(wallets);

  await window.show('Stuck passes');
  const row = page.getByRole('row', { name: new RegExp(wallets[0] ?? '') });
  await row.waitFor();
  expect(await row.textContent()).toMatch(/funds|broadcast|node/i);
  const reasons = page.locator('dl[aria-label="Waiting by reason"]');
  await reasons.waitFor();
  expect(await reasons.locator('dt').allTextContents()).toEqual(
    expect.arrayContaining([expect.stringMatching(/^[12]$/)]),
  );
  await window.screenshot('stuck');

  await page.getByRole('link', { name: wallets[0] ?? '' }).click();
  const explained = page.getByRole('region', { name: /^Pass in / });
  await explained.getByRole('status').waitFor();
  const of = (name: string) => explained.locator(`dt:text-is("${name}") + dd`);
  // The reason changes with the tries: no funds, or a node that refuses the transaction.
  await expect.poll(() => explained.getByRole('status').textContent()).toMatch(/^[A-Z].*\. [A-Z].*\.$/);
  await expect.poll(() => of('Signer').textContent()).toContain(`ethereum/sepolia/${key}`);
  await expect.poll(() => of('Step').textContent()).toMatch(/^issue \(.+:1\), tried \d+ times$/);
  await expect.poll(() => of('Node').textContent()).toBe('answers');
  await expectAccessible(page, 'Why not active');
  await window.screenshot('why-not-active');
  // By hand, for a wallet without a problem.
  const lookUp = async (wallet: string) => {
    await page.getByLabel('Network').selectOption('sepolia');
    await page.getByLabel('Wallet').fill(wallet);
    await page.getByRole('button', { name: 'Look up' }).click();
  };
  await lookUp(first);
  await explained.getByText('The pass is ACTIVE, and dApps accept the wallet. Nothing.').waitFor();
  await window.show('Stuck passes');
  // The signer tries again by itself. With funds before the click, it could send the pass first.
  await page.route('**/admin/redrive', async (route) => {
    await callNode('anvil_setBalance', key, balance);
    await route.continue();
  });
  await page.getByRole('button', { name: `Redrive ${wallets[0]}` }).click();
  await page.getByText('Redriven: 1.').waitFor();
  for (const wallet of wallets) await acme.untilSettled('sepolia', wallet, { withinMs: 90_000 });
  await page.getByText('No pass is stuck.').waitFor();
  await window.show('Signers');
  await signer.getByText('PAUSED').waitFor({ state: 'detached' });
  await expect.poll(() => fact('Balance').textContent()).toMatch(/^9,999\./);
});

it('shows the rules of a partner for subjects, and the persons in its usage', async () => {
  const { page } = window;
  const acme = new LocalnetPartner(gatepass.facts, 'acme');
  const subject = 'p-4711';
  for (const wallet of [freshWallet('sepolia'), freshWallet('sepolia')]) {
    await acme.issue('sepolia', wallet, { subject });
    await acme.untilSettled('sepolia', wallet);
  }
  const acmes = gatepass.facts.partners.find(({ name }) => name === 'acme');
  const [authorization = ''] = window.tokens;
  const changed = await fetch(`${gatepass.facts.baseUrl}/admin/gatekeeper-networks/${acmes?.gatekeeperNetwork}/rules`, {
    method: 'PATCH',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ subjectMaxPasses: 2, subjectMaxPassesPerNetwork: 1, subjectRequired: false }),
  });
  expect(changed.status).toBe(200);
  await window.show('Partners');
  const partners = page.getByRole('table', { name: /partners$/ });
  const rules = await partners.getByRole('row', { name: /^acme/ }).textContent();
  expect(rules).toContain('at most 2 passes, at most 1 pass on each network');
  expect(await partners.getByRole('row', { name: /^globex/ }).textContent()).toContain('none');
  await window.show('Usage');
  await page.getByText('1 person has 2 active passes.').waitFor();
  expect(await page.getByText(/persons? ha(s|ve)/).count()).toBe(1);
});

it('shows every view without a fault of the browser, and axe finds nothing serious', async () => {
  const { page, complaints, hosts } = window;
  for (const view of [
    ...[
      'Overview',
      'Signers',
      'Stuck passes',
      'Why not active',
      'Partners',
      'Webhooks and reconciliation',
      'Usage',
      'Audit',
    ],
  ]) {
    await window.show(view);
    await window.untilLoaded();
    await expectAccessible(page, view);
    await window.screenshot(`operator-${view.toLowerCase().replaceAll(' ', '-')}`);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  for (const view of [
    'Overview',
    'Signers',
    'Stuck passes',
    'Why not active',
    'Webhooks and reconciliation',
    'Usage',
    'Audit',
  ]) {
    await window.show(view);
    await window.untilLoaded();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), view).toBeLessThanOrEqual(
      0,
    );
  }
  expect(complaints).toEqual([]);
  const { baseUrl, issuer } = gatepass.facts;
  expect([...hosts].toSorted()).toEqual([new URL(baseUrl).host, new URL(issuer).host].toSorted());
});

it('warns that a list is incomplete if a database did not answer', async () => {
  const { page } = window;
  // The tests of the routes stop a database. Here, only the field in their answer differs.
  for (const path of ['webhooks', 'stuck'])
    await page.route(new RegExp(`/admin/${path}\\b`), async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), unreadShards: ['DB_1'] } });
    });
  for (const view of ['Webhooks and reconciliation', 'Stuck passes']) {
    await window.show(view);
    await page.getByText('These databases did not answer: DB_1').waitFor();
  }
  await page.unrouteAll({ behavior: 'wait' });
});

it('gives the operator no right of a partner, and staff no right of the operator', async () => {
  const other = await openConsole(browser, gatepass.facts.baseUrl);
  await other.page.getByRole('button', { name: 'Sign in as the operator' }).click();
  await chooseAccount(other.page, 'staff');
  await other.page
    .getByRole('alert')
    .getByText(/refused the sign-in: access_denied/)
    .waitFor();
  const [authorization = ''] = window.tokens;
  const { baseUrl } = gatepass.facts;
  const asPartner = await fetch(`${baseUrl}/usage`, { headers: { authorization } });
  expect([asPartner.status, ((await asPartner.json()) as { code: string }).code]).toEqual([401, 'token_invalid']);
  const staff = await openConsole(browser, baseUrl);
  await staff.signIn('staff');
  const [ofStaff = ''] = staff.tokens;
  const asOperator = await fetch(`${baseUrl}/admin/signers`, { headers: { authorization: ofStaff } });
  expect(asOperator.status).toBe(401);
});
