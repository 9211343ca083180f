import { createPublicClient, type Hex, http } from 'viem';
import { expect, it } from 'vitest';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { chainOn, PROXY_CODE, startWithGlamsterdam, useEmptyChains } from './empty-chains.ts';
import { network } from './network-nodes.ts';

/** `npm run network -- deploy` on chains with Glamsterdam, whose creations cost seven times as much gas. */

const chains = useEmptyChains(startWithGlamsterdam);

const KEY = 'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD';
const deploy = (name: string, ...args: readonly string[]) =>
  network(['deploy', '--network', name, ...chains.nodeArgs(), ...args]);

it('deploys the contract and creates a gatekeeper network, at about the costs that it names before', async () => {
  const sender = await chains.fundedAccount();
  const by = ['--key-file', sender.file, ...chains.stateArgs()];
  const { code, printed } = await deploy('sepolia', ...by);
  expect(code, printed).toBe(0);
  expect(printed).toContain('sepolia: done and final');
  const chain = chainOn(chains.url('sepolia'));
  expect(await chain.codeOf(OWNERLESS_CONTRACT)).toBe(PROXY_CODE);
  expect(await gasOfTransactions('sepolia', sender.address)).toEqual([
    expect.closeTo(37_200_000, -6),
    expect.closeTo(2_000_000, -6),
  ]);

  const create = ['create', KEY, sender.address, '--name', 'Acme', '--network', 'sepolia', ...chains.nodeArgs()];
  const created = await network([...create, '--authority-key-file', sender.file, ...chains.stateArgs()]);
  expect(created.code, created.printed).toBe(0);
});

it('says how much gas the creation takes if the nodes allow less for a transaction, and sends nothing', async () => {
  const sender = await chains.fundedAccount();
  const { code, printed } = await deploy('baseSepolia', '--key-file', sender.file, ...chains.stateArgs());
  expect(code).toBe(1);
  expect(printed).toMatch(
    /baseSepolia: the creation of the implementation takes more gas than the nodes allow for one transaction, about 3[78]\d{6}\./,
  );
  expect(printed).toContain('Many nodes allow 16777216 (EIP-7825)');
  expect(await chainOn(chains.url('baseSepolia')).sentBy(sender.address)).toBe(0);
});

it('brings no deterministic deployer, whose transaction has too little gas, and pays nothing for it', async () => {
  const sender = await chains.fundedAccount();
  const by = ['--bring-deployer', '--key-file', sender.file, ...chains.stateArgs()];
  const { code, printed } = await deploy('polygonAmoy', ...by);
  expect(code).toBe(1);
  expect(printed).toMatch(
    /polygonAmoy: the transaction of the deterministic deployer has 100000 gas, and its creation takes \d{6} there: name another/,
  );
  expect(await chainOn(chains.url('polygonAmoy')).sentBy(sender.address)).toBe(0);
});

/** Returns the gas of an account's transactions, in order. */
async function gasOfTransactions(name: 'sepolia', from: Hex): Promise<number[]> {
  const client = createPublicClient({ transport: http(chains.url(name)) });
  const gas: number[] = [];
  for (let number = 0n; number <= (await client.getBlockNumber()); number += 1n) {
    const { transactions } = await client.getBlock({ blockNumber: number, includeTransactions: true });
    for (const { hash, from: sender } of transactions)
      if (sender === from.toLowerCase()) gas.push(Number((await client.getTransactionReceipt({ hash })).gasUsed));
  }
  return gas;
}
