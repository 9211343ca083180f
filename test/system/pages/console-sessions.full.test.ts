import { readFile } from 'node:fs/promises';
import { expect, inject, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { eventually } from '../../eventually.ts';
import { LONG } from '../../form.ts';
import { chooseAccount, expectAccessible } from './open-console.ts';
import { openWindows } from './open-windows.ts';

/** Work in the console that meets faults, an expired token or a new sign-in. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const open = openWindows();

/** More than a request takes. */
const ROWS = LONG ? 201 : 111;

it(`issues the passes of ${ROWS} rows of a CSV file, and offers the results as a file`, async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await window.show('Issue');
  // The first request gets no answer, and the second one loses its end. The run sends both again.
  let requests = 0;
  await page.route('**/passes', async (route) => {
    requests += 1;
    if (requests === 1) return route.abort();
    if (requests > 2) return route.continue();
    const response = await route.fetch();
    return route.fulfill({ response, body: (await response.text()).slice(0, 1_000) });
  });
  const wallets = Array.from({ length: ROWS - 2 }, (_, index) => freshWallet(index % 2 ? 'sepolia' : 'devnet'));
  const rows = wallets.map((wallet, index) => `${wallet},${index % 2 ? 'sepolia' : 'devnet'},`);
  // The service would refuse a whole request for the contradiction in the last row.
  const contradiction = `${wallets[0]},devnet,1893456000`;
  // As Excel writes it in many languages, with an empty row at the end.
  const written = ['walletAddress,network,expiryTimestamp', ...rows, '=1+2,sepolia,', contradiction, ',,'];
  const buffer = Buffer.from(`\ufeff${written.join('\r\n').replaceAll(',', '\t')}`, 'utf16le');
  await page.locator('input[type=file]').setInputFiles({ name: 'w.txt', mimeType: 'text/plain', buffer });
  await page.getByRole('button', { name: 'Issue all' }).click();
  // The run continues while another view is open, and shows its results afterwards.
  await window.show('Find');
  await window.show('Issue');
  await page.getByText(`${ROWS} of ${ROWS} rows: ${ROWS - 2} accepted, 2 failed.`).waitFor();
  await page.getByText('Skipped empty rows: 1.').waitFor();
  expect(requests).toBe(4);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download the results' }).click();
  const results = await readFile(await (await download).path(), 'utf8');
  const [head, ...lines] = results.trim().split('\n');
  expect(head).toBe('network,walletAddress,reference,outcome,detail,pass,requestId');
  expect(lines).toHaveLength(ROWS);
  expect(lines.filter((line) => line.includes(',accepted,'))).toHaveLength(ROWS - 2);
  // A spreadsheet must not run the cell.
  expect(lines[ROWS - 2]).toMatch(/^sepolia,'=1\+2,,failed,"invalid_wallet: .* The wallet must .*",,[0-9a-f-]{36}$/);
  expect(lines[ROWS - 1]).toContain(`line ${ROWS + 1}: line 2 has another expiry for this pass`);
  await window.screenshot('csv');
  await acme.untilAllSettled('sepolia', wallets.filter((_, index) => index % 2).slice(-3));
});

it('asks for a new sign-in when the token expires during a CSV run, and continues with the next rows', async () => {
  const window = await open();
  const { page, tokens } = window;
  await window.signIn('staff');
  await window.show('Issue');
  // A slow connection: the token expires while the first request is under way.
  let requests = 0;
  await page.route('**/passes', async (route) => {
    requests += 1;
    if (requests === 1) await page.clock.setFixedTime(Date.now() + 2 * 86_400_000);
    await route.continue();
  });
  const rows = Array.from({ length: 101 }, () => freshWallet('baseSepolia'));
  const buffer = Buffer.from(['walletAddress', ...rows].join('\n'));
  await page.locator('input[type=file]').setInputFiles({ name: 'w.csv', mimeType: 'text/csv', buffer });
  await page.getByLabel('Network of rows without one').selectOption('baseSepolia');
  await page.getByRole('button', { name: 'Issue all' }).click();
  await page.getByText('Your sign-in has expired').waitFor();
  await window.screenshot('expired');
  await expectAccessible(page, 'the dialog of a new sign-in');
  const prompts: (string | null)[] = [];
  page.context().on('request', (request) => {
    const url = new URL(request.url());
    if (url.searchParams.has('code_challenge')) prompts.push(url.searchParams.get('prompt'));
  });
  const again = async (account: string) => {
    const popup = page.context().waitForEvent('page');
    await page.getByRole('button', { name: 'Sign in again' }).click();
    const other = await popup;
    // The authorization server may know the person still.
    await other.waitForURL(/sign-in|callback/).catch(() => {});
    if (!other.isClosed() && other.url().includes('/sign-in/')) await chooseAccount(other, account);
  };
  // The authorization server knows the person still, unless the browser forgets it.
  await page.context().clearCookies();
  await again('globex-staff');
  await page
    .getByRole('alertdialog')
    .getByText(/Sign in with the same account/)
    .waitFor();
  await again('staff');
  await page.getByText('101 of 101 rows: 101 accepted, 0 failed.').waitFor();
  expect(tokens.size).toBe(2);
  expect(await page.getByText('Your sign-in has expired').count()).toBe(0);
  // The authorization server must not choose the wrong account by itself again.
  expect(prompts).toEqual([null, 'login']);
});

it('repeats a request with the new token if its refusal of the old one comes after the new sign-in', async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await window.find(freshWallet('baseSepolia'));
  await page.getByText('This wallet has no pass.').waitFor();
  await window.show('Issue');
  const refusal = Promise.withResolvers<void>();
  let requests = 0;
  await page.route('**/passes', async (route) => {
    requests += 1;
    if (requests > 1) return route.continue();
    await refusal.promise;
    return route.fulfill({ status: 401, json: { status: 401, code: 'token_invalid', detail: 'The token expired.' } });
  });
  const buffer = Buffer.from(`walletAddress,network\n${freshWallet('baseSepolia')},baseSepolia\n`);
  await page.locator('input[type=file]').setInputFiles({ name: 'w.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Issue all' }).click();
  await eventually(() => expect(requests).toBe(1));
  await page.clock.setFixedTime(Date.now() + 2 * 86_400_000);
  await window.show('Usage');
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  refusal.resolve();
  await window.show('Issue');
  await page.getByText('1 of 1 rows: 1 accepted, 0 failed.').waitFor();
  expect(requests).toBe(2);
});

