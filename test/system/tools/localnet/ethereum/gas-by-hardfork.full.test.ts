import { createWalletClient, type Hex, http, parseAbi, publicActions, zeroAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { encodeFunctionData } from 'viem/utils';
import { afterAll, describe, expect, it } from 'vitest';
import { adapterCreationOf, readAdapterBuild } from '../../../../../ops/network/adapter-build.ts';
import {
  type BuildName,
  DETERMINISTIC_DEPLOYER,
  gatewayDeploymentOf,
  readGatewayBuild,
} from '../../../../../ops/network/gateway-build.ts';
import { contractOfBuild, readSlimBuild, slimCreationOf } from '../../../../../ops/network/slim-build.ts';
import { changeData, mintData, readTokenIds, tokenIdsData } from '../../../../../src/chain/ethereum/gateway.ts';
import { slotOf } from '../../../../../src/network/slot.ts';
import { AUTHORITY, openContractNode } from '../../../../../tools/localnet/ethereum/contract-node.ts';
import { GATEKEEPER_KEYS, GATEKEEPERS } from '../../../../../tools/localnet/ethereum/gatekeepers.ts';
import { startEthereumNode } from '../../../../../tools/localnet/ethereum/start-node.ts';
import { GATEKEEPER_NETWORKS } from '../../../../../tools/localnet/oauth/partners.ts';
import type { Node } from '../../../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../../../tools/localnet/state/ports.ts';
import { tableRows, textOf } from '../../../../unit/documents/markdown.ts';

/** The gas of each transaction in both contracts, before Glamsterdam (anvil) and with it (hardhat), as docs/operators/cost.md has it. */

const ABI = parseAbi([
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function verifyToken(address owner, uint256 network) view returns (bool)',
]);
const EXPIRY = 2_000_000_000;
/** Addresses have different numbers of zeros, which cost less, and the first pass of a network writes more. */
const TOLERANCE = 0.04;

const [, section = ''] = textOf('docs/operators/cost.md').split('\n## Gas\n');
const [table = ''] = section.split('\n## ');
const documented = tableRows(table).slice(1);
const gasIn = (cell: string | undefined) => Number(cell?.replaceAll(',', ''));

const started: Node[] = [];
afterAll(() => Promise.all(started.map((node) => node.stop())));

describe.each([
  ['before Glamsterdam', 'protocol', undefined, 1],
  ['with Glamsterdam', 'protocol', 'amsterdam', 2],
  ['before Glamsterdam', 'slim', undefined, 3],
  ['with Glamsterdam', 'slim', 'amsterdam', 4],
] as const)('%s, in the contract %s', (_, contract, hardfork, column) => {
  it('each transaction takes the documented gas', async () => {
    const options = { network: 'sepolia', port: await findFreePort(), hardfork, contract };
    const node = await startEthereumNode(11_155_111, options, 1);
    started.push(node);
    const measured = await measure(node.rpcUrl, contract);
    const rows = documented.filter((cells) => cells[column] !== '–');
    const expected = Object.fromEntries(rows.map(([name = '', ...cells]) => [name, gasIn(cells[column - 1])]));
    const isNear = (name: string, gas: number) => Math.abs(gas / (expected[name] ?? 0) - 1) < TOLERANCE;
    const found = Object.entries(measured).map(([name, gas]) => [name, isNear(name, gas) ? expected[name] : gas]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });
});

/** Returns the gas by the names of the table. */
async function measure(url: string, build: BuildName): Promise<Record<string, number>> {
  const gateway = contractOfBuild(build);
  const contracts = openContractNode(url);
  const gatekeeper = createWalletClient({
    account: privateKeyToAccount(GATEKEEPER_KEYS[0]),
    transport: http(url),
    pollingInterval: 50,
  }).extend(publicActions);
  const slot = slotOf(GATEKEEPER_NETWORKS[0] as string) as bigint;
  const used = async (hash: Hex) => Number((await gatekeeper.waitForTransactionReceipt({ hash })).gasUsed);
  const send = async (data: Hex) => used(await gatekeeper.sendTransaction({ chain: null, to: gateway, data }));
  const byAuthority = { account: AUTHORITY, chain: null, address: gateway, abi: ABI } as const;
  const idsOf = async (wallet: Hex) =>
    readTokenIds((await gatekeeper.call({ to: gateway, data: tokenIdsData(wallet, slot) })).data as Hex);

  // The first token of a gatekeeper network writes more.
  await send(mintData(newWallet(), slot, undefined));
  const wallet = newWallet();
  const issue = await send(mintData(wallet, slot, undefined));
  const [token = 0n] = await idsOf(wallet);
  const change = (kind: 'freeze' | 'unfreeze' | 'revoke') => send(changeData({ kind, expiry: undefined }, token));
  const checker = adapterCreationOf(readAdapterBuild('UniswapAllowlistChecker'), [
    ['address', gateway],
    ['uint256', slot],
    ['address', zeroAddress],
  ]);
  const create = async ({ data }: { readonly data: Hex }, to: Hex) =>
    used(await contracts.sendTransaction({ account: AUTHORITY, chain: null, to, data }));
  // Another salt, because the contract of the default one exists.
  const salted = (data: Hex): Hex => `0x${'01'.repeat(32)}${data.slice(2 + 64)}`;
  const createContracts = async () => {
    if (build === 'slim') {
      const { data } = slimCreationOf(readSlimBuild());
      return { 'create the contract': await create({ data: salted(data) }, DETERMINISTIC_DEPLOYER) };
    }
    const { implementation, contract } = gatewayDeploymentOf(readGatewayBuild(), { admin: GATEKEEPERS[1] });
    return {
      'create the implementation': await create({ data: salted(implementation.data) }, DETERMINISTIC_DEPLOYER),
      'create the contract': await create(contract, DETERMINISTIC_DEPLOYER),
    };
  };
  const check = encodeFunctionData({ abi: ABI, functionName: 'verifyToken', args: [wallet, slot] });
  return {
    'check a pass (`verifyToken`)': Number(
      await contracts.estimateGas({ account: AUTHORITY, to: gateway, data: check }),
    ),
    'issue a pass': issue,
    'issue a pass with an expiry': await send(mintData(newWallet(), slot, EXPIRY)),
    'freeze it': await change('freeze'),
    'unfreeze it': await change('unfreeze'),
    'set its first expiry': await send(changeData({ kind: 'set-expiry', expiry: EXPIRY }, token)),
    'set another expiry': await send(changeData({ kind: 'set-expiry', expiry: EXPIRY + 1 }, token)),
    'revoke it': await change('revoke'),
    'create a gatekeeper network': await used(
      await contracts.writeContract({
        ...byAuthority,
        functionName: 'createNetwork',
        args: [77n, 'Acme', false, zeroAddress],
      }),
    ),
    'add a gatekeeper': await used(
      await contracts.writeContract({ ...byAuthority, functionName: 'addGatekeeper', args: [GATEKEEPERS[1], 77n] }),
    ),
    ...(await createContracts()),
    'create a checker': await create(checker, DETERMINISTIC_DEPLOYER),
  };
}

const newWallet = (): Hex => `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('hex')}`;
