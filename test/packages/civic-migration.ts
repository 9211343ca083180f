import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { freshWallet } from '../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../tools/localnet/partner/localnet-partner.ts';
import { unpackPackage } from '../../tools/packages/unpack.ts';
import type { Page } from '../system/chromium.ts';
import { type CivicPage, FOLDER, servePage } from './civic-page.ts';
import type { Proof } from './proof.ts';

const RECORDED = join(FOLDER, 'migration.json');
const HANGS_AFTER_MS = 180_000;
/** The pages before and after, whose texts the recorded run belongs to. */
const FILES = ['ethereum-before.jsx', 'ethereum-after.jsx', 'solana-before.jsx', 'solana-after.jsx'];

/** The content of a migrated page in a stage of a pass. */
interface Shown {
  readonly status: string;
  /** Whether the part for members is in the page. */
  readonly members: boolean;
  /** Whether the page has the token of the wallet. */
  readonly token: boolean;
}

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(FOLDER, 'node_modules', name, 'package.json'), 'utf8')).version;

/** Waits until the page shows the status, and returns what else it shows then. */
async function shownAt(tab: Page, status: string): Promise<Shown> {
  await tab.locator('#status', { hasText: new RegExp(`^${status}$`) }).waitFor({ timeout: HANGS_AFTER_MS });
  const token = (await tab.locator('#token').textContent()) ?? '';
  return { status, members: (await tab.locator('#members').count()) === 1, token: token !== '' };
}

/** Takes the pass of a wallet through its life in front of a migrated page, which the browser lets reach only 127.0.0.1. */
async function runPage(page: CivicPage, tab: Page, acme: LocalnetPartner, network: string, wallet: string) {
  const faults: string[] = [];
  const hosts = new Set<string>();
  tab.on('pageerror', ({ message }) => faults.push(message));
  tab.on('request', (request) => hosts.add(new URL(request.url()).hostname));
  const { url, stop } = await servePage(page);
  await tab.goto(url);
  const stages: Record<string, Shown> = { none: await shownAt(tab, 'NOT_REQUESTED') };
  await tab.locator('#request').click();
  stages.issued = await shownAt(tab, 'ACTIVE');
  await acme.update(network, wallet, { state: 'FROZEN' });
  stages.frozen = await shownAt(tab, 'FROZEN');
  await acme.update(network, wallet, { state: 'ACTIVE' });
  stages.unfrozen = await shownAt(tab, 'ACTIVE');
  await acme.revoke(network, wallet);
  stages.revoked = await shownAt(tab, 'REVOKED');
  await tab.close();
  stop();
  return { stages, hosts: [...hosts], faults };
}

/**
 * Runs the pages for Civic's packages after their migration to `@gatepass/react`, which changes only their imports and the settings of
 * their provider (`test/unit/documents/migration.test.ts`), and compares what they show with `civic-react/migration.json`.
 */
export const runMigratedPages: Proof = async ({ facts, browser, isToWrite }) => {
  for (const name of ['@gatepass/react', '@gatepass/client']) unpackPackage(name, join(FOLDER, 'node_modules', name));
  const acme = new LocalnetPartner(facts, 'acme');
  const { gatekeeperNetwork } = acme;
  const key = generatePrivateKey();
  const wallets = { sepolia: privateKeyToAddress(key) as string, devnet: freshWallet('devnet') as string };
  const pageOf = (network: 'sepolia' | 'devnet', file: CivicPage['file'], query: CivicPage['query']): CivicPage => ({
    file,
    rpc: facts.rpc[network] ?? '',
    query: { ...query, gatekeeperNetwork },
    issue: (wallet) => acme.issue(network, wallet),
  });
  const ethereum = pageOf('sepolia', 'ethereum-after.jsx', { key });
  const solana = pageOf('devnet', 'solana-after.jsx', { wallet: wallets.devnet });
  const outcome = {
    react: versionOf('react'),
    files: Object.fromEntries(FILES.map((file) => [file, hashOf(readFileSync(join(FOLDER, file), 'utf8'))])),
    ethereum: await runPage(ethereum, await browser.newPage(), acme, 'sepolia', wallets.sepolia),
    solana: await runPage(solana, await browser.newPage(), acme, 'devnet', wallets.devnet),
  };
  process.stdout.write(`${JSON.stringify(outcome, undefined, 2)}\n`);
  if (isToWrite) {
    writeFileSync(RECORDED, `${JSON.stringify(outcome, undefined, 2)}\n`);
    return [];
  }
  if (isDeepStrictEqual(outcome, JSON.parse(readFileSync(RECORDED, 'utf8')))) return [];
  return ['The migrated pages show something else than civic-react/migration.json says.'];
};

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
