import { afterAll, expect, it } from 'vitest';
import { stopChildren } from '../../../terminal/child-process.ts';
import { CIVIC_CONTRACT, installCivicContract } from '../../../tools/localnet/ethereum/civic-contract.ts';
import { AUTHORITY, openContractNode } from '../../../tools/localnet/ethereum/contract-node.ts';
import { createGatekeeperNetworks } from '../../../tools/localnet/ethereum/gateway-contract.ts';
import { startEthereumNode } from '../../../tools/localnet/ethereum/start-node.ts';
import { GATEKEEPER_NETWORKS } from '../../../tools/localnet/oauth/partners.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { randomFrom } from '../faults/random.ts';
import { MixedTokens, readWithProtocolClient } from './mixed-ethereum-tokens.ts';
import { readTexts, textOf } from './scanned-tokens.ts';

const [, KEY = ''] = GATEKEEPER_NETWORKS;
afterAll(stopChildren);

it('reads the tokens of the contract that is named, by logs and by index', async () => {
  const { rpcUrl } = await startEthereumNode(11_155_111, { network: 'sepolia', port: await findFreePort() });
  await installCivicContract(rpcUrl, AUTHORITY);
  await createGatekeeperNetworks(openContractNode(rpcUrl), CIVIC_CONTRACT, GATEKEEPER_NETWORKS);
  const [ours, civics] = ([undefined, CIVIC_CONTRACT] as const).map((contract, seed) => ({
    contract,
    tokens: new MixedTokens(rpcUrl, randomFrom(seed), contract),
  }));
  for (const each of [ours, civics]) await each?.tokens.create(20);
  for (const { contract, tokens } of [ours, civics].flatMap((each) => each ?? [])) {
    const rows = await readWithProtocolClient(rpcUrl, 'sepolia', KEY, tokens.wallets, contract);
    const expected = rows.map(textOf).toSorted();
    expect(expected.length).toBeGreaterThan(5);
    for (const byIndex of [false, true])
      expect(await readTexts(['ethereum', 'sepolia'], KEY, [rpcUrl], { contract, byIndex })).toEqual(expected);
  }
});
