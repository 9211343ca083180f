import {
  concat,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  numberToHex,
  parseAbi,
  parseEther,
  publicActions,
  zeroAddress,
} from 'viem';
import { generatePrivateKey, mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DETERMINISTIC_DEPLOYER, gatewayDeploymentOf, readGatewayBuild } from '../../../ops/network/gateway-build.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { stopChildren } from '../../../terminal/child-process.ts';
import { CIVIC_CONTRACT, installCivicContract } from '../../../tools/localnet/ethereum/civic-contract.ts';
import { startEthereumNode } from '../../../tools/localnet/ethereum/start-node.ts';
import type { Node } from '../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { callNode } from '../../call-node.ts';

/**
 * The power of a super admin over a gatekeeper network that somebody else has created. In a contract like Civic's it takes over
 * everything without new code. In the ownerless contract nobody has that power.
 */

const ABI = parseAbi([
  'struct Charge { uint256 value; uint8 chargeType; address token; address tokenSender; address recipient }',
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function removeGatekeeper(address gatekeeper, uint256 network)',
  'function addNetworkAuthority(address authority, uint256 network)',
  'function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge charge) payable',
  'function revoke(uint256 tokenId)',
  'function verifyToken(address owner, uint256 network) view returns (bool)',
  'function isGatekeeper(address gatekeeper, uint256 network) view returns (bool)',
  'function isNetworkAuthority(address authority, uint256 network) view returns (bool)',
  'function isSuperAdmin(address account) view returns (bool)',
  'function isTrustedForwarder(address forwarder) view returns (bool)',
  'function getIssuingGatekeeper(uint256 tokenId) view returns (address)',
  'function getTokenIdsByOwnerAndNetwork(address owner, uint256 network, bool onlyActive) view returns (uint256[])',
  'function upgradeTo(address implementation)',
  'function upgradeToAndCall(address implementation, bytes data) payable',
  'function addForwarder(address forwarder)',
  'function removeForwarder(address forwarder)',
  'function setSuperAdmin(address account)',
  'function revokeSuperAdmin(address account)',
  'function initialize(string name, string symbol, address superAdmin, address flagsStorage, address[] forwarders)',
]);
const NO_CHARGE = { value: 0n, chargeType: 0, token: zeroAddress, tokenSender: zeroAddress, recipient: zeroAddress };
const SLOT = 0x7761746368n;
const IMPLEMENTATION = gatewayDeploymentOf(readGatewayBuild()).implementation.address;

const SUPER_ADMIN = mnemonicToAccount('test test test test test test test test test test test junk', {
  addressIndex: 4,
});
const newAccount = () => privateKeyToAccount(generatePrivateKey());
const [PARTNER, GATEKEEPER, STRANGER] = [newAccount(), newAccount(), newAccount()];
const [USER, ACCOMPLICE] = [newAccount().address, newAccount().address];

let node: Node;

beforeAll(async () => {
  node = await startEthereumNode(11_155_111, { network: 'sepolia', port: await findFreePort() }, 0.2);
  for (const { address } of [PARTNER, GATEKEEPER, STRANGER, SUPER_ADMIN])
    await callNode(node.rpcUrl, 'anvil_setBalance', [address, numberToHex(parseEther('10'))]);
  await installCivicContract(node.rpcUrl, SUPER_ADMIN.address);
  for (const contract of [CIVIC_CONTRACT, OWNERLESS_CONTRACT] as const) await createPartnerNetwork(contract);
});
afterAll(stopChildren);

type Account = Pick<PrivateKeyAccount, 'address'> & Parameters<typeof createWalletClient>[0]['account'];
const clientOf = (account: Account) =>
  createWalletClient({ account, transport: http(node.rpcUrl), pollingInterval: 50 }).extend(publicActions);

/** Sends a call, in the name of another account if the sender is a trusted forwarder (ERC-2771). Throws if it reverts. */
async function send(sender: Account, to: Hex, data: Hex, inTheNameOf?: Hex): Promise<void> {
  const client = clientOf(sender);
  const call = { account: sender as PrivateKeyAccount, to, data: inTheNameOf ? concat([data, inTheNameOf]) : data };
  await client.call(call);
  const hash = await client.sendTransaction({ ...call, chain: null, gas: 2_000_000n });
  const { status } = await client.waitForTransactionReceipt({ hash });
  if (status !== 'success') throw new Error(`${hash} reverted`);
}

const encode = ((functionName: never, args: never) => encodeFunctionData({ abi: ABI, functionName, args })) as (
  functionName: string,
  args: readonly unknown[],
) => Hex;
const read = <T>(address: Hex, functionName: string, ...args: unknown[]) =>
  clientOf(STRANGER).readContract({ address, abi: ABI, functionName, args } as never) as Promise<T>;
const mint = (wallet: Hex) => encode('mint', [wallet, SLOT, 0n, 0n, NO_CHARGE]);
const tokenOf = async (contract: Hex, wallet: Hex) =>
  (await read<bigint[]>(contract, 'getTokenIdsByOwnerAndNetwork', wallet, SLOT, false))[0] ?? 0n;

