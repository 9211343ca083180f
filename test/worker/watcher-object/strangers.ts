import { base58 } from '@scure/base';
import { type Hex, parseAbi, zeroAddress } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import { expect, inject } from 'vitest';
import { changeData, mintData } from '../../../src/chain/ethereum/gateway.ts';
import { type GatekeeperNetwork, slotOf } from '../../../src/network/slot.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import type { StepKind } from '../../../src/pass/step-kinds.ts';
import { isValid } from '../../../src/pass/verdict.ts';
import { defaultContract } from '../../default-contract.ts';
import { eventually } from '../../eventually.ts';
import { callSepolia, freshWallet, mine } from '../chain/ethereum/node.ts';
import { accounts, sendAs } from '../chain/ethereum/others.ts';
import { deliver, objectOf, processPass, recordOf } from '../consumer/deliver.ts';
import { register } from '../http/api.ts';
import { validityOf } from './a-watcher.ts';

/** Strangers with gatekeeper networks of their own in a contract that partners use, on sepolia. */

const ABI = parseAbi([
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function removeGatekeeper(address gatekeeper, uint256 network)',
  'function setNetworkFeatures(uint256 network, uint256 mask)',
  'function burn(uint256 tokenId)',
  'function verifyToken(address owner, uint256 network) view returns (bool)',
  'function getTokenIdsByOwnerAndNetwork(address owner, uint256 network, bool onlyActive) view returns (uint256[])',
]);

type Call = Parameters<typeof encodeFunctionData<typeof ABI>>[0];
export const encode = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: ABI, functionName, args } as Call);

export const DEFAULT = defaultContract({ network: 'sepolia' });
/** The address of the service's key. */
export const ownGatekeeper = () => inject('localnet').gatekeeper.ethereum as Hex;
export const aStranger = async () => (await callSepolia<Hex[]>('eth_accounts'))[6] as Hex;

export const read = (to: string, data: Hex) => callSepolia<Hex>('eth_call', { to, data }, 'latest');

/** A gatekeeper network of its own in that contract, for a partner whose authority is the tests' one, with an active pass. */
export async function aPartnerIn(contract: string) {
  const gatekeeperNetwork = base58.encode(crypto.getRandomValues(new Uint8Array(32))) as GatekeeperNetwork;
  const slot = slotOf(gatekeeperNetwork) as bigint;
  const { authority } = await accounts();
  const byAuthority = (functionName: string, ...args: readonly unknown[]) =>
    sendAs(authority, contract, encode(functionName, args));
  await byAuthority('createNetwork', slot, 'a partner', false, zeroAddress);
  await byAuthority('addGatekeeper', ownGatekeeper(), slot);
  const client = `partner-${slot}`;
  await register({ clientId: client, gatekeeperNetwork, contracts: { sepolia: contract } });
  const key = { gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet: freshWallet() } as PassKey;
  await objectOf(key).issue({ key, contract, client, waits: false });
  await deliver(processPass(key));
  await mine();
  await eventually(async () => {
    await deliver(processPass(key));
    expect((await recordOf(key))?.onChainState).toBe('ACTIVE');
  }, 20);
  await mine(3);
  return { key, slot, contract, byAuthority };
}

/** Whether the contract and the public check admit the wallet of the pass. */
export async function verdicts({
  key,
  slot,
  contract,
}: Pick<Awaited<ReturnType<typeof aPartnerIn>>, 'key' | 'slot' | 'contract'>) {
  const answer = await read(contract, encode('verifyToken', [key.wallet, slot]));
  return {
    contract: Number(answer) === 1,
    check: isValid((await validityOf(key)) as never, Math.floor(Date.now() / 1000)),
  };
}

/** A stranger's gatekeeper network in that contract, and what the stranger does there. */
export async function aStrangerIn(contract: string, slot = BigInt(`0x${crypto.randomUUID().replaceAll('-', '')}`)) {
  const stranger = await aStranger();
  const send = (data: Hex) => sendAs(stranger, contract, data);
  await send(encode('createNetwork', [slot, 'mine', false, zeroAddress]));
  await send(encode('addGatekeeper', [stranger, slot]));
  return {
    slot,
    send,
    call: (functionName: string, ...args: readonly unknown[]) => send(encode(functionName, args)),
    change: (kind: StepKind, token: bigint, expiry?: number) => send(changeData({ kind, expiry }, token)),
    /** Returns the id of the token. */
    async mint(wallet = freshWallet() as string): Promise<bigint> {
      await send(mintData(wallet, slot, undefined));
      const ids = await read(contract, encode('getTokenIdsByOwnerAndNetwork', [wallet, slot, false]));
      return BigInt(`0x${ids.slice(-64)}`);
    },
  };
}

/** Sends calls into one block, as many as it holds. */
export async function inOneBlock(from: Hex, to: string, calls: readonly Hex[], gas = '0x30d40'): Promise<void> {
  for (const data of calls) await callSepolia('eth_sendTransaction', { from, to, data, gas });
  await mine();
}
