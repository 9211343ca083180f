import { type Abi, type Address, type Hex, hexToBytes, numberToHex, parseAbi, parseEther, zeroAddress } from 'viem';
import type { BuildName } from '../../../ops/network/gateway-build.ts';
import { contractOfBuild } from '../../../ops/network/slim-build.ts';
import {
  AUTHORITY,
  type ContractNode,
  openContractNode,
  waitUntilMined,
} from '../../../tools/localnet/ethereum/contract-node.ts';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { installGatewayContract } from '../../../tools/localnet/ethereum/gateway-contract.ts';
import { startChain } from '../../../tools/localnet/ethereum/start-node.ts';
import type { Node } from '../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { callNode } from '../../call-node.ts';

const ABI = parseAbi([
  'struct Charge { uint256 value; uint8 chargeType; address token; address tokenSender; address recipient }',
  'function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge charge) payable',
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function getTokenIdsByOwnerAndNetwork(address owner, uint256 network, bool onlyActive) view returns (uint256[])',
  'function setExpiration(uint256 tokenId, uint256 timestamp, Charge charge) payable',
  'function freeze(uint256 tokenId)',
  'function unfreeze(uint256 tokenId)',
  'function revoke(uint256 tokenId)',
]);
const NO_CHARGE = { value: 0n, chargeType: 0, token: zeroAddress, tokenSender: zeroAddress, recipient: zeroAddress };
const [GATEKEEPER] = GATEKEEPERS;
const TRANSACTION_GAS = 21_000;

export type Change = 'freeze' | 'unfreeze' | 'revoke';

/** A chain with a contract that nobody commands, on which only the test makes blocks: one for each transaction. */
export interface OwnChain {
  readonly url: string;
  readonly node: ContractNode;
  readonly contract: Address;
  /** Issues a gateway token. @param expiry Unix seconds; 0: never. */
  mint(wallet: Address, slot: bigint, expiry?: bigint, gatekeeper?: Address): Promise<void>;
  /** Sets the expiry of the wallet's first gateway token. */
  renew(wallet: Address, slot: bigint, expiry: bigint): Promise<void>;
  /** Changes the wallet's gateway token at that place of the contract's list. */
  change(kind: Change, wallet: Address, slot: bigint, place?: number): Promise<void>;
  /** Creates a gatekeeper network in the name of somebody, who becomes its gatekeeper. */
  createNetwork(slot: bigint, by: Address): Promise<void>;
  /** Makes a block with this time. */
  makeBlockAt(unixSeconds: bigint): Promise<void>;
  /** Sends a transaction as that account. Returns the gas that it uses beside the gas that each transaction with this data uses. */
  gasOf(from: Address, to: Address, data: Hex): Promise<number>;
  deploy(contract: { readonly abi: Abi; readonly bytecode: Hex }, args?: readonly unknown[]): Promise<Address>;
  stop(): Promise<void>;
}

/** Starts a chain with these gatekeeper networks in the contract. */
export async function startOwnChain(
  gatekeeperNetworks: readonly string[],
  build: BuildName = 'protocol',
): Promise<OwnChain> {
  const started: Node = await startChain(11_155_111, { network: 'sepolia', port: await findFreePort() });
  const { rpcUrl: url } = started;
  const node = openContractNode(url);
  await installGatewayContract(url, gatekeeperNetworks, build);
  const address = contractOfBuild(build);
  const contract = { chain: null, address, abi: ABI } as const;
  const mined = async (sent: Promise<Hex>) => waitUntilMined(node, await sent);
  async function tokenOf(wallet: Address, slot: bigint, place: number): Promise<bigint> {
    const args = [wallet, slot, false] as const;
    const ids = await node.readContract({ ...contract, functionName: 'getTokenIdsByOwnerAndNetwork', args });
    return ids[place] as bigint;
  }
  return {
    url,
    node,
    contract: address,
    mint: (wallet, slot, expiry = 0n, account = GATEKEEPER) =>
      mined(
        node.writeContract({ ...contract, account, functionName: 'mint', args: [wallet, slot, expiry, 0n, NO_CHARGE] }),
      ),
    async renew(wallet, slot, expiry) {
      const args = [await tokenOf(wallet, slot, 0), expiry, NO_CHARGE] as const;
      await mined(node.writeContract({ ...contract, account: GATEKEEPER, functionName: 'setExpiration', args }));
    },
    async change(functionName, wallet, slot, place = 0) {
      const args = [await tokenOf(wallet, slot, place)] as const;
      await mined(node.writeContract({ ...contract, account: GATEKEEPER, functionName, args }));
    },
    async createNetwork(slot, account) {
      const args = [slot, 'Stranger', false, zeroAddress] as const;
      await mined(node.writeContract({ ...contract, account, functionName: 'createNetwork', args }));
      await mined(node.writeContract({ ...contract, account, functionName: 'addGatekeeper', args: [account, slot] }));
    },
    async makeBlockAt(unixSeconds) {
      await callNode(url, 'evm_setNextBlockTimestamp', [Number(unixSeconds)]);
      await callNode(url, 'anvil_mine', [numberToHex(1)]);
    },
    async gasOf(from, to, data) {
      await node.setBalance({ address: from, value: parseEther('1') });
      await node.impersonateAccount({ address: from });
      const hash = await node.sendTransaction({ account: from, chain: null, to, data, gas: 1_000_000n });
      const { gasUsed, status } = await node.waitForTransactionReceipt({ hash });
      if (status !== 'success') throw new Error('the transaction is reverted');
      return Number(gasUsed) - TRANSACTION_GAS - hexToBytes(data).reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), 0);
    },
    async deploy({ abi, bytecode }, args = []) {
      const hash = await node.deployContract({ account: AUTHORITY, chain: null, abi, bytecode, args, gas: 5_000_000n });
      const { contractAddress, status } = await node.waitForTransactionReceipt({ hash });
      if (status !== 'success') throw new Error('the deployment is reverted');
      return contractAddress as Address;
    },
    stop: () => started.stop(),
  };
}
