import { type Address, encodeFunctionData, type Hex, numberToHex, zeroAddress } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DETERMINISTIC_DEPLOYER } from '../../../../ops/network/gateway-build.ts';
import { OWNERLESS_CONTRACT } from '../../../../src/network/networks.ts';
import { AUTHORITY, openContractNode, sendData } from '../../../../tools/localnet/ethereum/contract-node.ts';
import { installGatewayContract } from '../../../../tools/localnet/ethereum/gateway-contract.ts';
import { startHardhatChain } from '../../../../tools/localnet/ethereum/start-hardhat.ts';
import type { Node } from '../../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../../tools/localnet/state/ports.ts';
import { callNode } from '../../../call-node.ts';
import { walletOf } from './contract-chain.ts';
import { NO_CHARGE, SLIM, SLIM_CREATION } from './slim-gateway.ts';

/** The gas of a pass with the rules of Glamsterdam, which make new storage slots several times dearer, in both contracts. */

const SLOT = 0x0926_6570_c875_5cb9_e9d8_ea3d_75c5_2515_14f0_eb45_c6f2_a86d_39ac_e69e_5169_88ecn;
const FAR = 4_000_000_000n;
/** The share of the gas of 0.8.0 that a mint takes at most. */
const SHARE_MAX = 0.2;
/** The gas with the pinned hardhat. */
const RECORDED = { mint: 133_731, 'mint with an expiry': 135_205, freeze: 31_352, deploy: 8_377_597 };

let node: Node;
beforeAll(async () => {
  node = await startHardhatChain(11_155_111, {
    network: 'sepolia',
    port: await findFreePort(),
    hardfork: 'amsterdam',
    blockGasLimit: 400_000_000,
  });
  await installGatewayContract(node.rpcUrl, []);
});
afterAll(() => node?.stop());

it('a mint writes one new slot, and takes at most a fifth of the gas of 0.8.0', async () => {
  const chain = openContractNode(node.rpcUrl);
  const gasOf = async (hash: Hex) => Number((await chain.waitForTransactionReceipt({ hash })).gasUsed);
  const deploy = await gasOf(await sendData(chain, DETERMINISTIC_DEPLOYER, SLIM_CREATION.data));
  const measure = async (address: Address) => {
    const send = (functionName: string, ...args: readonly unknown[]) =>
      sendData(chain, address, encodeFunctionData({ abi: SLIM.abi, functionName, args }));
    await send('createNetwork', SLOT, 'Acme', false, zeroAddress);
    await send('addGatekeeper', AUTHORITY, SLOT);
    // The first token of 0.8.0 in a network writes more.
    await send('mint', walletOf(1), SLOT, 0n, 0n, NO_CHARGE);
    const hash = await send('mint', walletOf(2), SLOT, 0n, 0n, NO_CHARGE);
    const expiring = await send('mint', walletOf(3), SLOT, FAR, 0n, NO_CHARGE);
    const [id] = (await chain.readContract({
      ...{ address, abi: SLIM.abi },
      functionName: 'getTokenIdsByOwnerAndNetwork',
      args: [walletOf(2), SLOT, true],
    })) as bigint[];
    return {
      newSlots: [await countNewSlots(hash), await countNewSlots(expiring)],
      gas: {
        mint: await gasOf(hash),
        'mint with an expiry': await gasOf(expiring),
        freeze: await gasOf(await send('freeze', id)),
      },
    };
  };
  const [slim, old] = [await measure(SLIM_CREATION.address), await measure(OWNERLESS_CONTRACT)];
  expect(slim.newSlots).toEqual([1, 1]);
  expect(old.newSlots).toEqual([8, 9]);
  expect(slim.gas.mint / old.gas.mint).toBeLessThanOrEqual(SHARE_MAX);
  expect(slim.gas['mint with an expiry'] / old.gas['mint with an expiry']).toBeLessThanOrEqual(SHARE_MAX);
  expect({ ...slim.gas, deploy }).toEqual(RECORDED);
});

interface Step {
  readonly op: string;
  readonly stack: readonly Hex[];
}

/** Returns how many slots a transaction changes from zero. */
async function countNewSlots(hash: Hex): Promise<number> {
  const chain = openContractNode(node.rpcUrl);
  const { blockNumber } = await chain.getTransactionReceipt({ hash });
  const { structLogs } = await callNode<{ structLogs: readonly Step[] }>(node.rpcUrl, 'debug_traceTransaction', [
    hash,
    {},
  ]);
  const { to } = await chain.getTransaction({ hash });
  const written = new Set(
    structLogs.filter(({ op }) => op === 'SSTORE').map(({ stack }) => BigInt(stack.at(-1) as Hex)),
  );
  const isZero = async (slot: bigint, block: bigint) =>
    BigInt(
      await callNode<Hex>(node.rpcUrl, 'eth_getStorageAt', [to, numberToHex(slot, { size: 32 }), numberToHex(block)]),
    ) === 0n;
  let count = 0;
  for (const slot of written) if ((await isZero(slot, blockNumber - 1n)) && !(await isZero(slot, blockNumber))) count++;
  return count;
}
