import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { slotOf } from '../../src/network/slot.ts';
import {
  CIVIC_CONTRACT,
  installCivicContract,
  issueInCivicContract,
} from '../../tools/localnet/ethereum/civic-contract.ts';
import { GATEKEEPERS } from '../../tools/localnet/ethereum/gatekeepers.ts';
import { freshWallet } from '../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../tools/localnet/partner/localnet-partner.ts';
import { dAppAccepts } from '../../tools/localnet/witness/on-chain-token.ts';
import type { Browser } from '../system/chromium.ts';
import { runMigratedPages } from './civic-migration.ts';
import { type CivicPage, FOLDER, servePage } from './civic-page.ts';
import type { Proof } from './proof.ts';

const RECORDED = join(FOLDER, 'outcomes.json');
/** The packages show `CHECKING` first, and try a failed request again. */
const STABLE_MS = 20_000;
const STATUS_TIMEOUT_MS = 180_000;

type CivicAnswers = 'nothing' | 'only the slot';

/** The status that a package shows for a wallet that dApps accept. */
interface Outcome {
  readonly package: string;
  readonly version: string;
  /** The answers of Civic's hosts. */
  readonly civic: CivicAnswers;
  /** The hosts that the package asked. */
  readonly hosts: readonly string[];
  readonly gatewayStatus: string;
}

interface Page extends Pick<CivicPage, 'rpc' | 'query'> {
  readonly name: 'ethereum' | 'solana';
  readonly slot: bigint;
}

const manifestOf = (name: string): { readonly version: string } =>
  JSON.parse(readFileSync(join(FOLDER, 'node_modules', name, 'package.json'), 'utf8'));

/** Opens the page and returns the status that it shows at last. The browser reaches only 127.0.0.1. */
async function renderPage(browser: Browser, page: Page, civic: CivicAnswers): Promise<Outcome> {
  const { url, stop } = await servePage({ ...page, file: `${page.name}-before.jsx` });
  const tab = await browser.newPage();
  const hosts = new Set<string>();
  const asked: string[] = [];
  tab.on('pageerror', ({ message }) => process.stdout.write(`  page error: ${message}\n`));
  tab.on('request', (request) => {
    const { hostname, pathname } = new URL(request.url());
    if (hostname === '127.0.0.1') return;
    hosts.add(hostname);
    asked.push(`${request.method()} ${hostname}${pathname}`);
  });
  if (civic === 'only the slot') {
    const headers = { 'access-control-allow-origin': '*' };
    const chains = { ethereum: { chainSpecificId: String(page.slot) } };
    const json = { id: page.query.gatekeeperNetwork, chains };
    await tab.route('https://api.civic.com/gkn/**', (route) => route.fulfill({ json, headers }));
  }
  await tab.goto(url);
  let gatewayStatus = '';
  let since = Date.now();
  for (const end = Date.now() + STATUS_TIMEOUT_MS; Date.now() - since < STABLE_MS || gatewayStatus === 'CHECKING'; ) {
    const shown = (await tab.locator('#status').textContent()) ?? '';
    if (shown !== gatewayStatus) {
      process.stdout.write(`  ${page.name}: ${shown}\n`);
      gatewayStatus = shown;
      since = Date.now();
    }
    if (Date.now() > end) break;
    await tab.waitForTimeout(200);
  }
  for (const request of new Set(asked)) process.stdout.write(`  asked: ${request}\n`);
  await tab.close();
  stop();
  const name = `@civic/${page.name}-gateway-react`;
  return { package: name, version: manifestOf(name).version, civic, hosts: [...hosts].toSorted(), gatewayStatus };
}

/**
 * Renders Civic's React packages for wallets whose gateway token is ACTIVE, while no host of Civic answers, and compares what they
 * show with `civic-react/outcomes.json`. Then runs the same pages after their migration. With `--write` it writes the recorded files.
 */
export const compareCivicReact: Proof = async (environment) => [
  ...(await compareWithoutCivic(environment)),
  ...(await runMigratedPages(environment)),
];

const compareWithoutCivic: Proof = async ({ facts, browser, isToWrite }) => {
  const acme = new LocalnetPartner(facts, 'acme');
  const { gatekeeperNetwork } = acme;
  const key = generatePrivateKey();
  const wallets = { sepolia: privateKeyToAddress(key), devnet: freshWallet('devnet') as string };
  const { sepolia = '', devnet = '' } = facts.rpc;
  // On Ethereum-type networks, the package knows Civic's contract only.
  await installCivicContract(sepolia, GATEKEEPERS[3], [gatekeeperNetwork]);
  await issueInCivicContract(sepolia, wallets.sepolia, gatekeeperNetwork);
  await acme.issue('devnet', wallets.devnet);
  await acme.untilSettled('devnet', wallets.devnet);
  // The protocol's own client reads the chains and accepts the wallets.
  if (!(await dAppAccepts(sepolia, wallets.sepolia, gatekeeperNetwork, CIVIC_CONTRACT)))
    throw new Error('sepolia: no token');
  if (!(await dAppAccepts(devnet, wallets.devnet, gatekeeperNetwork))) throw new Error('devnet: no token');
  const slot = slotOf(gatekeeperNetwork) as bigint;
  const ethereum: Page = { name: 'ethereum', rpc: sepolia, query: { key, gatekeeperNetwork }, slot };
  const solana: Page = {
    name: 'solana',
    rpc: devnet,
    query: { wallet: wallets.devnet, gatekeeperNetwork },
    slot,
  };
  const outcomes = [
    await renderPage(browser, ethereum, 'nothing'),
    await renderPage(browser, ethereum, 'only the slot'),
    await renderPage(browser, solana, 'nothing'),
  ];
  process.stdout.write(`${JSON.stringify(outcomes, undefined, 2)}\n`);
  if (isToWrite) {
    writeFileSync(RECORDED, `${JSON.stringify(outcomes, undefined, 2)}\n`);
    return [];
  }
  if (isDeepStrictEqual(outcomes, JSON.parse(readFileSync(RECORDED, 'utf8')))) return [];
  return ['The packages show something else than civic-react/outcomes.json and the switch list say.'];
};
