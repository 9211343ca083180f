import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Abi,
  type Address,
  decodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  parseAbi,
  parseEther,
  RawContractError,
  zeroAddress,
} from 'viem';
import { afterAll, beforeAll } from 'vitest';
import type { BuildName } from '../../../../ops/network/gateway-build.ts';
import { contractOfBuild } from '../../../../ops/network/slim-build.ts';
import { OWNERLESS_CONTRACT } from '../../../../src/network/networks.ts';
import { type CompiledContract, compileSolidity } from '../../../../tools/contracts/compile.ts';
import { AUTHORITY, type ContractNode, openContractNode } from '../../../../tools/localnet/ethereum/contract-node.ts';
import { installGatewayContract } from '../../../../tools/localnet/ethereum/gateway-contract.ts';
import { startChain } from '../../../../tools/localnet/ethereum/start-node.ts';
import type { Node } from '../../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../../tools/localnet/state/ports.ts';
import { callNode } from '../../../call-node.ts';

/** A chain of the localnet's node with the gateway contract, on which a test deploys contracts. It mines every transaction at once. */

/** The gatekeeper networks, as slots. */
export const OURS = 0x0a11ce_0000_0000_0000_0000_0000_0000_0000_0001n;
export const OTHER = 0x0b0b00_0000_0000_0000_0000_0000_0000_0000_0002n;

/** The contract of chains without another build. */
export const GATEWAY = OWNERLESS_CONTRACT;

const GATEWAY_ABI = parseAbi([
  'struct Charge { uint256 value; uint8 chargeType; address token; address tokenSender; address recipient }',
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function removeGatekeeper(address gatekeeper, uint256 network)',
  'function setNetworkFeatures(uint256 network, uint256 mask)',
  'function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge charge) payable',
]);

/** The fate of a token, as `Issuer` in `solidity/States.sol` numbers them. */
export const FATES = ['active', 'frozen', 'revoked', 'burned'] as const;
export type Fate = (typeof FATES)[number];

export interface IssuedToken {
  readonly wallet: Address;
  readonly network?: bigint;
  /** Unix seconds; 0: never. */
  readonly expiration?: bigint;
  readonly fate?: Fate;
}

const sourceOf = (name: string) => readFileSync(join(import.meta.dirname, 'solidity', name), 'utf8');

