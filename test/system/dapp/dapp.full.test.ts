import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { type BuiltDapp, buildDapp, type Dapp, startDapp } from '../../../tools/localnet/dapp.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { Update } from '../../../tools/localnet/partner/partner-client.ts';
import { ChainWitness } from '../chain-witness.ts';
import { type Browser, startChromium } from '../chromium.ts';
import { CLOSE, startFaultProxy } from '../fault-proxy.ts';
import { type DappWindow, openDapp } from './open-dapp.ts';

/** The example dApp in a browser: its built page, its back end, the service, and the chains of the localnet. */

/**
 * `UPDATE_PICTURES=yes` writes the picture of the README. Otherwise it is beside the other pictures of the tests, because fonts differ between
 * machines.
 */
const PICTURES = join(PROJECT, process.env.UPDATE_PICTURES ? 'docs/partners/pictures' : 'test-artifacts');
const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const DAY = 24 * 3600;
const CHAINS = [
  { chain: 'Ethereum', network: 'sepolia' },
  { chain: 'Solana', network: 'devnet' },
] as const;

let browser: Browser;
let built: BuiltDapp;
let dapp: Dapp;

beforeAll(async () => {
  [browser, built] = await Promise.all([startChromium(), buildDapp()]);
  dapp = await startDapp(built, facts, { PORT: '0' });
});

afterAll(async () => {
  await browser?.close();
  await dapp?.child.stop();
  built?.remove();
});

/** Runs a story in a window of its own, and then expects that the browser complained about nothing. */
async function inWindow(story: (window: DappWindow) => Promise<void>, { url } = dapp): Promise<void> {
  const window = await openDapp(browser, url);
  try {
    await story(window);
    expect([window.complaints, window.authorizations]).toEqual([[], []]);
  } finally {
    await window.close();
  }
}

const witness = new ChainWitness(
  () => facts,
  () => acme.gatekeeperNetwork,
);

/** Changes the pass in the partner's name. The page follows the chain by itself. */
async function change(network: string, wallet: string, update: Update): Promise<void> {
  // A second change of the expiry waits until the first one is final.
  await witness.makeFinal(network);
  await acme.update(network, wallet, update);
}

const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * DAY;

describe.each(CHAINS)('on $chain, a wallet', ({ chain, network }) => {
  it('is refused, gets a pass and is admitted, and is refused while it is frozen and after it is revoked', async () => {
    await inWindow(async (window) => {
      const wallet = await window.connect(chain);
      await window.untilShown('none', false);
      await window.inspect(`${network}-none`);
      await window.ask('Request a pass');
      await window.untilShown('active', true);
      expect(await witness.accepts(network, wallet)).toBe(true);
      await window.inspect(`${network}-active`);
      await change(network, wallet, { state: 'FROZEN' });
      await window.untilShown('frozen', false);
      await window.inspect(`${network}-frozen`);
      await change(network, wallet, { state: 'ACTIVE' });
      await window.untilShown('active', true);
      await acme.revoke(network, wallet);
      await window.untilShown('revoked', false);
      await window.inspect(`${network}-revoked`);
    });
  });

  it('is admitted before its pass expires, refused afterwards, and admitted again after a renewal', async () => {
    await inWindow(async (window) => {
      const wallet = await window.connect(chain);
      await window.ask('Request a pass');
      await window.untilShown('active', true);
      await change(network, wallet, { expiryTimestamp: inDays(3) });
      await window.untilShown('expiring', true);
      await window.inspect(`${network}-expiring`);
      await witness.makeFinal(network);
      await window.ask('Renew the pass');
      await window.untilShown('active', true);
      await witness.makeFinal(network);
      await acme.update(network, wallet, { expiryTimestamp: Math.floor(Date.now() / 1000) + 10 });
      await window.untilShown('expired', false);
      await window.inspect(`${network}-expired`);
      await witness.makeFinal(network);
      await window.ask('Renew the pass');
      await window.untilShown('active', true);
    });
  });

  it('that its person exchanges for another one shows the pass of the other one', async () => {
    await inWindow(async (window) => {
      const first = await window.connect(chain);
      await window.ask('Request a pass');
      await window.untilShown('active', true);
      await window.press(chain, 'Other account');
      await window.untilShown('none', false);
      expect(await window.page.getByTestId('address').textContent()).not.toBe(first);
      await window.press(chain, 'Other account');
      await window.untilShown('active', true);
      expect(await window.page.getByTestId('address').textContent()).toBe(first);
      await window.press(chain, 'Disconnect');
      await window.page.getByRole('button', { name: `Connect Test wallet (${chain})` }).waitFor();
      expect(await window.page.getByTestId('state').count()).toBe(0);
    });
  });

  it('gets no pass if its person refuses to connect or to sign, and gets one with the next attempt', async () => {
    await inWindow(async (window) => {
      await window.press(chain, 'Reject the next request');
      await window.page.getByRole('button', { name: `Connect Test wallet (${chain})` }).click();
      await window.page.getByRole('alert').filter({ hasText: 'The wallet did not connect' }).waitFor();
      await window.connect(chain);
      await window.untilShown('none', false);
      await window.press(chain, 'Reject the next request');
      await window.ask('Request a pass');
      await window.page.getByRole('alert').filter({ hasText: 'the person rejected the request' }).waitFor();
      await window.untilShown('none', false);
      await window.inspect(`${network}-refused-signature`);
      await window.ask('Request a pass');
      await window.untilShown('active', true);
    });
  });

  it('is refused while no node answers, and admitted again afterwards', async () => {
    let answers = true;
    const node = facts.rpc[network] as string;
    const proxy = await startFaultProxy(node, (request, { forward }) => (answers ? forward(request) : CLOSE));
    const proxied = await startDapp(built, { ...facts, rpc: { ...facts.rpc, [network]: proxy.url } }, { PORT: '0' });
    const window = await openDapp(browser, proxied.url);
    try {
      await window.connect(chain);
      await window.ask('Request a pass');
      await window.untilShown('active', true);
      answers = false;
      await window.untilShown('no-answer', false);
      await window.inspect(`${network}-unreachable`);
      answers = true;
      await window.untilShown('active', true);
      // The browser reports each answer of the relay that is an error.
      expect(window.complaints.filter((each) => !each.includes('502 (Bad Gateway)'))).toEqual([]);
    } finally {
      await window.close();
      await proxied.child.stop();
      proxy.stop();
    }
  });
});

