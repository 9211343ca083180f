import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, encodeDeployData, encodeFunctionData, type Hex, hexToBytes, zeroAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { expect, it } from 'vitest';
import { DETERMINISTIC_DEPLOYER } from '../../../../ops/network/gateway-build.ts';
import { CONTRACTS, type CompiledContract } from '../../../../tools/contracts/compile.ts';
import { AUTHORITY } from '../../../../tools/localnet/ethereum/contract-node.ts';
import { callNode } from '../../../call-node.ts';
import {
  CHECKER,
  compiled,
  type Deployed,
  GATEWAY,
  OTHER,
  OURS,
  useContractChain,
  walletOf,
} from './contract-chain.ts';
import { publishedContract } from './published-contract.ts';
import { CODE_BYTES_MAX, NO_CHARGE, SLIM, SLIM_CREATION, tokenIdOf } from './slim-gateway.ts';
import { signVerdict, VERDICTS } from './verdict-message.ts';

/**
 * The gas of each call, as whole transactions. The figures follow from the code, the pinned node and fixed addresses, so they are
 * compared exactly. `WRITE_GAS_SNAPSHOT=1` writes the file again.
 */

const FILE = join(CONTRACTS, 'gas-snapshot.json');
const [NONE, ACTIVE, EXPIRING, FROZEN, TWO] = [1, 2, 3, 4, 5].map(walletOf) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];
const FAR = 4_000_000_000n;

const on = useContractChain(async (chain) => {
  await chain.issue([
    { wallet: ACTIVE },
    { wallet: EXPIRING, expiration: FAR },
    { wallet: FROZEN, fate: 'frozen' },
    { wallet: TWO, fate: 'revoked' },
    { wallet: TWO },
  ]);
});

async function gasOf(to: Address | null, data: Hex, from: Address = AUTHORITY): Promise<number> {
  const { node } = on.chain;
  await node.setBalance({ address: from, value: 10n ** 19n });
  await node.impersonateAccount({ address: from });
  const hash = await node.sendTransaction({ account: from, chain: null, to, data, gas: 5_000_000n });
  return Number((await node.waitForTransactionReceipt({ hash })).gasUsed);
}

const call = ({ address, abi }: Deployed, functionName: string, ...args: readonly unknown[]) =>
  gasOf(address, encodeFunctionData({ abi, functionName, args }));
const enterAs = (from: Address, { address, abi }: Deployed) =>
  gasOf(address, encodeFunctionData({ abi, functionName: 'enter' }), from);

it('each call uses exactly the gas of contracts/gas-snapshot.json', async () => {
  const { abi, bytecode } = CHECKER;
  const checker = await on.chain.deploy(CHECKER, GATEWAY, OURS, AUTHORITY);
  const door = (name: string, ...args: readonly unknown[]) =>
    on.chain.deploy(compiled.contract('Gates.sol', name), GATEWAY, OURS, ...args);
  const [fixed, owned, library] = [
    await door('FixedDoor'),
    await door('OwnedDoor', AUTHORITY),
    await door('LibraryDoor'),
  ];
  // The first visit writes a slot that is zero.
  for (const each of [fixed, owned, library]) await on.chain.sendAs(ACTIVE, each, 'enter');
  const burning = await on.chain.deploy(compiled.contract('BadGateway.sol', 'BadGateway'));
  const behind = await on.chain.deploy(CHECKER, burning.address, OURS, zeroAddress);
  await on.chain.send(burning, 'setMode', 4);

  const measured = {
    'deploy UniswapAllowlistChecker': await gasOf(
      null,
      encodeDeployData({ abi, bytecode, args: [GATEWAY, OURS, zeroAddress] }),
    ),
    'checkAllowlist, no token': await call(checker, 'checkAllowlist', NONE, GATEWAY),
    'checkAllowlist, active': await call(checker, 'checkAllowlist', ACTIVE, GATEWAY),
    'checkAllowlist, active with an expiry': await call(checker, 'checkAllowlist', EXPIRING, GATEWAY),
    'checkAllowlist, frozen': await call(checker, 'checkAllowlist', FROZEN, GATEWAY),
    'checkAllowlist, a revoked and an active token': await call(checker, 'checkAllowlist', TWO, GATEWAY),
    'checkAllowlist, a gateway that burns its gas': await call(behind, 'checkAllowlist', ACTIVE, GATEWAY),
    supportsInterface: await call(checker, 'supportsInterface', '0x01ffc9a7'),
    'hasPass, active': await call(checker, 'hasPass', ACTIVE),
    'requirePass, active': await call(checker, 'requirePass', ACTIVE),
    'enter a PassGate': await enterAs(ACTIVE, fixed),
    'enter an OwnedPassGate': await enterAs(ACTIVE, owned),
    'enter with the library Passes': await enterAs(ACTIVE, library),
    'refused by a PassGate': await enterAs(NONE, fixed),
    setGate: await call(checker, 'setGate', GATEWAY, OTHER),
    transferOwnership: await call(checker, 'transferOwnership', ACTIVE),
    renounceOwnership: await call(checker, 'renounceOwnership'),
    ...(await measureIdentityRegistry()),
    ...(await measureToken()),
    ...(await measureVerdicts()),
    ...(await measureSlimGateway()),
  };
  if (process.env.WRITE_GAS_SNAPSHOT) writeFileSync(FILE, `${JSON.stringify(measured, undefined, 2)}\n`);
  expect(measured).toEqual(JSON.parse(readFileSync(FILE, 'utf8')));
});

