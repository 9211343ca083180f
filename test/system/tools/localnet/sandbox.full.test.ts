import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Gatepass, startGatepass } from '../../../../tools/localnet/gatepass.ts';
import { freshWallet } from '../../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../../tools/localnet/partner/localnet-partner.ts';

/** The localnet of `npm run dev -- --sandbox`. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-sandbox-'));
let gatepass: Gatepass;

beforeAll(async () => {
  gatepass = await startGatepass({ folder, sandbox: true, config: inject('builtWorker') });
});
afterAll(async () => {
  await gatepass?.stop();
  rmSync(folder, { recursive: true });
});

it('has no node, and issues passes of the partner in the sandbox', async () => {
  const { facts } = gatepass;
  expect([facts.rpc, facts.gatewayToken]).toEqual([{}, {}]);
  expect(Object.keys(facts.pids).toSorted()).toEqual(['oauth', 'proxy', 'worker', 'workerd']);
  const partner = new LocalnetPartner(facts, 'sandbox');
  for (const network of ['sepolia', 'mainnet', 'devnet', 'mainnet-beta']) {
    const wallet = freshWallet(network);
    await partner.issue(network, wallet);
    expect(await partner.untilSettled(network, wallet)).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
  }
});
