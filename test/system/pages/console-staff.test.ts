import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../localnet/partner/localnet-partner.ts';
import { startWebhookReceiver } from '../../webhook-receiver.ts';
import { type Browser, type Page, startChromium } from '../chromium.ts';
import { type ConsoleWindow, chooseAccount, expectAccessible, openConsole } from './open-console.ts';

/** The console for the staff of a partner, in a browser, with the sign-in of the localnet. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
let browser: Browser;
const windows: ConsoleWindow[] = [];

async function open(options?: Parameters<typeof openConsole>[2]): Promise<ConsoleWindow> {
  const window = await openConsole(browser, facts.baseUrl, options);
  windows.push(window);
  return window;
}

beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

/** The browser reports each refused request as a message of the network. */
const isNetworkMessage = (message: string) =>
  /^error: Failed to load resource: (.* status of (40[0134]|410)|net::ERR_FAILED)/.test(message);

afterEach(async ({ task }) => {
  for (const { page, complaints, hosts, screenshot } of windows.splice(0)) {
    if (task.result?.state === 'fail') await screenshot(`failed-${task.id}`);
    expect(complaints.filter((message) => !isNetworkMessage(message))).toEqual([]);
    expect(
      [...hosts].filter((host) => ![new URL(facts.baseUrl).host, new URL(facts.issuer).host].includes(host)),
    ).toEqual([]);
    await page.context().close();
  }
});

const find = async (page: Page, wallet: string) => {
  await page.getByRole('searchbox', { name: 'Wallet' }).fill(wallet);
  await page.getByRole('button', { name: 'Find' }).click();
};

/** Waits until the pass on the page has this state on chain. */
const onChain = (page: Page, state: string) =>
  page.locator('dt:has-text("On chain") + dd', { hasText: state }).waitFor({ timeout: 45_000 });

const eventNames = (page: Page) => page.getByRole('list', { name: 'Timeline' }).locator('strong').allTextContents();

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;

/** The name of the element with the focus, as a script of the page. */
const FOCUSED = `(({ activeElement }) =>
  activeElement.getAttribute('aria-label') ?? activeElement.closest('label')?.textContent ?? activeElement.textContent)(document)`;

it('signs in, issues a pass, finds it, freezes it, and shows the timeline move', async () => {
  const window = await open();
  const { page, tokens } = window;
  await window.screenshot('sign-in');
  await window.signIn('staff');
  expect(await page.evaluate<string>('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toMatch(
    /eyJ|verifier/,
  );
  expect(page.url()).not.toMatch(/code=|state=/);
  await window.show('Issue');
  const wallet = freshWallet('sepolia');
  const form = page.locator('form').first();
  await form.getByLabel('Network').selectOption('sepolia');
  await form.getByLabel('Wallet').fill(wallet);
  await form.getByRole('button', { name: 'Issue', exact: true }).click();
  await page.getByRole('link', { name: `see the pass of ${wallet}` }).waitFor();

  await window.show('Find');
  await find(page, wallet);
  await page.getByText('The passes of the wallet').waitFor();
  await find(page, 'not a wallet');
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('cell').count()).toBe(0);
  await find(page, wallet);
  await page.getByRole('link', { name: wallet }).click();
  await onChain(page, 'ACTIVE');
  expect(await eventNames(page)).toEqual(['Token issued', 'Token issued initiated']);
  const link = page.getByRole('link', { name: /^0x[0-9a-f]{64}$/ }).first();
  expect(await link.getAttribute('href')).toMatch(/^https:\/\/sepolia\.etherscan\.io\/tx\/0x[0-9a-f]{64}$/);

  await page.getByRole('button', { name: 'Freeze' }).click();
  const dialog = page.getByRole('dialog', { name: 'Freeze this pass?' });
  await dialog.getByText(wallet).waitFor();
  await dialog.getByRole('button', { name: 'Freeze' }).click();
  await onChain(page, 'FROZEN');
  expect((await eventNames(page))[0]).toBe('Token frozen');
  expect((await acme.fetch('sepolia', wallet)).state).toBe('FROZEN');
  await window.screenshot('pass');

  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect((await acme.fetch('sepolia', wallet)).state).toBe('FROZEN');
  await page.getByRole('button', { name: 'Renew' }).click();
  await page.getByLabel('New expiry').fill('2031-05-01');
  await page.getByRole('dialog').getByRole('button', { name: 'Renew' }).click();
  await page
    .locator('dt:has-text("Expires") + dd time[datetime="2031-05-01T00:00:00.000Z"]')
    .waitFor({ timeout: 45_000 });
  expect(tokens.size).toBe(1);
}, 120_000);

