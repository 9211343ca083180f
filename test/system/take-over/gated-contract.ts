import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import solc from 'solc';
import { type Abi, type Address, createTestClient, type Hex, http, publicActions, walletActions } from 'viem';

/** A contract as a dApp would write it, on the protocol's own `Gated`. */
const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.9;
import "@identity.com/gateway-protocol-eth/contracts/Gated.sol";
contract Door is Gated {
  constructor(address gatewayToken, uint256 gatekeeperNetwork) Gated(gatewayToken, gatekeeperNetwork) {}
  function enter() external view gated returns (bool) { return true; }
}`;

const require = createRequire(import.meta.url);

interface Compiled {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<
    Record<string, Readonly<Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>>
  >;
}

function compile(): { abi: Abi; bytecode: Hex } {
  const input = {
    language: 'Solidity',
    sources: { 'Door.sol': { content: SOURCE } },
    settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const read = (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') });
  const { errors = [], contracts }: Compiled = JSON.parse(solc.compile(JSON.stringify(input), { import: read }));
  const fault = errors.find(({ severity }) => severity === 'error');
  const door = contracts['Door.sol']?.Door;
  if (fault || door === undefined) throw new Error(fault?.formattedMessage ?? 'nothing was compiled');
  return { abi: door.abi, bytecode: `0x${door.evm.bytecode.object}` };
}

/** Deploys the contract for a gatekeeper network, and returns a function that tries to enter as a wallet. */
export async function deployGated(url: string, gatewayToken: string, slot: bigint) {
  const { abi, bytecode } = compile();
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
