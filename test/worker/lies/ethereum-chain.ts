import { env } from 'cloudflare:workers';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { encodeFunctionData, numberToHex, parseAbi, toHex } from 'viem/utils';
import { inject } from 'vitest';
import { mintData } from '../../../src/chain/ethereum/gateway.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import { findNetwork } from '../../../src/network/networks.ts';
import { slotOf } from '../../../src/network/slot.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import type { EthereumScene } from '../../lies/ethereum-lies.ts';
import { tokenIdsOf, tokensOf } from '../chain/ethereum/issuing.ts';
import { aStep, callSepolia, freshWallet, sepolia, setNextBlockTime } from '../chain/ethereum/node.ts';
import { clockMs, nowMs, setTime } from './simulated-time.ts';
import type { TestedChain } from './tested-chain.ts';

/** The authority of the gatekeeper networks, unlocked in the node. */
const AUTHORITY = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const ABI = parseAbi(['function addGatekeeper(address gatekeeper, uint256 network)']);
const FUNDS = 1_000n * 10n ** 18n;
/** A mint takes 0.3 million gas. */
const USED_MAX_GAS = 400_000n;
const BLOCK_SECONDS = 12;
/** The node finalizes blocks at a depth of 64, and takes long to make them. */
const FINAL_DEPTH = 8;
/** The first turn confirms transactions, the second makes them final for more than a minute. */
const BLOCKS_OF_TURN = [3, 16];
/** The real network data, without the shorter times of the localnet. */
const NETWORKS = '{}';

interface Block {
  readonly number: `0x${string}`;
  readonly hash: `0x${string}`;
  readonly timestamp: `0x${string}`;
}

export async function openEthereum(
  neighborExpiry: number,
  lifeExpiry: number,
): Promise<TestedChain & { close(): Promise<void> }> {
  await callSepolia('evm_setIntervalMining', 0);
  const snapshot = await callSepolia<string>('evm_snapshot');
  const { gateway } = sepolia().network;
  const head: { -readonly [Field in 'number' | 'hash']: `0x${string}` } = { number: '0x0', hash: '0x0' };
  const neighbors = new Map<string, PassKey>();
  const network = findNetwork(configOf({ ...env, NETWORKS }).networks, 'ethereum', 'sepolia');
  if (network?.chain !== 'ethereum') throw new Error('sepolia is not configured');

  const send = (from: string, data: string) =>
    callSepolia('eth_sendTransaction', { from, to: gateway, data, gas: '0x7a120' });

  const finalBlock = () => numberToHex(BigInt(head.number) - BigInt(FINAL_DEPTH));

  async function mineBlocks(blocks: number): Promise<void> {
    await callSepolia('anvil_mine', numberToHex(blocks), numberToHex(BLOCK_SECONDS));
    const block = await callSepolia<Block>('eth_getBlockByNumber', 'latest', false);
    Object.assign(head, { number: block.number, hash: block.hash });
    setTime(Number(block.timestamp) * 1000 + 1000);
  }

  await setNextBlockTime(nowMs());
  await mineBlocks(1);

  async function newPass() {
    const { key } = aStep();
    const neighbor: PassKey = { ...key, wallet: freshWallet() };
    neighbors.set(key.wallet, neighbor);
    const privateKey = generatePrivateKey();
    const gatekeeper = privateKeyToAddress(privateKey);
    const slot = slotOf(key.gatekeeperNetwork) as bigint;
    await callSepolia('anvil_setBalance', gatekeeper, toHex(FUNDS));
    await send(AUTHORITY, encodeFunctionData({ abi: ABI, functionName: 'addGatekeeper', args: [gatekeeper, slot] }));
    await send(inject('localnet').gatekeeper.ethereum, mintData(neighbor.wallet, slot, neighborExpiry));
    await mineBlocks(1);
    const [neighborToken = 0n] = await tokenIdsOf(stepOf(neighbor));
    const wallet = key.wallet as string as `0x${string}`;
    const scene: EthereumScene = { gateway, wallet, slot, expiry: lifeExpiry, neighborToken, head, claimed: new Map() };
    return { key, gatekeeper, scene, variables: { ETHEREUM_GATEKEEPER_KEY: privateKey, NETWORKS } };
  }

  const readTokens = async (key: PassKey) =>
    (await tokensOf(stepOf(key))).map(({ state = '', expiry }) => ({ state, expiry: expiry || undefined }));

  return {
    node: inject('localnet').rpc.sepolia as string,
    clock: {
      askNode: (call) => ({ ...call, params: call.params.map((each) => (each === 'finalized' ? finalBlock() : each)) }),
      answerForNode: (_, truth) => truth,
    },
    transactionMaxCost: USED_MAX_GAS * BigInt(network.maxFeePerGas),
    newPass,
    passTime: (turn) => mineBlocks(BLOCKS_OF_TURN[turn % 2] ?? 1),
    balanceOf: async (gatekeeper) => BigInt(await callSepolia<string>('eth_getBalance', gatekeeper, 'latest')),
    tokensOf: readTokens,
    async findHarm({ wallet }) {
      const tokens = JSON.stringify(await readTokens(neighbors.get(wallet) as PassKey));
      return tokens === JSON.stringify([{ state: 'ACTIVE', expiry: neighborExpiry }])
        ? undefined
        : `the neighbor has ${tokens}`;
    },
    async close() {
      await callSepolia('anvil_dropAllTransactions');
      await callSepolia('evm_revert', snapshot);
      // The chain continues from the time of the snapshot, and the next test needs the current time.
      await setNextBlockTime(clockMs());
      await callSepolia('evm_setIntervalMining', 1);
    },
  };
}

const stepOf = (key: PassKey) => ({ ...aStep(), key });