it('issues 200 passes from a CSV file, and offers the results as a file', async () => {
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
  const wallets = Array.from({ length: 199 }, (_, index) => freshWallet(index % 2 ? 'sepolia' : 'devnet'));
  const rows = wallets.map((wallet, index) => `${wallet},${index % 2 ? 'sepolia' : 'devnet'},`);
  // The service would refuse a whole request for the contradiction in the last row.
  const contradiction = `${wallets[0]},devnet,1893456000`;
  const text = ['walletAddress,network,expiryTimestamp', ...rows, '=1+2,sepolia,', contradiction].join('\r\n');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'w.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.getByRole('button', { name: 'Issue all' }).click();
  // The run continues while another view is open, and shows its results afterwards.
  await window.show('Find');
  await window.show('Issue');
  await page.getByText('201 of 201 rows: 199 accepted, 2 failed.').waitFor({ timeout: 45_000 });
  expect(requests).toBe(4);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download the results' }).click();
  const results = await readFile(await (await download).path(), 'utf8');
  const [head, ...lines] = results.trim().split('\n');
  expect(head).toBe('network,walletAddress,outcome,detail,pass,requestId');
  expect(lines).toHaveLength(201);
  expect(lines.filter((line) => line.includes(',accepted,'))).toHaveLength(199);
  // A spreadsheet must not run the cell.
  expect(lines[199]).toMatch(/^sepolia,'=1\+2,failed,"invalid_wallet: .* walletAddress must .*",,[0-9a-f-]{36}$/);
  expect(lines[200]).toContain('line 202: line 2 has another expiry for this pass');
  await window.screenshot('csv');
  await acme.untilAllSettled('sepolia', wallets.filter((_, index) => index % 2).slice(-3));
}, 180_000);

it('asks for a new sign-in when the token expires during a CSV run, and continues with the next rows', async () => {
  const window = await open();
  const { page, tokens } = window;
  await window.signIn('brief');
  await window.show('Issue');
  // A slow connection: the token expires while the first request is under way.
  let requests = 0;
  await page.route('**/passes', async (route) => {
    requests += 1;
    if (requests === 1) await new Promise((resolve) => setTimeout(resolve, 9_000));
    await route.continue();
  });
  const rows = Array.from({ length: 101 }, () => freshWallet('baseSepolia'));
  const buffer = Buffer.from(['walletAddress', ...rows].join('\n'));
  await page.locator('input[type=file]').setInputFiles({ name: 'w.csv', mimeType: 'text/csv', buffer });
  await page.getByLabel('Network of rows without one').selectOption('baseSepolia');
  await page.getByRole('button', { name: 'Issue all' }).click();
  await page.getByText('Your sign-in has expired').waitFor({ timeout: 30_000 });
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
  await again('globex-staff');
  await page
    .getByRole('alertdialog')
    .getByText(/Sign in with the same account/)
    .waitFor();
  await again('brief');
  await page.getByText('101 of 101 rows: 101 accepted, 0 failed.').waitFor({ timeout: 45_000 });
  expect(tokens.size).toBe(2);
  expect(await page.getByText('Your sign-in has expired').count()).toBe(0);
  // The authorization server must not choose the wrong account by itself again.
  expect(prompts).toEqual([null, 'login']);
}, 120_000);

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
    await page.getByRole('dialog').getByRole('button', { name: change }).click();
  };
  await confirmLate('Freeze', 2);
  const popup = page.context().waitForEvent('page');
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await chooseAccount(await popup, 'staff');
  await onChain(page, 'FROZEN');
  await confirmLate('Revoke', 4);
  await page.getByRole('button', { name: 'Sign out and stop' }).click();
  await page.getByRole('button', { name: 'Sign in as staff of a partner' }).waitFor();
  await window.signIn('staff');
  await page.getByText('The chain has the wanted state.').waitFor();
  expect((await acme.fetch('sepolia', wallet)).state).toBe('FROZEN');
}, 60_000);

it('shows the reason if the service does not accept a new token, and asks for no other sign-in', async () => {
  const window = await open();
  const { page } = window;
  const problem = { status: 401, code: 'token_invalid', detail: 'The token has another audience.', requestId: 'r-1' };
  await page.route('**/pass', (route) => route.fulfill({ status: 401, json: problem }));
  await window.signIn('staff');
  await page.getByRole('alert').getByText('The token has another audience.').waitFor();
  await page.getByText('Request id: r-1').waitFor();
  expect(await page.getByRole('alertdialog').count()).toBe(0);
});

it('shows the newest passes also if the page is hidden while it loads', async () => {
  await acme.issue('sepolia', freshWallet('sepolia'));
  const window = await open();
  const { page } = window;
  await page.addInitScript("Object.defineProperty(document, 'hidden', { get: () => true })");
  await window.signIn('staff');
  await page.getByText('The newest passes').waitFor();
});