it('admits a wallet with a pass, as the picture of the README shows', async () => {
  mkdirSync(PICTURES, { recursive: true });
  await inWindow(async ({ page, ...window }) => {
    await page.setViewportSize({ width: 760, height: 640 });
    await page.emulateMedia({ colorScheme: 'light' });
    await window.connect('Ethereum');
    await window.ask('Request a pass');
    await window.untilShown('active', true);
    await page.evaluate('window.scrollTo(0, 0)');
    const { y = 0, height = 0 } = (await page.getByText('Welcome. Today').boundingBox()) ?? {};
    const clip = { x: 0, y: 0, width: 760, height: y + height + 60 };
    await page.screenshot({ path: join(PICTURES, 'dapp-admits.png'), fullPage: true, clip });
  });
});

describe('on Ethereum-type networks, a wallet', () => {
  it('that changes its network shows the pass of that network, and on a foreign network how to return', async () => {
    await inWindow(async (window) => {
      await window.connect('Ethereum');
      await window.ask('Request a pass');
      await window.untilShown('active', true);
      await window.press('Ethereum', 'Other network');
      await window.page.getByTestId('network').filter({ hasText: 'baseSepolia' }).waitFor();
      await window.untilShown('none', false);
      await window.press('Ethereum', 'Unknown network');
      await window.page.getByText('not one of this dApp').waitFor();
      expect(await window.page.getByTestId('state').count()).toBe(0);
      await window.inspect('foreign-network');
      await window.ask('Change to sepolia');
      await window.untilShown('active', true);
    });
  });
});

/** Has the page note each state of the pass that it shows from now on. */
const RECORD_STATES = `{
  const note = () => globalThis.shownStates.add(document.querySelector('[data-testid=state]')?.dataset.state);
  globalThis.shownStates = new Set();
  note();
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
}`;

describe('a late answer', () => {
  it('about an earlier account does not admit the present one', async () => {
    let first = '';
    let isHeld = false;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const proxy = await startFaultProxy(facts.rpc.sepolia as string, async (request, { forward }) => {
      const answer = await forward(request);
      if (isHeld && request.body.includes(first)) await released;
      return answer;
    });
    const proxied = await startDapp(built, { ...facts, rpc: { ...facts.rpc, sepolia: proxy.url } }, { PORT: '0' });
    const window = await openDapp(browser, proxied.url);
    const isAboutFirst = (body: string | null) => body?.includes(first) === true;
    try {
      // Calls contain the address in lower case, without 0x.
      first = (await window.connect('Ethereum')).slice(2).toLowerCase();
      await window.ask('Request a pass');
      await window.untilShown('active', true);
      isHeld = true;
      const held = await window.page.waitForRequest((request) => isAboutFirst(request.postData()));
      await window.press('Ethereum', 'Other account');
      await window.untilShown('none', false);
      // The next answer about the present account would correct a late one at once.
      await window.page.evaluate(RECORD_STATES);
      release();
      // A slow machine may have reached the time limit of the request. Then nothing arrives, and there is nothing to see.
      await held.response().then((response) => response?.finished());
      // The page has read the present account again since then.
      await window.page.waitForResponse(
        (answer) => !isAboutFirst(answer.request().postData()) && answer.url().includes('/rpc/'),
      );
      await window.untilShown('none', false);
      expect(await window.page.evaluate('[...globalThis.shownStates]')).toEqual(['none']);
    } finally {
      release();
      await window.close();
      await proxied.child.stop();
      proxy.stop();
    }
  });
});

describe('the page', () => {
  it('says how to get a wallet if the browser has none', async () => {
    const plain = await startDapp(built, facts, { PORT: '0', TEST_WALLETS: '' });
    try {
      await inWindow(async (window) => {
        await window.page.getByText('This browser has no wallet.').waitFor();
        await window.inspect('no-wallet');
      }, plain);
    } finally {
      await plain.child.stop();
    }
  });

  it('shows a wallet that the rules exclude as rejected', async () => {
    // The address of the first test wallet of this browser, whose key the page stores at its first visit.
    const window = await openDapp(browser, dapp.url);
    const wallet = await window.connect('Ethereum');
    const { hostname } = new URL(dapp.url);
    const strict = await startDapp(built, facts, { PORT: '0', DENIED_WALLETS: wallet });
    try {
      const seeds = await window.page.evaluate("localStorage.getItem('test-wallet-ethereum')");
      const { port } = new URL(strict.url);
      await window.page.addInitScript(`localStorage.setItem('test-wallet-ethereum', ${JSON.stringify(seeds)})`);
      await window.page.goto(`http://${hostname}:${port}/`);
      expect(await window.connect('Ethereum')).toBe(wallet);
      await window.untilShown('none', false);
      await window.ask('Request a pass');
      await window.untilShown('rejected', false);
      await window.inspect('rejected');
    } finally {
      await window.close();
      await strict.child.stop();
    }
  });
});