it('asks for a new sign-in above an open dialog, and drops a change if the person signs out instead', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  await acme.untilSettled('sepolia', wallet);
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallet}`);
  /** Confirms a change some days later, when the token has expired. */
  const confirmLate = async (change: string, days: number) => {
    await page.getByRole('button', { name: change }).click();
    await page.clock.setFixedTime(Date.now() + days * 86_400_000);
    // The view may refresh first. Its request then opens the dialog of the sign-in above this one, which a mouse cannot reach.
    await page.getByRole('dialog').getByRole('button', { name: change }).dispatchEvent('click');
  };
  await confirmLate('Freeze', 2);
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await window.untilOnChain('FROZEN');
  await confirmLate('Revoke', 4);
  await page.context().clearCookies();
  const late = page.context().waitForEvent('page');
  await page.getByRole('button', { name: 'Sign in again' }).click();
  const lateWindow = await late;
  await window.signOut();
  // A sign-in that ends after that must not count. Its answer reaches the page in this channel.
  await page.evaluate(
    "void (globalThis.answered = new Promise((resolve) => { new BroadcastChannel('gatepass-sign-in').onmessage = () => resolve(true); }))",
  );
  const closed = lateWindow.waitForEvent('close');
  await chooseAccount(lateWindow, 'staff');
  await closed;
  expect(await page.evaluate('globalThis.answered')).toBe(true);
  await window.signIn('staff');
  await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallet}`);
  await page.getByText('The chain has the wanted state.').waitFor();
  expect((await acme.fetch('sepolia', wallet)).state).toBe('FROZEN');
});

it('shows the reason if the service does not accept a new token, and asks for no other sign-in', async () => {
  const window = await open();
  const { page } = window;
  const problem = { status: 401, code: 'token_invalid', detail: 'The token has another audience.', requestId: 'r-1' };
  // The first view sends several requests, and the service refuses the token for all of them.
  const isOfService = ({ origin, pathname }: URL) => origin === facts.baseUrl && !pathname.startsWith('/console');
  await page.route(isOfService, (route) => route.fulfill({ status: 401, json: problem }));
  await window.signIn('staff');
  await page.getByRole('alert').getByText('The token has another audience.').waitFor();
  await page.getByText('Request id: r-1').waitFor();
  expect(await page.getByRole('alertdialog').count()).toBe(0);
});

it('tells the person if the authorization server does not answer, and signs in at the next attempt', async () => {
  const window = await open();
  const { page } = window;
  await page.route('**/token', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign in as staff' }).click();
  await chooseAccount(page, 'staff');
  await page.getByRole('alert').getByText('The authorization server does not answer.').waitFor();
  await page.unroute('**/token');
  await window.signIn('staff');
});

it.runIf(LONG)('does not wait without end for an authorization server that never answers', async () => {
  const { page } = await open();
  await page.route('**/token', () => {});
  await page.getByRole('button', { name: 'Sign in as staff' }).click();
  await chooseAccount(page, 'staff');
  await page.getByText('Signing in …').waitFor();
  await page.getByRole('alert').getByText('The authorization server does not answer.').waitFor();
});