const PROGRESS = [
  ['ACTIVE', 'ACTIVE', 'TOKEN_ISSUED', 'The chain has the wanted state.'],
  ['ACTIVE', 'ACTIVE', 'TOKEN_EXPIRY_CHANGED_INITIATED', 'A change is under way.'],
  ['ACTIVE', 'ACTIVE', 'TOKEN_ISSUED_REORGED', 'A change is under way.'],
  ['FROZEN', 'ACTIVE', 'TOKEN_ISSUED', 'The chain does not have the wanted state.'],
  ['REVOKED', 'NONE', 'TOKEN_REVOKED', 'The chain has the wanted state.'],
  ['REVOKED', 'ACTIVE', 'TOKEN_REVOKED', 'The chain does not have the wanted state.'],
  ['REJECTED', 'NONE', 'TOKEN_ISSUED_FAILED', 'The chain refused the issuance.'],
] as const;

it('says whether the chain has the wanted state, and offers to revoke a token that others issued again', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  for (const [state, onChainState, eventType, text] of PROGRESS) {
    // The record is real except for these three fields.
    await page.route(`**/pass/ethereum/sepolia/${wallet}`, async (route) => {
      const response = await route.fetch();
      const record = { ...(await response.json()), state, onChainState, events: [{ eventType, timestamp: 1 }] };
      await route.fulfill({ response, json: record });
    });
    await page.goto(`${facts.baseUrl}/console#/usage`);
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallet}`);
    await page.getByText(text).waitFor();
    const canRevoke = (await page.getByRole('button', { name: 'Revoke' }).count()) === 1;
    expect(canRevoke, `${state} ${onChainState}`).toBe(onChainState === 'ACTIVE');
    await page.unrouteAll({ behavior: 'wait' });
  }
});

it('continues the live feed after events that were deleted', async () => {
  for (let events = 0; events < 2; events += 1) await acme.issue('sepolia', freshWallet('sepolia'));
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  // The service deletes events after a month. This answer is what it returns then.
  let oldest: number | undefined;
  await page.route(/events\?after=\d+/, (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get('after'));
    oldest ??= after + 2;
    if (after + 1 >= oldest) return route.continue();
    return route.fulfill({ status: 410, json: { status: 410, code: 'cursor_expired', detail: 'Gone.', oldest } });
  });
  await window.show('Live feed');
  await page.getByRole('row', { name: /Pass/ }).first().waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

it('adds a webhook, shows its delivery and replays it, and shows markup in a description as text', async () => {
  const receiver = await startWebhookReceiver();
  const window = await open();
  const { page } = window;
  try {
    await window.signIn('staff');
    await window.show('Webhooks');
    const url = `${receiver.url}/console`;
    const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await page.getByLabel('URL').fill(url);
    await page.getByLabel('Description').fill(markup);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(/Store this secret now/).waitFor();
    const card = page.getByRole('region', { name: `Webhook ${url}` });
    await card.getByText(markup).waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    await card.getByRole('button', { name: 'Test' }).click();
    await card.getByText('The test was delivered: status 204').waitFor();

    await window.show('Live feed');
    await acme.issue('sepolia', freshWallet('sepolia'));
    await page
      .getByRole('row', { name: /Pass issued/ })
      .first()
      .waitFor({ timeout: 45_000 });
    await window.screenshot('feed');
    await window.show('Webhooks');
    await expect
      .poll(
        async () => {
          await card.getByRole('button', { name: 'Last deliveries' }).click();
          return card.getByRole('row', { name: /Pass issued .* delivered \(204\)/ }).count();
        },
        { timeout: 30_000, interval: 1_000 },
      )
      .toBeGreaterThan(0);
    await window.screenshot('webhooks');
    await card.getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await card.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await card.waitFor({ state: 'detached' });
  } finally {
    receiver.stop();
  }
}, 120_000);

it('shows staff of another partner nothing of this partner', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  const window = await open();
  const { page } = window;
  await window.signIn('globex-staff');
  await find(page, wallet);
  await page.getByText('This wallet has no pass.').waitFor();
  // The parts of the address are no path.
  await page.goto(`${facts.baseUrl}/console#/pass/../../x`);
  await page.getByRole('heading', { name: 'Find' }).waitFor();
  await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallet}`);
  const problem = page.getByRole('alert');
  await problem.getByText(/pass/i).waitFor();
  await problem.getByText(/Request id: [0-9a-f-]{36}/).waitFor();
});

it('shows no buttons to a person without the scope, and the service refuses a request of that person', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  const window = await open();
  const { page, tokens } = window;
  await window.signIn('viewer-staff');
  expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
    'Find',
    'Live feed',
    'Usage',
  ]);
  await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallet}`);
  await page.getByText('Timeline').first().waitFor();
  expect(await page.getByRole('button').allTextContents()).toEqual(['Sign out']);
  const [authorization = ''] = tokens;
  for (const [method, path] of [
    ['PATCH', `pass/ethereum/sepolia/${wallet}`],
    ['DELETE', `pass/ethereum/sepolia/${wallet}`],
    ['POST', 'passes'],
    ['GET', 'webhooks'],
  ]) {
    const response = await fetch(`${facts.baseUrl}/${path}`, { method: method ?? '', headers: { authorization } });
    expect([response.status, await codeOf(response)]).toEqual([403, 'insufficient_scope']);
  }
});

