import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import { OWNERLESS_CONTRACT } from '../../../../src/network/networks.ts';
import { compileSolidity } from '../../../../tools/contracts/compile.ts';
import { installGatewayContract } from '../../../../tools/localnet/ethereum/gateway-contract.ts';
import { startChain } from '../../../../tools/localnet/ethereum/start-node.ts';
import type { Node } from '../../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../../tools/localnet/state/ports.ts';
import { callNode } from '../../../call-node.ts';
import type { Difference } from './slim-beside-old.ts';
import { SLIM, SLIM_CREATION } from './slim-gateway.ts';
import { type Contracts, checkStory } from './slim-judge.ts';
import type { Ask } from './slim-reads.ts';
import { READER, type Step, story } from './slim-stories.ts';

/** A chain with the contract 0.8.0 and the slim one. */

const SEED = 20_261_130;
export const CONTRACTS_OF_STORIES: Contracts = { slim: SLIM_CREATION.address, old: OWNERLESS_CONTRACT };

const readerSource = readFileSync(join(import.meta.dirname, 'solidity/Reader.sol'), 'utf8');

/** Runs the chain for the tests of a file. It is available inside the tests. */
export function useSlimChain(): { readonly ask: Ask; readonly url: string } {
  let node: Node;
  const ask: Ask = (method, params) => callNode(node.rpcUrl, method, params);
  beforeAll(async () => {
    node = await startChain(31_337, { network: 'sepolia', port: await findFreePort() });
    await installGatewayContract(node.rpcUrl, []);
    await ask('anvil_setCode', [SLIM_CREATION.address, SLIM.deployedBytecode]);
    const reader = compileSolidity({ 'Reader.sol': readerSource }).contract('Reader.sol', 'Reader');
    await ask('anvil_setCode', [READER, reader.deployedBytecode]);
  });
  afterAll(() => node?.stop());
  return {
    ask,
    get url() {
      return node.rpcUrl;
    },
  };
}

/** Returns the first stories of the seed. */
export const storiesOf = (count: number): readonly (readonly Step[])[] =>
  fc.sample(story, { numRuns: count, seed: SEED });

/** Stories that the node runs at the same time. */
const TOGETHER = 4;

/** Runs the stories. Returns how many times each difference occurred. Throws the first fault. */
export async function checkStories(
  ask: Ask,
  stories: readonly (readonly Step[])[],
  contracts: Contracts = CONTRACTS_OF_STORIES,
): Promise<ReadonlyMap<Difference, number>> {
  const counts = new Map<Difference, number>();
  for (let at = 0; at < stories.length; at += TOGETHER) {
    const some = stories.slice(at, at + TOGETHER).map((each) => checkStory(ask, contracts, each));
    for (const difference of (await Promise.all(some)).flat())
      counts.set(difference, (counts.get(difference) ?? 0) + 1);
  }
  return counts;
}