/** The partner creates a gatekeeper network of its own, and its gatekeeper issues a token to a user. */
async function createPartnerNetwork(contract: Hex): Promise<void> {
  await send(PARTNER, contract, encode('createNetwork', [SLOT, 'a partner', false, zeroAddress]));
  await send(PARTNER, contract, encode('addGatekeeper', [GATEKEEPER.address, SLOT]));
  await send(GATEKEEPER, contract, mint(USER));
}

/** The super admin adds itself as a forwarder, and then acts in the name of the partner and of its gatekeeper. */
async function attack(contract: Hex): Promise<void> {
  const as = (data: Hex, whom: Hex) => send(SUPER_ADMIN, contract, data, whom);
  await send(SUPER_ADMIN, contract, encode('addForwarder', [SUPER_ADMIN.address]));
  await as(mint(ACCOMPLICE), GATEKEEPER.address);
  await as(encode('revoke', [await tokenOf(contract, USER)]), GATEKEEPER.address);
  await as(encode('addNetworkAuthority', [SUPER_ADMIN.address, SLOT]), PARTNER.address);
  await as(encode('removeGatekeeper', [GATEKEEPER.address, SLOT]), SUPER_ADMIN.address);
}

describe('the attack of a super admin', () => {
  it('takes over a partner’s gatekeeper network in an imitation of Civic’s contract', async () => {
    await attack(CIVIC_CONTRACT);
    expect(await read(CIVIC_CONTRACT, 'verifyToken', ACCOMPLICE, SLOT)).toBe(true);
    const forged = await tokenOf(CIVIC_CONTRACT, ACCOMPLICE);
    expect(await read(CIVIC_CONTRACT, 'getIssuingGatekeeper', forged)).toBe(GATEKEEPER.address);
    expect(await read(CIVIC_CONTRACT, 'verifyToken', USER, SLOT)).toBe(false);
    expect(await read(CIVIC_CONTRACT, 'isNetworkAuthority', SUPER_ADMIN.address, SLOT)).toBe(true);
    expect(await read(CIVIC_CONTRACT, 'isGatekeeper', GATEKEEPER.address, SLOT)).toBe(false);
  });

  it('fails at its first step in the ownerless contract, and changes nothing there', async () => {
    await expect(attack(OWNERLESS_CONTRACT)).rejects.toThrow(/revert/);
    for (const whom of [GATEKEEPER, PARTNER])
      await expect(send(SUPER_ADMIN, OWNERLESS_CONTRACT, mint(ACCOMPLICE), whom.address)).rejects.toThrow(/revert/);
    expect(await read(OWNERLESS_CONTRACT, 'verifyToken', USER, SLOT)).toBe(true);
    expect(await read(OWNERLESS_CONTRACT, 'verifyToken', ACCOMPLICE, SLOT)).toBe(false);
    expect(await read(OWNERLESS_CONTRACT, 'isGatekeeper', GATEKEEPER.address, SLOT)).toBe(true);
    expect(await read(OWNERLESS_CONTRACT, 'isTrustedForwarder', SUPER_ADMIN.address)).toBe(false);
  });
});

/** The accounts with any role, and the ones that took part in the deployment. */
const ACCOUNTS: readonly (readonly [string, Hex])[] = [
  ['the account that deployed it', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
  ['the deterministic deployer', DETERMINISTIC_DEPLOYER],
  ['the authority of a gatekeeper network', PARTNER.address],
  ['a gatekeeper', GATEKEEPER.address],
  ['Civic’s super admin', '0x74489ac99AE3cE1428Ce8C8dBE374CFFc009081E'],
  ['the contract itself', OWNERLESS_CONTRACT],
  ['its implementation', IMPLEMENTATION],
  ['a stranger', STRANGER.address],
];

describe.each(ACCOUNTS)('%s', (_, account) => {
  const takeOver = (own: Hex): readonly (readonly [string, Hex])[] => [
    ['upgradeTo', encode('upgradeTo', [IMPLEMENTATION])],
    ['upgradeToAndCall', encode('upgradeToAndCall', [IMPLEMENTATION, '0x'])],
    ['addForwarder', encode('addForwarder', [own])],
    ['removeForwarder', encode('removeForwarder', [own])],
    ['setSuperAdmin', encode('setSuperAdmin', [own])],
    ['revokeSuperAdmin', encode('revokeSuperAdmin', ['0x000000000000000000000000000000000000dEaD'])],
    ['initialize', encode('initialize', ['x', 'x', own, own, [own]])],
  ];

  it.each(takeOver(account))('cannot call %s of the ownerless contract or of its implementation', async (_, data) => {
    for (const to of [OWNERLESS_CONTRACT, IMPLEMENTATION] as const)
      await expect(clientOf(STRANGER).call({ account, to, data })).rejects.toThrow(/revert/);
    expect(await read(OWNERLESS_CONTRACT, 'isSuperAdmin', account)).toBe(false);
    expect(await read(OWNERLESS_CONTRACT, 'isTrustedForwarder', account)).toBe(false);
  });
});