it('gives a person without an organization no right anywhere', async () => {
  const window = await open();
  const { page, tokens } = window;
  await window.signIn('stranger');
  await page
    .getByRole('alert')
    .getByText(/must name the organization of the person/)
    .waitFor();
  await window.show('Usage');
  await page
    .getByRole('alert')
    .getByText(/must name the organization of the person/)
    .waitFor();
  const [authorization = ''] = tokens;
  for (const path of ['usage', 'events', 'webhooks', `pass/ethereum/sepolia/${freshWallet('sepolia')}`]) {
    const response = await fetch(`${facts.baseUrl}/${path}`, { headers: { authorization } });
    expect([response.status, await codeOf(response)]).toEqual([403, 'client_unknown']);
  }
});

it('has a strict content policy, no inline script and no inline style', async () => {
  for (const path of ['console', 'console/callback']) {
    const response = await fetch(`${facts.baseUrl}/${path}`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain(`connect-src 'self' ${new URL(facts.issuer).origin};`);
    expect(policy).not.toMatch(/unsafe|\*|data:.*script/);
    const text = await response.text();
    expect(text).not.toMatch(/<script(?![^>]*src=)|style=|\son\w+=/);
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//);
  }
});

it('is accessible in every view with the light and the dark theme', async () => {
  await acme.issue('sepolia', freshWallet('sepolia'));
  const window = await open();
  const { page } = window;
  /** Checks the view in both themes. */
  async function check(view: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page, `${view}, ${colorScheme}`);
      if (view === 'Usage' || view === 'dialog') await window.screenshot(`${view.toLowerCase()}-${colorScheme}`);
    }
  }
  await check('sign-in');
  await window.signIn('staff');
  for (const view of ['Find', 'Issue', 'Live feed', 'Webhooks', 'Usage']) {
    await window.show(view);
    await page.waitForTimeout(500);
    await check(view);
  }
  await window.show('Find');
  await page.getByRole('cell').getByRole('link').first().click();
  await page.getByRole('button', { name: 'Compare with the chain' }).waitFor();
  await check('Pass');
  await page.getByRole('button', { name: /Revoke/ }).click();
  await check('dialog');
}, 120_000);

it('works by keyboard alone', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  await acme.untilSettled('sepolia', wallet);
  const window = await open();
  const { page } = window;
  const { keyboard } = page;
  /** Moves the focus with the Tab key to the element with that name. */
  async function tabTo(name: RegExp): Promise<void> {
    for (let presses = 0; presses < 60; presses += 1) {
      await keyboard.press('Tab');
      const focused = await page.evaluate<string>(FOCUSED);
      if (name.test(focused.trim())) return;
    }
    throw new Error(`the Tab key does not reach ${name}`);
  }
  await tabTo(/^Sign in as staff/);
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sign in to console' }).waitFor();
  await tabTo(/^Staff of the partner/);
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Find' }).waitFor();
  await tabTo(/^Wallet/);
  await keyboard.type(wallet);
  await keyboard.press('Enter');
  await page.getByText('The passes of the wallet').waitFor();
  await tabTo(new RegExp(wallet));
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Freeze' }).waitFor();
  await tabTo(/^Freeze$/);
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Freeze this pass?' }).waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await tabTo(/^Freeze$/);
  await keyboard.press('Enter');
  await tabTo(/^Freeze$/);
  await keyboard.press('Enter');
  await onChain(page, 'FROZEN');
}, 120_000);

it('fits a screen of 360 pixels', async () => {
  await acme.issue('sepolia', freshWallet('sepolia'));
  const window = await open({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  const { page } = window;
  const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect(await overflow()).toBeLessThanOrEqual(0);
  await window.signIn('staff');
  for (const view of ['Find', 'Issue', 'Live feed', 'Webhooks', 'Usage']) {
    await window.show(view);
    await page.waitForTimeout(300);
    expect(await overflow(), view).toBeLessThanOrEqual(0);
    await window.screenshot(`phone-${view.toLowerCase().replaceAll(' ', '-')}`);
  }
  await window.show('Find');
  await page.getByRole('cell').getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Pass' }).waitFor();
  await page.getByText('Timeline').first().waitFor();
  expect(await overflow(), 'Pass').toBeLessThanOrEqual(0);
  await window.screenshot('phone-pass');
}, 120_000);

it('signs out and asks for the account again', async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await window.signIn('globex-staff');
  await page.getByText('globex-staff').waitFor();
});
