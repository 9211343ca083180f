import { setTimeout as sleep } from 'node:timers/promises';
import {
  createTestClient,
  type Hex,
  http,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  walletActions,
} from 'viem';

/** An anvil node on which the localnet installs contracts. */
export type ContractNode = ReturnType<typeof openContractNode>;

/** The account that pays for the contracts and is the authority of the gatekeeper networks: the first one, unlocked in the node. */
export const AUTHORITY = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

const POLL_MS = 20;

export function openContractNode(rpcUrl: string) {
  return createTestClient({ mode: 'anvil', transport: http(rpcUrl), pollingInterval: POLL_MS })
    .extend(publicActions)
    .extend(walletActions)
    .extend((node) => ({
      /** Returns the receipt when a block has the transaction. viem's own looks again only after another block, which may never come. */
      async waitForTransactionReceipt({ hash }: { readonly hash: Hex }): Promise<TransactionReceipt> {
        for (;;) {
          try {
            return await node.getTransactionReceipt({ hash });
          } catch (fault) {
            if (!(fault instanceof TransactionReceiptNotFoundError)) throw fault;
            await sleep(POLL_MS);
          }
        }
      },
    }));
}

/** Waits for the receipt of a transaction. Throws if it had no effect. */
export async function waitUntilMined(node: ContractNode, hash: Hex): Promise<void> {
  const { status } = await node.waitForTransactionReceipt({ hash });
  if (status !== 'success') throw new Error(`transaction ${hash} of the contract's installation failed`);
}

/** Sends the data to a contract, and waits until a block has the transaction. */
export async function sendData(node: ContractNode, to: Hex, data: Hex): Promise<Hex> {
  const hash = await node.sendTransaction({ account: AUTHORITY, chain: null, to, data });
  await waitUntilMined(node, hash);
  return hash;
}
