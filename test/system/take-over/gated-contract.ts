import { type Address, createTestClient, http, publicActions, walletActions } from 'viem';
import { compileSolidity } from '../../../tools/contracts/compile.ts';
import { guideBlock } from '../../unit/documents/pass-guide.ts';

/** Deploys the contract of the guide on the protocol's own `Gated` for a gatekeeper network, and returns a function that tries to enter as a wallet. */
export async function deployGated(url: string, gatewayToken: string, slot: bigint) {
  const { abi, bytecode } = compileSolidity({ 'Door.sol': guideBlock('solidity', 'Gated') }).contract(
    'Door.sol',
    'Door',
  );
  const client = createTestClient({ mode: 'anvil', transport: http(url, { batch: true }), pollingInterval: 100 })
    .extend(publicActions)
    .extend(walletActions);
  const [account] = (await client.getAddresses()) as [Address];
  const args = [gatewayToken, slot];
  const hash = await client.deployContract({ account, chain: null, abi, bytecode, args });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  const address = contractAddress as Address;
  return {
    /** Whether the contract admits the wallet. */
    async admits(wallet: string): Promise<boolean> {
      try {
        return (
          (await client.readContract({ address, abi, functionName: 'enter', account: wallet as Address })) === true
        );
      } catch (error) {
        if (/IsGated__InvalidGatewayToken/.test(String(error))) return false;
        throw error;
      }
    },
  };
}