const IMPORT_ALL = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;
import "@gatepass/contracts/UniswapAllowlistChecker.sol";`;

const SOURCES = ['States.sol', 'Gates.sol', 'BadGateway.sol', 'PermissionedPool.sol', 'Verdicts.sol'] as const;

/** Returns our contracts and those of the tests, as the settings of a dApp compile them. */
export const compileWith = (settings?: object) =>
  compileSolidity(
    { 'all.sol': IMPORT_ALL, ...Object.fromEntries(SOURCES.map((name) => [name, sourceOf(name)])) },
    settings && { settings },
  );

export const compiled = compileWith();

export const CHECKER = compiled.contract('@gatepass/contracts/UniswapAllowlistChecker.sol', 'UniswapAllowlistChecker');

/** A contract passes on the errors of those that it calls. */
const ERRORS: Abi = ['PermissionsAdapter', 'PoolManager', 'PermissionedRouter'].flatMap((name) =>
  compiled.contract('PermissionedPool.sol', name).abi.filter(({ type }) => type === 'error'),
);

export interface Deployed extends CompiledContract {
  readonly address: Address;
}

/** Returns a wallet for each number. */
export const walletOf = (index: number): Address =>
  getAddress(`0x${(0xca_0000_0000 + index).toString(16).padStart(40, '7')}`);

export type ContractChain = ReturnType<typeof chainOn>;

/** Runs the chain for the tests of a file or of a `describe`. It is available inside the tests. */
export function useContractChain(
  prepare: (chain: ContractChain) => Promise<void>,
  build: BuildName = 'protocol',
  chainId = 31_337,
): { readonly chain: ContractChain } {
  let node: Node;
  let chain: ContractChain;
  beforeAll(async () => {
    node = await startChain(chainId, { network: 'sepolia', port: await findFreePort() });
    await installGatewayContract(node.rpcUrl, [], build);
    chain = chainOn(node.rpcUrl, openContractNode(node.rpcUrl), contractOfBuild(build));
    await chain.createNetworks();
    await prepare(chain);
  });
  afterAll(() => node?.stop());
  return {
    get chain() {
      return chain;
    },
  };
}

function chainOn(url: string, node: ContractNode, gatewayAddress: Address) {
  let issuer: Deployed;
  const gateway: Deployed = {
    ...{ address: gatewayAddress, abi: GATEWAY_ABI as Abi },
    ...{ bytecode: '0x', deployedBytecode: '0x' },
  };

  async function deploy(contract: CompiledContract, ...args: readonly unknown[]): Promise<Deployed> {
    const { abi, bytecode } = contract;
    const hash = await node.deployContract({ account: AUTHORITY, chain: null, abi, bytecode, args, gas: 10_000_000n });
    const { contractAddress, status } = await node.waitForTransactionReceipt({ hash });
    if (status !== 'success' || !contractAddress) throw new Error('the deployment is reverted');
    return { ...contract, address: getAddress(contractAddress) };
  }

  /** Returns the error with which the contract refuses a call of the account; undefined: it does not revert. Changes nothing. */
  async function simulate(
    by: { readonly account: Address; readonly gas?: bigint },
    to: Deployed,
    functionName: string,
    ...args: readonly unknown[]
  ) {
    const data = encodeFunctionData({ abi: to.abi, functionName, args });
    try {
      await node.call({ ...by, to: to.address, data });
      return undefined;
    } catch (error) {
      const revert = decodeRevert(error, to.abi);
      if (revert === undefined) throw error;
      return revert;
    }
  }

  /** Sends a transaction as any account. Throws the decoded error if it reverts. */
  async function sendAs(from: Address, to: Deployed, functionName: string, ...args: readonly unknown[]) {
    const data = encodeFunctionData({ abi: to.abi, functionName, args });
    await callNode(url, 'anvil_setBalance', [from, numberToHex(parseEther('10'))]);
    await callNode(url, 'anvil_impersonateAccount', [from]);
    try {
      // The estimate fails with the reason if the transaction would.
      const gas = await node.estimateGas({ account: from, to: to.address, data });
      const hash = await node.sendTransaction({ account: from, chain: null, to: to.address, data, gas });
      return await node.waitForTransactionReceipt({ hash });
    } catch (error) {
      const revert = decodeRevert(error, to.abi);
      throw revert === undefined ? error : Object.assign(new Error(describeRevert(revert)), { revert });
    }
  }

  return {
    url,
    node,
    /** The gateway contract. */
    gateway,
    deploy,
    simulate,
    simulateAs: (account: Address, to: Deployed, functionName: string, ...args: readonly unknown[]) =>
      simulate({ account }, to, functionName, ...args),
    sendAs,
    read: <T>({ address, abi }: Deployed, functionName: string, ...args: readonly unknown[]) =>
      node.readContract({ address, abi, functionName, args }) as Promise<T>,
    send: (to: Deployed, functionName: string, ...args: readonly unknown[]) =>
      sendAs(AUTHORITY, to, functionName, ...args),
    async createNetworks() {
      issuer = await deploy(compiled.contract('States.sol', 'Issuer'));
      for (const slot of [OURS, OTHER]) {
        await sendAs(AUTHORITY, gateway, 'createNetwork', slot, 'Test', false, zeroAddress);
        await sendAs(AUTHORITY, gateway, 'addGatekeeper', issuer.address, slot);
      }
    },
    /** Issues the tokens in one transaction. */
    async issue(tokens: readonly IssuedToken[]) {
      const args = tokens.map(({ wallet, network = OURS, expiration = 0n, fate = 'active' }) => ({
        ...{ wallet, network, expiration },
        fate: FATES.indexOf(fate),
      }));
      const { address, abi } = issuer;
      const data = encodeFunctionData({ abi, functionName: 'issue', args: [gatewayAddress, args] });
      const gas = 390_000_000n;
      const hash = await node.sendTransaction({ account: AUTHORITY, chain: null, to: address, data, gas });
      const { status } = await node.waitForTransactionReceipt({ hash });
      if (status !== 'success') throw new Error('the tokens are not issued');
    },
    /** Makes a block with that time. */
    async moveTo(seconds: number) {
      await callNode(url, 'evm_setNextBlockTimestamp', [seconds]);
      await callNode(url, 'evm_mine', []);
    },
    async time() {
      return Number((await node.getBlock()).timestamp);
    },
  };
}

export interface Revert {
  readonly name: string;
  readonly args: readonly unknown[];
}

const describeRevert = ({ name, args }: Revert) => `${name}(${args.join(', ')})`;

/** Returns the error of a contract in a fault of viem; undefined if the fault has no data of a contract. */
function decodeRevert(error: unknown, abi: Abi): Revert | undefined {
  const found = (error as { walk?: (test: (each: unknown) => boolean) => unknown }).walk?.(
    (each) => each instanceof RawContractError || typeof (each as { data?: unknown }).data === 'string',
  ) as { data?: Hex | { data?: Hex } } | undefined;
  const data = typeof found?.data === 'object' ? found.data.data : found?.data;
  if (data === undefined) return undefined;
  if (data === '0x') return { name: 'no reason', args: [] };
  const { errorName, args = [] } = decodeErrorResult({ abi: [...abi, ...ERRORS], data });
  return { name: errorName, args: args as readonly unknown[] };
}
