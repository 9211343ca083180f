import { inject } from 'vitest';
import { callNode } from '../../call-node.ts';

/** Calls the localnet's node of a network directly, without the Worker. */
export const callNodeOf = <T = unknown>(network: string, method: string, ...params: unknown[]): Promise<T> =>
  callNode(inject('localnet').rpc[network] as string, method, params);

/** How many transactions the gatekeeper has sent so far, those that wait for a block included. */
export async function transactionCount(network: string): Promise<number> {
  return Number(
    await callNodeOf(network, 'eth_getTransactionCount', inject('localnet').gatekeeper.ethereum, 'pending'),
  );
}

let blocksAreHeld = false;

/** No block is made meanwhile: what has been sent stays sent. */
export async function withoutBlocks(network: string, doing: () => Promise<void>): Promise<void> {
  blocksAreHeld = true;
  await callNodeOf(network, 'evm_setIntervalMining', 0);
  try {
    await doing();
  } finally {
    await callNodeOf(network, 'evm_setIntervalMining', 1);
    blocksAreHeld = false;
  }
}

/** The next block now: there is one each second anyway, but the tests have waited for most of them. */
export async function nextBlock(on: string): Promise<void> {
  const [chain, network = ''] = on.split('/');
  if (chain === 'ethereum' && !blocksAreHeld) await callNodeOf(network, 'evm_mine');
}
