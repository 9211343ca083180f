import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { type Browser, startChromium } from '../chromium.ts';
import { openPreparedState } from '../prepared-state.ts';
import { openConsole } from './open-console.ts';
import { type SeededPass, seedPasses } from './seed-passes.ts';

/**
 * The pictures of the console in the partners' documents. `UPDATE_PICTURES=yes` writes them there. Otherwise they are written beside the other
 * pictures of the tests, because fonts differ between machines.
 */

const FOLDER = process.env.UPDATE_PICTURES ? 'docs/partners/pictures' : 'test-artifacts';
const NOON = new Date('2027-01-15T12:00:00Z');
const at = (days: number) => NOON.getTime() / 1_000 + days * 86_400;

const PASSES: readonly SeededPass[] = [
  { wallet: '0x52908400098527886E0F7030069857D2E4169EE7', reference: 'order-4711', expires: at(340) },
  { wallet: '0xde709f2102306220921060314715629080e2fb77', reference: 'order-4712', expires: at(3) },
  { wallet: '0x27b1fdb04752bbc536007a920d24acb045561c26', reference: 'order-4713', state: 'FROZEN' },
  { wallet: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', reference: 'order-4714', expires: at(-2) },
  { wallet: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', reference: 'order-4715', state: 'REVOKED' },
  { wallet: '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB', reference: 'order-4716', expires: at(120) },
  { wallet: '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb', state: 'ACTIVE', onChainState: 'NONE', expires: at(365) },
];

let state: StateFolder;
let gatepass: Gatepass;
let browser: Browser;

beforeAll(async () => {
  state = openPreparedState(inject('preparedState'));
  seedPasses(state.folder, PASSES.toReversed());
  gatepass = await startGatepass({ folder: state.folder, hasDatabase: true, config: inject('builtWorker') });
  browser = await startChromium();
  mkdirSync(join(PROJECT, FOLDER), { recursive: true });
});

afterAll(async () => {
  await browser?.close();
  await gatepass?.stop();
  state?.close();
});

it('shows a list and an expired pass, for the documents', async () => {
  const { baseUrl } = gatepass.facts;
  const viewport = { width: 1280, height: 640 };
  const { page, signIn, complaints } = await openConsole(browser, baseUrl, { viewport, colorScheme: 'light' });
  await page.clock.setFixedTime(NOON);
  await signIn('staff');
  await page.goto(`${baseUrl}/console#/find`);
  await page.getByRole('row', { name: '0xde709f' }).getByText('EXPIRES SOON').waitFor();
  await page.screenshot({ path: join(PROJECT, FOLDER, 'console-find.png') });
  await page.goto(`${baseUrl}/console#/pass/ethereum/sepolia/${PASSES[3]?.wallet}`);
  await page.getByText('dApps refuse this wallet since 2027-01-13 12:00 UTC: the pass has expired.').waitFor();
  await page.getByRole('list', { name: 'Timeline' }).getByText('Issued', { exact: true }).waitFor();
  await page.screenshot({ path: join(PROJECT, FOLDER, 'console-pass.png') });
  expect(complaints).toEqual([]);
});
