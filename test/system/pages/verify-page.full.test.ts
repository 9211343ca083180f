import { mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { defaultContract } from '../../default-contract.ts';
import { LONG } from '../../form.ts';
import { type Browser, HANGS_AFTER_MS, type Page, startChromium } from '../chromium.ts';
import { installClient } from '../packages/client/install-client.ts';

/** The example page for the public check, in a browser, on another origin than the service. */

const SCREENSHOTS = join(PROJECT, 'test-artifacts');
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript' };

const facts = inject('gatepass');
const [acme, globex] = facts.partners as [(typeof facts.partners)[number], (typeof facts.partners)[number]];
let folder: string;
/** The folder of the package. */
let client: string;
let server: Server;
let browser: Browser;

beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  folder = await mkdtemp(join(tmpdir(), 'gatepass-verify-'));
  client = await installClient(folder);
  server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://page');
    const file = pathname.startsWith('/gatepass/')
      ? join(client, 'dist', pathname.slice('/gatepass/'.length))
      : join(PROJECT, 'examples', pathname);
    response.setHeader('content-type', TYPES[extname(file)] ?? 'text/plain');
    response.end(readFileSync(file));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  browser = await startChromium();
});

afterAll(async () => {
  await browser.close();
  server.close();
  await rm(folder, { recursive: true });
});

/** Opens the example page for the gatekeeper network, with everything that the browser complains about. */
async function openExample(gatekeeperNetwork: string): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  const page = await browser.newPage();
  page.setDefaultTimeout(HANGS_AFTER_MS);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  const { port } = server.address() as AddressInfo;
  const query = new URLSearchParams({ service: facts.baseUrl, gatekeeperNetwork });
  await page.goto(`http://127.0.0.1:${port}/verify.html?${query}`);
  return { page, complaints };
}

/** Fills in the form and returns the result that the page shows. */
async function check(page: Page, network: string, wallet: string): Promise<string> {
  await page.getByLabel('Network').selectOption(network);
  await page.getByLabel('Wallet address').fill(wallet);
  await page.getByRole('button', { name: 'Check' }).click();
  const result = page.getByRole('status');
  await expect.poll(() => result.textContent()).not.toMatch(/^(|Checking …)$/);
  return String(await result.textContent());
}

/** A date and a time follow. */
const COVERED = /^Includes what others changed on chain until .*\d.*\.$/;

/** Checks a wallet before and after it gets a pass. */
async function checkIssuance(chainNetwork: string, network: string): Promise<void> {
  const partner = new LocalnetPartner(facts, acme.name);
  const wallet = freshWallet(network);
  const { page, complaints } = await openExample(acme.gatekeeperNetwork);
  expect(await check(page, chainNetwork, wallet)).toBe('No pass.');
  await expect.poll(() => page.getByText(defaultContract({ network })).isVisible()).toBe(true);
  await page.getByText(COVERED).waitFor();
  await partner.issue(chainNetwork, wallet);
  await partner.untilSettled(chainNetwork, wallet);
  // The first answer may be in a cache for 15 seconds.
  await expect.poll(() => check(page, chainNetwork, wallet), { interval: 1_000 }).toBe('Valid.');
  const isCovered = async () => {
    await check(page, chainNetwork, wallet);
    return page.getByText(COVERED).isVisible();
  };
  await expect.poll(isCovered, { interval: 1_000 }).toBe(true);
  if (LONG) await page.screenshot({ path: join(SCREENSHOTS, `verify-${network}.png`) });
  expect(complaints).toEqual([]);
}

it('shows on another origin whether a wallet has a valid pass, on both chains', async () => {
  // At the same time, because each one waits for a cache.
  await Promise.all([checkIssuance('ethereum/sepolia', 'sepolia'), checkIssuance('solana/devnet', 'devnet')]);
});

it('shows a loss by others before it is final, and that nobody follows a chain', async () => {
  const { page } = await openExample(acme.gatekeeperNetwork);
  const change = { state: 'ACTIVE', pending: true, coveredUntil: null };
  await page.route('**/verify/**', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...change } });
  });
  const shown = await check(page, 'ethereum/sepolia', freshWallet('sepolia'));
  expect(shown).toBe('Not valid: access was taken away by others; not final yet.');
  await page.getByText('The service does not follow this chain: a change by others may be missing.').waitFor();
  expect(await page.getByText(COVERED).isVisible()).toBe(false);
});

it('shows bad input and a gatekeeper network without public checks as not checked', async () => {
  const { page } = await openExample(acme.gatekeeperNetwork);
  expect(await check(page, 'ethereum/sepolia', '0x12')).toMatch(/^Not checked: 400 invalid_wallet: /);
  const other = await openExample(globex.gatekeeperNetwork);
  expect(await check(other.page, 'ethereum/sepolia', freshWallet('sepolia'))).toMatch(
    /^Not checked: no answer from 127\.0\.0\.1/,
  );
});
