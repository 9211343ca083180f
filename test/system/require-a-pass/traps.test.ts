import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PARTNERS } from '../../../localnet/oauth/partners.ts';
import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import { openStateFolder } from '../../../localnet/state/state-folder.ts';
import { startFaultProxy } from '../fault-proxy.ts';
import { compileExamples } from './guide-code.ts';
import { type OwnChain, startOwnChain } from './own-chain.ts';

/** The traps of the guide "Require a pass", on a chain whose blocks the test makes. */

interface Examples {
  readonly viem: { hasPass(wallet: string): Promise<boolean> };
  readonly twoNodes: { hasPass(wallet: string): Promise<boolean> };
}

const SLOT = 1n;
/** An account of the node that is no authority of the gatekeeper network. */
const STRANGER: Address = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';

const state = openStateFolder();
let chain: OwnChain;
let load: Awaited<ReturnType<typeof compileExamples<Examples>>>;
let examples: Examples;
const aWallet = () => freshWallet('sepolia') as string as Address;

beforeAll(async () => {
  chain = await startOwnChain([PARTNERS[0]?.gatekeeperNetwork ?? '']);
  load = await compileExamples<Examples>(state.folder, { viem: 'viem', twoNodes: 'Two nodes' });
  examples = await load({ ETHEREUM_RPC_URL: chain.url, SECOND_RPC_URL: chain.url });
});
afterAll(async () => {
  await chain?.stop();
  state.close();
});

/** Expects the same answer of each example. */
async function expectAll(wallet: Address, isAdmitted: boolean, what?: string): Promise<void> {
  const { viem, twoNodes } = examples;
  const answers = { viem: await viem.hasPass(wallet), twoNodes: await twoNodes.hasPass(wallet) };
  expect(answers, what).toEqual({ viem: isAdmitted, twoNodes: isAdmitted });
}

describe('a check on an Ethereum-type network', () => {
  it('admits a wallet exactly while its gateway token is active', async () => {
    const wallet = aWallet();
    await expectAll(wallet, false, 'none');
    await chain.mint(wallet, SLOT);
    await expectAll(wallet, true, 'issued');
    for (const change of ['freeze', 'unfreeze', 'revoke'] as const) {
      await chain.change(change, wallet, SLOT);
      await expectAll(wallet, change === 'unfreeze', change);
    }
  });

  it('admits in the second of the expiry, and refuses in the next one', async () => {
    const { timestamp } = await chain.node.getBlock();
    const [wallet, expiry] = [aWallet(), timestamp + 1_000n];
    await chain.mint(wallet, SLOT, expiry);
    for (const [time, isAdmitted] of [
      [expiry - 1n, true],
      [expiry, true],
      [expiry + 1n, false],
    ] as const) {
      await chain.makeBlockAt(time);
      await expectAll(wallet, isAdmitted, `${time - expiry} s after the expiry`);
    }
  });

  it('admits a wallet with two gateway tokens until the last of them is revoked', async () => {
    const wallet = aWallet();
    await chain.mint(wallet, SLOT);
    await chain.mint(wallet, SLOT);
    await chain.change('revoke', wallet, SLOT, 0);
    await expectAll(wallet, true);
    await chain.change('freeze', wallet, SLOT, 1);
    await expectAll(wallet, false);
  });

  it('refuses a gateway token of another gatekeeper network, which a stranger may create', async () => {
    const wallet = aWallet();
    await chain.createNetwork(77n, STRANGER);
    await chain.mint(wallet, 77n, 0n, STRANGER);
    await expectAll(wallet, false);
  });

  it('admits everybody whom a stranger chooses on a network where the slot number is unused', async () => {
    const other = await startOwnChain([]);
    try {
      const wallet = aWallet();
      await other.createNetwork(SLOT, STRANGER);
      await other.mint(wallet, SLOT, 0n, STRANGER);
      const { viem } = await load({ ETHEREUM_RPC_URL: other.url, SECOND_RPC_URL: other.url });
      expect(await viem.hasPass(wallet)).toBe(true);
    } finally {
      await other.stop();
    }
  });

  it('asks two nodes, so that one that lies admits nobody', async () => {
    const liar = await startFaultProxy(chain.url, async ({ body }) => {
      const calls: { id: number } | { id: number }[] = JSON.parse(body);
      const answerTo = ({ id }: { id: number }) => ({ jsonrpc: '2.0', id, result: `0x${'1'.padStart(64, '0')}` });
      const answers = Array.isArray(calls) ? calls.map(answerTo) : answerTo(calls);
      return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answers) };
    });
    const wallet = aWallet();
    const { viem } = await load({ ETHEREUM_RPC_URL: liar.url, SECOND_RPC_URL: liar.url });
    expect(await viem.hasPass(wallet)).toBe(true);
    for (const urls of [
      { ETHEREUM_RPC_URL: liar.url, SECOND_RPC_URL: chain.url },
      { ETHEREUM_RPC_URL: chain.url, SECOND_RPC_URL: liar.url },
    ]) {
      const { twoNodes } = await load(urls);
      expect(await twoNodes.hasPass(wallet)).toBe(false);
    }
    liar.stop();
  });

  it('fails at an address without code instead of admitting the wallet', async () => {
    const empty = await startFaultProxy(chain.url, async ({ body }) => {
      const { id } = JSON.parse(body);
      const headers = { 'content-type': 'application/json' };
      return { status: 200, headers, body: JSON.stringify({ jsonrpc: '2.0', id, result: '0x' }) };
    });
    const { viem, twoNodes } = await load({ ETHEREUM_RPC_URL: empty.url, SECOND_RPC_URL: chain.url });
    await expect(viem.hasPass(aWallet())).rejects.toThrow(/returned no data/);
    await expect(twoNodes.hasPass(aWallet())).rejects.toThrow(/returned no data/);
    empty.stop();
  });
});
