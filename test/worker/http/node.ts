import { inject } from 'vitest';
import { callNode } from '../../call-node.ts';

/** Calls the localnet's node of a network directly, without the Worker. */
export const callNodeOf = <T = unknown>(network: string, method: string, ...params: unknown[]): Promise<T> =>
  callNode(inject('localnet').rpc[network] as string, method, params);

/** Returns the number of transactions that the gatekeeper sent, including pending ones. */
export async function transactionCount(network: string): Promise<number> {
  return Number(
    await callNodeOf(network, 'eth_getTransactionCount', inject('localnet').gatekeeper.ethereum, 'pending'),
  );
}

let blocksAreHeld = false;

/** Runs the function while the node makes no blocks, so that transactions stay pending. */
export async function withoutBlocks<T>(network: string, doing: () => Promise<T>): Promise<T> {
  blocksAreHeld = true;
  await callNodeOf(network, 'evm_setIntervalMining', 0);
  try {
    return await doing();
  } finally {
    await callNodeOf(network, 'evm_setIntervalMining', 1);
    blocksAreHeld = false;
  }
}

/** Makes the next block now. The node makes one each second anyway, but this saves most of the waiting. */
export async function nextBlock(on: string): Promise<void> {
  const [chain, network = ''] = on.split('/');
  if (chain === 'ethereum' && !blocksAreHeld) await callNodeOf(network, 'evm_mine');
}
