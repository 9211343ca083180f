import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type BuiltDapp, buildDapp, type Dapp, startDapp } from '../../../tools/localnet/dapp.ts';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { callNode } from '../../call-node.ts';
import { type Browser, startChromium } from '../chromium.ts';
import { openPreparedState } from '../prepared-state.ts';
import { openDapp } from './open-dapp.ts';

/** The example dApp while a pass is on its way to the chain: its node makes blocks only when the test says so. */

let state: StateFolder;
let gatepass: Gatepass;
let browser: Browser;
let built: BuiltDapp;
let dapp: Dapp;

beforeAll(async () => {
  state = openPreparedState(inject('preparedState'));
  const options = { folder: state.folder, hasDatabase: true, config: inject('builtWorker') };
  [gatepass, browser, built] = await Promise.all([startGatepass(options), startChromium(), buildDapp()]);
  dapp = await startDapp(built, gatepass.facts, { PORT: '0' });
});

afterAll(async () => {
  await browser?.close();
  await dapp?.child.stop();
  built?.remove();
  await gatepass?.stop();
  state?.close();
});

it('shows a pass as requested until it is on chain, also after a reload', async () => {
  const node = gatepass.facts.rpc.sepolia as string;
  const window = await openDapp(browser, dapp.url);
  await window.connect('Ethereum');
  await window.untilShown('none', false);
  await callNode(node, 'evm_setIntervalMining', [0]);
  // The back end waits some seconds for the chain, and then says that the pass is requested.
  const answered = window.page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && answer.url().includes('/pass/'),
  );
  await window.ask('Request a pass');
  await window.untilShown('requested', false);
  await window.inspect('requested');
  await answered;
  await window.untilShown('requested', false);
  await window.page.reload();
  await window.connect('Ethereum');
  await window.untilShown('requested', false);
  await callNode(node, 'evm_setIntervalMining', [1]);
  await window.untilShown('active', true);
  expect(window.complaints).toEqual([]);
  await window.close();
});
