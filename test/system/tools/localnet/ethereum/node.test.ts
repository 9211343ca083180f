import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicClient, createTestClient, http, publicActions } from 'viem';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { OWNERLESS_CONTRACT } from '../../../../../src/network/networks.ts';
import { stopChildren } from '../../../../../terminal/child-process.ts';
import { startEthereumNode } from '../../../../../tools/localnet/ethereum/start-node.ts';
import { GATEKEEPER_NETWORKS } from '../../../../../tools/localnet/oauth/partners.ts';
import type { Node } from '../../../../../tools/localnet/state/node.ts';
import { findFreePort, isPortFree } from '../../../../../tools/localnet/state/ports.ts';
import { dAppAccepts } from '../../../../../tools/localnet/witness/on-chain-token.ts';

afterAll(stopChildren);

const SEPOLIA = 11_155_111;
const WALLET = '0x00000000000000000000000000000000000000aa';

async function readChain({ rpcUrl }: Node) {
  const client = createPublicClient({ transport: http(rpcUrl) });
  const [chainId, block, code] = await Promise.all([
    client.getChainId(),
    client.getBlock(),
    client.getCode({ address: OWNERLESS_CONTRACT }),
  ]);
  return { chainId, height: block.number, gasLimit: block.gasLimit, installed: code !== undefined };
}

it('an Ethereum node has the chain id and the contract of its network, and keeps its chain after a restart', async () => {
  const state = mkdtempSync(join(tmpdir(), 'gatepass-test-'));
  onTestFinished(() => rmSync(state, { recursive: true }));
  const port = await findFreePort();
  const first = await startEthereumNode(SEPOLIA, { network: 'sepolia', port, state });
  const before = await readChain(first);
  expect(before).toMatchObject({ chainId: SEPOLIA, installed: true });
  expect(before.gasLimit).toBeGreaterThan(1000n * 272_000n);
  for (const gatekeeperNetwork of GATEKEEPER_NETWORKS) {
    expect(await dAppAccepts(first.rpcUrl, WALLET, gatekeeperNetwork)).toBe(false);
  }
  await first.stop();
  expect(await isPortFree(port)).toBe(true);

  // The chain continues at its height. If the node installed the contracts again, it would add blocks.
  const second = await startEthereumNode(SEPOLIA, { network: 'sepolia', port, state });
  const { height } = await readChain(second);
  expect(height).toBeGreaterThanOrEqual(before.height);
  expect(height).toBeLessThanOrEqual(before.height + 1n);
  await second.stop();
});

it('a failed start of an Ethereum node throws an error of one line', async () => {
  const port = await findFreePort();
  const node = await startEthereumNode(SEPOLIA, { network: 'sepolia', port });
  await expect(startEthereumNode(1, { network: 'mainnet', port })).rejects.toThrow(/^mainnet: anvil did not start/);
  await node.stop();
});

it('an Ethereum node leaves no states of its blocks in the home folder, even if it is killed', async () => {
  const home = mkdtempSync(join(tmpdir(), 'gatepass-test-'));
  vi.stubEnv('HOME', home);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  });
  const node = await startEthereumNode(SEPOLIA, { network: 'sepolia', port: await findFreePort() });
  const client = createTestClient({ mode: 'anvil', transport: http(node.rpcUrl) }).extend(publicActions);
  await client.setIntervalMining({ interval: 0 });
  // By default, anvil writes states to disk once it has some 1,000. The client repeats a call without an answer after ten seconds.
  for (let mined = 0; mined < 1500; mined += 50) await client.mine({ blocks: 50 });
  const height = await client.getBlockNumber({ cacheTime: 0 });
  expect(await client.getBalance({ address: WALLET, blockNumber: height - 150n })).toBe(0n);
  process.kill(node.pid, 'SIGKILL');
  await node.ended;
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files).toEqual([]);
});
