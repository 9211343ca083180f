import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, encodeDeployData, encodeFunctionData, type Hex, zeroAddress } from 'viem';
import { expect, it } from 'vitest';
import { CONTRACTS } from '../../../../tools/contracts/compile.ts';
import { AUTHORITY } from '../../../../tools/localnet/ethereum/contract-node.ts';
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
  };
  if (process.env.WRITE_GAS_SNAPSHOT) writeFileSync(FILE, `${JSON.stringify(measured, undefined, 2)}\n`);
  expect(measured).toEqual(JSON.parse(readFileSync(FILE, 'utf8')));
});