const deploymentGasOf = ({ abi, bytecode }: CompiledContract, ...args: readonly unknown[]) =>
  gasOf(null, encodeDeployData({ abi, bytecode, args }));

async function measureIdentityRegistry(): Promise<Record<string, number>> {
  const contract = publishedContract('PassIdentityRegistry');
  const registry = await on.chain.deploy(contract, GATEWAY, OURS, AUTHORITY);
  return {
    'deploy PassIdentityRegistry': await deploymentGasOf(contract, GATEWAY, OURS, zeroAddress),
    'isVerified, no token': await call(registry, 'isVerified', NONE),
    'isVerified, active': await call(registry, 'isVerified', ACTIVE),
  };
}

/** Returns the gas of an example token. Each wallet has tokens before it sends or receives some. */
async function measureToken(): Promise<Record<string, number>> {
  const contract = publishedContract('PassToken');
  const token = await on.chain.deploy(contract, 'Acme Fund', 'ACME', GATEWAY, OURS, AUTHORITY);
  for (const wallet of [ACTIVE, EXPIRING]) await on.chain.send(token, 'mint', wallet, 1_000n);
  const transfer = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [EXPIRING, 1n] });
  return {
    'deploy PassToken': await deploymentGasOf(contract, 'Acme Fund', 'ACME', GATEWAY, OURS, AUTHORITY),
    'token: canSend, active': await call(token, 'canSend', ACTIVE),
    'token: canTransfer, active': await call(token, 'canTransfer', ACTIVE, EXPIRING, 1n),
    'token: transfer': await gasOf(token.address, transfer, ACTIVE),
    'token: setFrozenTokens': await call(token, 'setFrozenTokens', ACTIVE, 500n),
    'token: transfer beside frozen tokens': await gasOf(token.address, transfer, ACTIVE),
    'token: forcedTransfer of frozen tokens': await call(token, 'forcedTransfer', ACTIVE, EXPIRING, 600n),
  };
}

/** Returns the gas of signed verdicts. The account asks for itself, as a contract does. */
async function measureVerdicts(): Promise<Record<string, number>> {
  const key: Hex = `0x${'7'.repeat(64)}`;
  const verdicts = await on.chain.deploy(VERDICTS, AUTHORITY, privateKeyToAddress(key));
  const domain = { chainId: 31_337, verifyingContract: AUTHORITY } as const;
  const times = { issuedAt: FAR, notAfter: FAR + 500n };
  const pass = { passChainId: 1n, gateway: GATEWAY, gatekeeperNetwork: OURS, wallet: ACTIVE } as const;
  const { verdict, signature } = await signVerdict(key, { ...pass, ...times }, domain);
  const { node, url } = on.chain;
  const snapshot = await callNode(url, 'evm_snapshot', []);
  await on.chain.moveTo(Number(FAR));
  const asked = await node.readContract({
    ...verdicts,
    functionName: 'isValid',
    args: [verdict, signature],
    account: AUTHORITY,
  });
  expect(asked).toBe(true);
  const valid = await call(verdicts, 'isValid', verdict, signature);
  await callNode(url, 'evm_revert', [snapshot]);
  return {
    'deploy PassVerdicts': await deploymentGasOf(VERDICTS, AUTHORITY, privateKeyToAddress(key)),
    'verdict: isValid': valid,
    'verdict: isValid, from the future': await call(verdicts, 'isValid', verdict, signature),
    'verdict: addKey': await call(verdicts, 'addKey', ACTIVE),
  };
}

