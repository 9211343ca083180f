import axe, { type AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILDS } from '../../../../ops/network/gateway-build.ts';
import { HOUR_MS } from '../../../../src/lib/units.ts';
import { slotOf } from '../../../../src/network/slot.ts';
import { freshWallet } from '../../../../tools/localnet/partner/fresh-wallet.ts';
import { eventually } from '../../../eventually.ts';
import { type Browser, HANGS_AFTER_MS, type Page, startChromium } from '../../chromium.ts';
import { type OwnChain, startOwnChain } from '../../require-a-pass/own-chain.ts';
import { serveGatePage } from './gate-page-server.ts';

/** The provider in a browser, in React's strict mode, on a chain on which only the test makes blocks. */

const NETWORK = 'wmP6LzWzdHwMZuQMFGFBE5GVfyoFrzmFM73CGwrRtAe';
const slot = slotOf(NETWORK) as bigint;
const wallet = () => freshWallet('sepolia') as `0x${string}`;

describe.each(BUILDS)('on the contract %s', (build) => {
  let chain: OwnChain;
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveGatePage>>;
  beforeAll(async () => {
    [chain, browser] = await Promise.all([startOwnChain([NETWORK], build), startChromium()]);
    site = await serveGatePage(chain.url);
  });
  afterAll(async () => {
    await browser.close();
    site.stop();
    await chain.stop();
  });

  async function open(
    address: string,
    { hasNode = true, ...more }: { hasNode?: boolean; interval?: string } = {},
  ): Promise<Page> {
    Object.assign(site.behavior, { issue: undefined, hasNode, beforeAnswer: async () => undefined });
    const page = await browser.newPage();
    page.setDefaultTimeout(HANGS_AFTER_MS);
    const query = { wallet: address, slot: `${slot}`, contract: chain.contract, gatekeeperNetwork: NETWORK, ...more };
    await page.goto(`${site.origin}/?${new URLSearchParams(query)}`);
    return page;
  }

  const textOf = (page: Page, id: string) => page.locator(`#${id}`).textContent();
  const expectStatus = (page: Page, status: string, isInside = status === 'ACTIVE') =>
    eventually(async () => {
      expect(await textOf(page, 'status')).toBe(status);
      expect(await page.locator('#inside').count()).toBe(isInside ? 1 : 0);
    });
  const blockTime = async () => (await chain.node.getBlock()).timestamp;

  it('admits a wallet exactly while its pass is valid', async () => {
    const address = wallet();
    const page = await open(address);
    await expectStatus(page, 'NOT_REQUESTED');
    await chain.mint(address, slot);
    await expectStatus(page, 'ACTIVE');
    expect(JSON.parse((await textOf(page, 'token')) ?? '')).toEqual({
      gatekeeperNetworkAddress: NETWORK,
      owner: address,
      state: 'ACTIVE',
      identifier: expect.stringMatching(/^\d+$/),
    });
    await chain.change('freeze', address, slot);
    await expectStatus(page, 'FROZEN');
    await chain.change('unfreeze', address, slot);
    await expectStatus(page, 'ACTIVE');
    await chain.change('revoke', address, slot);
    await expectStatus(page, 'REVOKED');
    await page.close();
  });

  it('asks the back end to issue, and to renew an expired pass', async () => {
    const address = wallet();
    const page = await open(address);
    const reasons: string[] = [];
    site.behavior.issue = async ({ reason }) => {
      reasons.push(reason);
      const expiry = (await blockTime()) + 1_000n;
      await (reason === 'issue' ? chain.mint(address, slot, expiry) : chain.renew(address, slot, expiry));
      return { state: 'REQUESTED' };
    };
    await page.getByRole('button', { name: 'Request a pass' }).click();
    await expectStatus(page, 'ACTIVE');
    expect(Number(await textOf(page, 'seconds'))).toBeGreaterThan(0);
    await chain.makeBlockAt((await blockTime()) + 2_000n);
    await expectStatus(page, 'REFRESH_TOKEN_REQUIRED');
    await page.getByRole('button', { name: 'Renew the pass' }).click();
    await expectStatus(page, 'ACTIVE');
    expect(reasons).toEqual(['issue', 'renew']);
    await page.close();
  });

  it('says that a request was rejected, or refused', async () => {
    const page = await open(wallet());
    await page.getByRole('button', { name: 'Request a pass' }).click();
    await eventually(async () => expect(await textOf(page, 'error')).toBe('present'));
    await expectStatus(page, 'NOT_REQUESTED');
    site.behavior.issue = async () => ({ state: 'REJECTED' });
    await page.getByRole('button', { name: 'Request a pass' }).click();
    await expectStatus(page, 'REJECTED');
    await page.close();
  });

  it('follows a change of the account and of the place, and never shows the pass of another', async () => {
    const [holder, stranger] = [wallet(), wallet()];
    await chain.mint(holder, slot);
    const page = await open(holder);
    await expectStatus(page, 'ACTIVE');
    // While the node is silent, nothing of the earlier wallet may remain.
    const { promise, resolve } = Promise.withResolvers<void>();
    site.behavior.beforeAnswer = () => promise;
    await page.getByLabel('Wallet').fill(stranger);
    expect(await textOf(page, 'status')).toBe('CHECKING');
    expect(await page.locator('#inside').count()).toBe(0);
    resolve();
    await expectStatus(page, 'NOT_REQUESTED');
    await page.getByLabel('Wallet').fill(holder);
    await expectStatus(page, 'ACTIVE');
    await page.getByLabel('Slot').fill(`${slot + 1n}`);
    await expectStatus(page, 'NOT_REQUESTED');
    await page.getByLabel('Wallet').fill('');
    await expectStatus(page, 'UNKNOWN');
    await page.close();
  });

  it('closes when the node falls silent, and opens when it is back', async () => {
    const holder = wallet();
    await chain.mint(holder, slot);
    const page = await open(holder);
    await expectStatus(page, 'ACTIVE');
    site.behavior.hasNode = false;
    await expectStatus(page, 'ERROR');
    expect(await page.getByRole('status').textContent()).toBe('Your pass cannot be checked right now.');
    site.behavior.hasNode = true;
    await expectStatus(page, 'ACTIVE');
    await page.close();
  });

  it('asks the node again when somebody wants that', async () => {
    const holder = wallet();
    await chain.mint(holder, slot);
    const page = await open(holder, { hasNode: false, interval: `${HOUR_MS}` });
    await expectStatus(page, 'ERROR');
    site.behavior.hasNode = true;
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectStatus(page, 'ACTIVE');
    await page.close();
  });

  it('has no fault for axe in any state', async () => {
    const holder = wallet();
    const page = await open(holder);
    for (const status of ['NOT_REQUESTED', 'ACTIVE', 'FROZEN']) {
      await expectStatus(page, status);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<AxeResults>('axe.run()');
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      if (status === 'NOT_REQUESTED') await chain.mint(holder, slot);
      if (status === 'ACTIVE') await chain.change('freeze', holder, slot);
    }
    await page.close();
  });
});
