import {
  concat,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  padHex,
  parseAbi,
  size,
  slice,
  zeroAddress,
} from 'viem';
import { inject } from 'vitest';
import { slotOf } from '../../../../src/network/slot.ts';
import { callSepolia, mine, sepolia } from './node.ts';

/** A contract on `sepolia` with a super admin, beside the ownerless one. */

/** Account 4 of the node, which signs for it. */
export const ADMIN = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
/** The account that may create gatekeeper networks, as everybody may. */
const AUTHORITY = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const NOBODY = '0x000000000000000000000000000000000000dEaD';
const DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const GAS = '0x989680';

const ABI = parseAbi([
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function upgradeTo(address implementation)',
  'function addForwarder(address forwarder)',
]);

const word = (address: Hex) => padHex(address, { size: 32 }).slice(2).toLowerCase();

/** Sends a transaction of an account of the node, and mines it. */
async function send(from: string, to: string, data: Hex): Promise<void> {
  const hash = await callSepolia<Hex>('eth_sendTransaction', { from, to, data, gas: GAS });
  await mine();
  const { status } = await callSepolia<{ status: Hex }>('eth_getTransactionReceipt', hash);
  if (status !== '0x1') throw new Error(`the transaction ${hash} had no effect`);
}

/** Returns the init code of implementation and proxy, from the transactions that deployed the ownerless contract. */
async function readInitCodes(): Promise<Hex[]> {
  const codes: Hex[] = [];
  for (let block = 1; codes.length < 2; block += 1) {
    const { transactions } = await callSepolia<{ transactions: { to: Hex | null; input: Hex }[] }>(
      'eth_getBlockByNumber',
      `0x${block.toString(16)}`,
      true,
    );
    codes.push(
      ...transactions
        .filter(({ to }) => to?.toLowerCase() === DEPLOYER.toLowerCase())
        .map(({ input }) => slice(input, 32)),
    );
  }
  return codes;
}

async function create(bytecode: Hex): Promise<Hex> {
  const salt: Hex = `0x${crypto.randomUUID().replaceAll('-', '').padStart(64, '0')}`;
  await send(AUTHORITY, DEPLOYER, concat([salt, bytecode]));
  return getContractAddress({ opcode: 'CREATE2', from: DEPLOYER, salt, bytecode });
}

/** Deploys the localnet's contract again, with the super admin ADMIN, and lets the gatekeeper of `sepolia` issue for acme in it. */
export async function deployWithAdmin(): Promise<Hex> {
  const [, proxy = '0x'] = await readInitCodes();
  const contract = await create(proxy.replace(word(NOBODY), word(ADMIN)) as Hex);
  const slot = slotOf(inject('localnet').partners[0]?.gatekeeperNetwork as string) as bigint;
  const name = ['createNetwork', [slot, 'acme', false, zeroAddress]] as const;
  await send(AUTHORITY, contract, encodeFunctionData({ abi: ABI, functionName: name[0], args: name[1] }));
  const args = [sepolia().gatekeeper.address as Hex, slot] as const;
  await send(AUTHORITY, contract, encodeFunctionData({ abi: ABI, functionName: 'addGatekeeper', args }));
  return contract;
}

/** The super admin replaces the code by one that does the same and has another hash. */
export async function upgrade(contract: Hex): Promise<void> {
  const [code = '0x'] = await readInitCodes();
  // The last bytes are the hash of the metadata and its length, which never run.
  const other = concat([slice(code, 0, size(code) - 3), '0x000000']);
  const implementation = await create(other);
  await send(ADMIN, contract, encodeFunctionData({ abi: ABI, functionName: 'upgradeTo', args: [implementation] }));
}

/** The super admin adds itself as a forwarder, so that it acts in the name of any account. */
export async function addForwarder(contract: Hex): Promise<void> {
  await send(ADMIN, contract, encodeFunctionData({ abi: ABI, functionName: 'addForwarder', args: [ADMIN] }));
}
