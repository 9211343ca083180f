import { createTestClient, type Hex, http, publicActions, walletActions } from 'viem';

/** An anvil node on which the localnet installs contracts. */
export type ContractNode = ReturnType<typeof openContractNode>;

/** The account that pays for the contracts and is the authority of the gatekeeper networks: the first one, unlocked in the node. */
export const AUTHORITY = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

export function openContractNode(rpcUrl: string) {
  return createTestClient({ mode: 'anvil', transport: http(rpcUrl), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions);
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
