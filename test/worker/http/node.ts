import { inject } from 'vitest';

/** The nodes of the localnet, asked past the Worker. */

export async function rpc(network: string, method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(inject('localnet').rpc[network] as string, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** How many transactions the gatekeeper has sent so far, those that wait for a block included. */
export async function transactionCount(network: string): Promise<number> {
  return Number(await rpc(network, 'eth_getTransactionCount', inject('localnet').gatekeeper.ethereum, 'pending'));
}

let blocksAreHeld = false;

/** No block is made meanwhile: what has been sent stays sent. */
export async function withoutBlocks(network: string, doing: () => Promise<void>): Promise<void> {
  blocksAreHeld = true;
  await rpc(network, 'evm_setIntervalMining', 0);
  try {
    await doing();
  } finally {
    await rpc(network, 'evm_setIntervalMining', 1);
    blocksAreHeld = false;
  }
}

/** The next block now: there is one each second anyway, but the tests have waited for most of them. */
export async function nextBlock(on: string): Promise<void> {
  const [chain, network = ''] = on.split('/');
  if (chain === 'ethereum' && !blocksAreHeld) await rpc(network, 'evm_mine');
}