/** A slot as those of networks since July 2024: 32 bytes, of which none is zero. */
const SLOT = 0x0926_6570_c875_5cb9_e9d8_ea3d_75c5_2515_14f0_eb45_c6f2_a86d_39ac_e69e_5169_88ecn;

/** Returns the gas of the calls of `SlimGateway`. The account is authority and gatekeeper of the network. */
async function measureSlimGateway(): Promise<Record<string, number>> {
  const deploy = await gasOf(DETERMINISTIC_DEPLOYER, SLIM_CREATION.data);
  const slim = { ...SLIM, address: SLIM_CREATION.address };
  const [wallet, expiring, voided] = [21, 22, 23].map(walletOf) as [Address, Address, Address];
  const mint = (to: Address, expiration = 0n) => call(slim, 'mint', to, SLOT, expiration, 0n, NO_CHARGE);
  const createNetwork = await call(slim, 'createNetwork', SLOT, 'Acme', false, zeroAddress);
  const addGatekeeper = await call(slim, 'addGatekeeper', AUTHORITY, SLOT);
  const minted = await mint(wallet);
  const mintedWithExpiry = await mint(expiring, FAR);
  const id = tokenIdOf(wallet, SLOT);
  const hundred = Array.from({ length: 100 }, (_, index) => walletOf(100 + index));
  const ids = hundred.map((each) => tokenIdOf(each, SLOT));
  const check = async (owner: Address) => {
    const asked = encodeFunctionData({ abi: slim.abi, functionName: 'verifyToken', args: [owner, SLOT] });
    return (await gasOf(slim.address, asked)) - intrinsicGasOf(asked);
  };
  return {
    'slim: deploy': deploy,
    'slim: createNetwork': createNetwork,
    'slim: addGatekeeper': addGatekeeper,
    'slim: mint': minted,
    'slim: mint with an expiry': mintedWithExpiry,
    'slim: mintMany, each of 100': Math.ceil((await call(slim, 'mintMany', hundred, SLOT, 0n)) / 100),
    'slim: freeze': await call(slim, 'freeze', id),
    'slim: unfreeze': await call(slim, 'unfreeze', id),
    'slim: setExpiration': await call(slim, 'setExpiration', id, FAR, NO_CHARGE),
    'slim: check without voiding, execution': await check(expiring),
    'slim: check without a token, execution': await check(NONE),
    'slim: revoke': await call(slim, 'revoke', id),
    'slim: revokeMany, each of 100': Math.ceil((await call(slim, 'revokeMany', ids)) / 100),
    'slim: burn': await call(slim, 'burn', id),
    'slim: setNetworkFeatures': await call(slim, 'setNetworkFeatures', SLOT, 1n),
    'slim: mint with voiding': await mint(voided, FAR),
    'slim: check with voiding, execution': await check(voided),
  };
}

/** The gas that a transaction with that data has before its execution. */
const intrinsicGasOf = (data: Hex) => hexToBytes(data).reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), 21_000);

it.each<[string, number]>([
  ['deploy', 1_200_000],
  ['mint', 54_000],
  ['mint with an expiry', 56_000],
  ['mintMany, each of 100', 28_000],
  ['freeze', 34_000],
  ['unfreeze', 34_000],
  ['revoke', 34_000],
  ['setExpiration', 35_000],
  ['check without voiding, execution', 6_500],
  ['check with voiding, execution', 9_000],
])('the slim gateway: %s uses at most %i gas', (name, most) => {
  const gas: Readonly<Record<string, number>> = JSON.parse(readFileSync(FILE, 'utf8'));
  expect(gas[`slim: ${name}`]).toBeGreaterThan(0);
  expect(gas[`slim: ${name}`]).toBeLessThanOrEqual(most);
});

it(`the code of the slim gateway has at most ${CODE_BYTES_MAX} bytes`, () => {
  expect((SLIM.deployedBytecode.length - 2) / 2).toBeLessThanOrEqual(CODE_BYTES_MAX);
});
