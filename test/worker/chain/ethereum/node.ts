import { env } from 'cloudflare:workers';
import type { Hex } from 'viem';
import { getAddress } from 'viem/utils';
import { afterAll, beforeAll, inject } from 'vitest';
import type { Ethereum } from '../../../../src/chain/ethereum/rpc.ts';
import type { JsonRpc } from '../../../../src/chain/json-rpc.ts';
import { openEthereumKey } from '../../../../src/chain/signing/kms-key.ts';
import { configOf } from '../../../../src/config/parse-config.ts';
import { type EnabledEthereum, signersOn } from '../../../../src/config/signers.ts';
import { slotOf } from '../../../../src/network/slot.ts';
import type { Wallet } from '../../../../src/network/wallet.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { callNode } from '../../../call-node.ts';
import { aStepOn, type StepOverrides } from '../a-step.ts';

/** Calls the localnet's node of `sepolia` directly, as somebody other than the service does. */
export const callSepolia = <T = unknown>(method: string, ...params: unknown[]): Promise<T> =>
  callNode(inject('localnet').rpc.sepolia as string, method, params);

/** Mines blocks at once. */
export const mine = (blocks = 1) => callSepolia('anvil_mine', `0x${blocks.toString(16)}`);

/** Gives the next block this time, or a second more than the last block has if that is later: many blocks at once run ahead. */
export async function setNextBlockTime(ms: number): Promise<void> {
  const { timestamp } = await callSepolia<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
  await callSepolia('evm_setNextBlockTimestamp', Math.max(Math.ceil(ms / 1000), Number(timestamp) + 1));
}

/** Only the tests of the file or group make blocks, with `mine`. After them, the transactions in blocks are final. */
export function makeBlocksByHand(): void {
  beforeAll(() => callSepolia('evm_setIntervalMining', 0));
  afterAll(async () => {
    await mine(4);
    await callSepolia('evm_setIntervalMining', 1);
  });
}

/** The number of blocks in a minute by the network data. After that a nonce counts as used by somebody else. */
export const A_MINUTE = 60_000 / sepolia().network.blockMs;

/** Calls the contract with the gatekeeper's account, unknown to the service. Returns the hash. */
export async function byGatekeeper(data: string, to = inject('localnet').gatewayToken.sepolia): Promise<string> {
  const { gatekeeper } = inject('localnet');
  const call = { from: gatekeeper.ethereum, to, data, gas: '0x7a120' };
  const hash = await callSepolia<string>('eth_sendTransaction', call);
  await mine();
  return hash;
}

/** Returns the number of mined transactions of the gatekeeper. */
export async function minedOfGatekeeper(): Promise<number> {
  return Number(await callSepolia<string>('eth_getTransactionCount', inject('localnet').gatekeeper.ethereum, 'latest'));
}

/** `sepolia` in the localnet's Worker. */
export function sepolia(): EnabledEthereum {
  const config = configOf(env);
  const row = config.networks.find(({ network }) => network === 'sepolia');
  const [enabled] = row ? signersOn(config, row) : [];
  if (enabled?.chain !== 'ethereum') throw new Error('sepolia is not enabled');
  return enabled;
}

/** The key of a gatekeeper, as the adapter opens it. */
export const keyOf = (gatekeeper: EnabledEthereum['gatekeeper']): Ethereum['gatekeeper'] => ({
  ...openEthereumKey(gatekeeper),
  address: gatekeeper.address as Hex,
});

/** The context of the adapter's parts, over that transport. */
export function contextOver(rpc: JsonRpc, overrides: Partial<EnabledEthereum> = {}): Ethereum {
  const { network, gatekeeper } = { ...sepolia(), ...overrides };
  return { rpc, network, gatekeeper: keyOf(gatekeeper), slot: slotOf, derivesTokenIds: () => false };
}

/** Returns an unused wallet. */
export function freshWallet(): Wallet {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  return getAddress(`0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`) as string as Wallet;
}

/** Returns the issuance of a pass on `sepolia`, with overrides. */
export const aStep = (overrides: StepOverrides = {}): Step =>
  aStepOn({ chain: 'ethereum', network: 'sepolia', wallet: freshWallet() }, overrides);
