import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import { inject } from 'vitest';
import { slotOf } from '../../../src/network/slot.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { type Api, seededPartner } from './api.ts';
import { callNodeOf } from './node.ts';
import { aWallet } from './wallets.ts';

/**
 * The gateway contract on sepolia, in the gatekeeper network of acme: its tokens, and changes by another gatekeeper.
 */

const CHARGE = '(uint256 value, uint8 chargeType, address token, address tokenSender, address recipient)';
const ABI = parseAbi([
  'function addGatekeeper(address gatekeeper, uint256 network)',
  `function mint(address to, uint256 network, uint256 expiration, uint256 mask, ${CHARGE} charge)`,
  `function setExpiration(uint256 tokenId, uint256 timestamp, ${CHARGE} charge)`,
  'function freeze(uint256 tokenId)',
  'function unfreeze(uint256 tokenId)',
  'function revoke(uint256 tokenId)',
  'function burn(uint256 tokenId)',
  'function getTokenIdsByOwnerAndNetwork(address, uint256, bool) view returns (uint256[])',
  'function getToken(uint256) view returns (address owner, uint8 state, string, uint256 expiration, uint256)',
]);
const NOBODY = '0x0000000000000000000000000000000000000000';
const FREE = { value: 0n, chargeType: 0, token: NOBODY, tokenSender: NOBODY, recipient: NOBODY } as const;
const SLOT = slotOf(seededPartner('acme').gatekeeperNetwork) as bigint;
/** Accounts that the node signs for: the authority of the gatekeeper networks, the service's own key, and one more. */
const [AUTHORITY, , ANOTHER] = (await callNodeOf('sepolia', 'eth_accounts')) as [string, string, `0x${string}`];

const to = inject('localnet').gatewayToken.sepolia;

/** Makes blocks now. */
export const mine = (blocks = 1) => callNodeOf('sepolia', 'anvil_mine', `0x${blocks.toString(16)}`);

/** Makes all sent transactions final. */
export const untilFinal = () => mine(3);

/** Issues a pass on sepolia, waits until its token is final, and returns its wallet. */
export async function anActivePass(client: Api): Promise<Wallet> {
  const wallet = aWallet();
  await client.issue('ethereum/sepolia', wallet);
  await client.watch('ethereum/sepolia', wallet, ({ onChainState }) => onChainState === 'ACTIVE');
  await untilFinal();
  return wallet;
}

async function send(from: string, data: string): Promise<void> {
  const hash = await callNodeOf('sepolia', 'eth_sendTransaction', { from, to, data, gas: '0x7a120' });
  await mine();
  const receipt = (await callNodeOf('sepolia', 'eth_getTransactionReceipt', hash)) as { status: string } | null;
  if (receipt?.status !== '0x1') throw new Error(`the transaction of ${from} had no effect`);
}

const addGatekeeper = encodeFunctionData({ abi: ABI, functionName: 'addGatekeeper', args: [ANOTHER, SLOT] });
await send(AUTHORITY, addGatekeeper);

export interface TokenOnSepolia {
  readonly id: bigint;
  readonly state: 'ACTIVE' | 'FROZEN' | 'REVOKED' | undefined;
  /** Unix seconds; 0: the token does not expire. */
  readonly expiry: number;
}

/** Returns every token of the wallet in a contract and a slot, by default in those of acme. */
export async function tokensOf(wallet: string, contract = to, slot = SLOT): Promise<TokenOnSepolia[]> {
  const read = (data: string) => callNodeOf<`0x${string}`>('sepolia', 'eth_call', { to: contract, data }, 'latest');
  const functionName = 'getTokenIdsByOwnerAndNetwork';
  const args = [wallet as `0x${string}`, slot, false] as const;
  const ids = await read(encodeFunctionData({ abi: ABI, functionName, args }));
  return Promise.all(
    decodeFunctionResult({ abi: ABI, functionName, data: ids }).map(async (id) => {
      const data = await read(encodeFunctionData({ abi: ABI, functionName: 'getToken', args: [id] }));
      const [, state, , expiration] = decodeFunctionResult({ abi: ABI, functionName: 'getToken', data });
      return { id, state: (['ACTIVE', 'FROZEN', 'REVOKED'] as const)[state], expiry: Number(expiration) };
    }),
  );
}

/** Changes the wallet's only token as another gatekeeper of the network. */
export async function changeAsOther(
  change: 'freeze' | 'unfreeze' | 'revoke' | 'burn' | { readonly setExpiration: number },
  wallet: string,
): Promise<void> {
  const [token] = await tokensOf(wallet);
  if (token === undefined) throw new Error(`${wallet} has no token`);
  const args = [token.id] as const;
  const data =
    typeof change === 'string'
      ? encodeFunctionData({ abi: ABI, functionName: change, args })
      : encodeFunctionData({
          abi: ABI,
          functionName: 'setExpiration',
          args: [token.id, BigInt(change.setExpiration), FREE],
        });
  await send(ANOTHER, data);
}

/**
 * Issues a token for the wallet as another gatekeeper of the network. The expiry is in Unix seconds; 0: the token does
 * not expire.
 */
export async function issueAsOther(wallet: string, expiry = 0): Promise<void> {
  const args = [wallet as `0x${string}`, SLOT, BigInt(expiry), 0n, FREE] as const;
  await send(ANOTHER, encodeFunctionData({ abi: ABI, functionName: 'mint', args }));
}
