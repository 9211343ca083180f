import {
  type Address,
  createTestClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  publicActions,
  walletActions,
  zeroAddress,
} from 'viem';
import { slotOf } from '../../../src/network/slot.ts';
import type { Gatekeeper } from './gatekeeper.ts';

const ABI = parseAbi([
  'struct Charge { uint256 value; uint8 chargeType; address token; address tokenSender; address recipient }',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge charge) payable',
  'function freeze(uint256 tokenId)',
  'function unfreeze(uint256 tokenId)',
  'function revoke(uint256 tokenId)',
  'function setExpiration(uint256 tokenId, uint256 timestamp, Charge charge) payable',
  'function burn(uint256 tokenId)',
  'function getTokenIdsByOwnerAndNetwork(address, uint256, bool) view returns (uint256[])',
]);
const NO_CHARGE = { value: 0n, chargeType: 0, token: zeroAddress, tokenSender: zeroAddress, recipient: zeroAddress };
/** More gas than any call needs. An estimate could be too low, because other transactions change the storage meanwhile. */
const GAS = 500_000n;

/** Adds a gatekeeper whose key the node holds. */
export async function addEthereumGatekeeper(
  rpcUrl: string,
  contract: string,
  gatekeeperNetwork: string,
): Promise<Gatekeeper> {
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl), pollingInterval: 50 })
    .extend(publicActions)
    .extend(walletActions);
  const to = contract as Address;
  const slot = slotOf(gatekeeperNetwork) as bigint;
  // The first account is the authority of the gatekeeper networks, the second is the service's gatekeeper.
  const [authority, , account] = (await node.getAddresses()) as [Address, Address, Address];

  // Send one transaction at a time: the node would give two simultaneous ones the same nonce.
  let handed: Promise<unknown> = Promise.resolve();
  const send = async (from: Address, data: Hex) => {
    const sent = handed.then(() => node.sendTransaction({ account: from, chain: null, to, data, gas: GAS }));
    handed = sent.catch(() => undefined);
    const { status } = await node.waitForTransactionReceipt({ hash: await sent });
    if (status !== 'success') throw new Error(`transaction ${await sent} failed`);
    return sent;
  };
  const firstToken = async (wallet: string): Promise<bigint> => {
    const args = [wallet as Address, slot, false] as const;
    const ids = await node.readContract({ abi: ABI, address: to, functionName: 'getTokenIdsByOwnerAndNetwork', args });
    if (ids[0] === undefined) throw new Error(`${wallet} has no token`);
    return ids[0];
  };

  const change = (functionName: 'freeze' | 'unfreeze' | 'revoke' | 'burn') => async (wallet: string) => {
    const args = [await firstToken(wallet)] as const;
    return send(account, encodeFunctionData({ abi: ABI, functionName, args }));
  };

  await send(authority, encodeFunctionData({ abi: ABI, functionName: 'addGatekeeper', args: [account, slot] }));
  return {
    issue: (wallet, expiry = 0) => {
      const args = [wallet as Address, slot, BigInt(expiry), 0n, NO_CHARGE] as const;
      return send(account, encodeFunctionData({ abi: ABI, functionName: 'mint', args }));
    },
    freeze: change('freeze'),
    unfreeze: change('unfreeze'),
    revoke: change('revoke'),
    burn: change('burn'),
    async setExpiry(wallet, expiry) {
      const args = [await firstToken(wallet), BigInt(expiry), NO_CHARGE] as const;
      return send(account, encodeFunctionData({ abi: ABI, functionName: 'setExpiration', args }));
    },
  };
}
