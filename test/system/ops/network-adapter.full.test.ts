import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWalletClient, type Hex, http, type PublicClient, parseAbi, publicActions, zeroAddress } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { toFunctionSelector } from 'viem/utils';
import { beforeAll, describe, expect, it } from 'vitest';
import { adapterCreationOf, readAdapterBuild } from '../../../ops/network/adapter-build.ts';
import type { Adapter } from '../../../ops/network/adapter-command.ts';
import { constructorValuesOf, KINDS } from '../../../ops/network/adapter-kinds.ts';
import { DETERMINISTIC_DEPLOYER } from '../../../ops/network/gateway-build.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { type GatekeeperNetwork, slotOf } from '../../../src/network/slot.ts';
import { CIVIC_CONTRACT, installCivicContract } from '../../../tools/localnet/ethereum/civic-contract.ts';
import { callNode } from '../../call-node.ts';
import { compiled } from '../packages/contracts/contract-chain.ts';
import { alterAnswers } from './faulty-endpoints.ts';
import { killNetworkAt } from './kill-network.ts';
import {
  createNetwork,
  fundedAuthority,
  fundedKeyPair,
  issueAndVoid,
  network,
  stateArgs,
  useNetworkNodes,
} from './network-nodes.ts';
import { startRecordingProxy } from './recording-proxy.ts';

/** `npm run network -- adapter`. The tests in `test/system/packages/contracts/` show what the contracts answer. */

const ABI = parseAbi([
  'function checkAllowlist(address account, address tokenAddress) view returns (bytes2)',
  'function owner() view returns (address)',
  'function setGate(address gateway, uint256 gatekeeperNetwork)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
]);
const nodes = useNetworkNodes();
let count = 0;
const stateFile = () => {
  count += 1;
  return stateArgs(nodes, `adapter-${count}`);
};
const on = (...names: readonly string[]) => names.flatMap((name) => ['--network', name]);
const adapter = (...args: readonly (string | readonly string[])[]) => network(['adapter', 'uniswap', ...args.flat()]);

let key: string;
let slot: bigint;
/** The authority and a gatekeeper of the gatekeeper network. */
let gatekeeper: Hex;
beforeAll(async () => {
  ({ key } = await fundedKeyPair(nodes, 'adapter'));
  slot = slotOf(key) as bigint;
  const { file, address } = await fundedAuthority(nodes, 'gatekeeper');
  gatekeeper = readFileSync(file, 'utf8') as Hex;
  for (const name of ['sepolia', 'baseSepolia']) {
    await createNetwork(nodes.url(name), gatekeeper, key, 'Acme');
    await write(name, gatekeeper, OWNERLESS_CONTRACT, 'addGatekeeper', [address as Hex, slot]);
  }
});

const clientOf = (name: string, of: Hex) =>
  createWalletClient({
    account: privateKeyToAccount(of),
    transport: http(nodes.url(name)),
    pollingInterval: 50,
  }).extend(publicActions);

async function write(name: string, of: Hex, to: Hex, functionName: 'addGatekeeper' | 'setGate', args: [Hex, bigint]) {
  const client = clientOf(name, of);
  const hash = await client.writeContract({ address: to, abi: ABI, chain: null, functionName, args });
  expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success');
}

const CHECKER_CODE = readAdapterBuild('UniswapAllowlistChecker').deployedBytecode;
/** Returns the address of a contract that asks the ownerless contract. */
function addressOf(of: Adapter): Hex {
  const gate = of.kind === 'verdicts' ? undefined : ({ gateway: OWNERLESS_CONTRACT, slot } as const);
  return adapterCreationOf(readAdapterBuild(KINDS[of.kind].contract), constructorValuesOf({ adapter: of, gate }))
    .address;
}
const checkerOf = (owner?: Hex) => addressOf({ kind: 'uniswap', key: key as GatekeeperNetwork, owner });
const codeAt = (name: string, address: Hex) => callNode<Hex>(nodes.url(name), 'eth_getCode', [address, 'latest']);
const sentBy = async (name: string, address: string) =>
  Number(await callNode<Hex>(nodes.url(name), 'eth_getTransactionCount', [address, 'pending']));
const askOn = (name: string, checker: Hex, wallet: Hex) =>
  clientOf(name, gatekeeper).readContract({
    address: checker,
    abi: ABI,
    functionName: 'checkAllowlist',
    args: [wallet, zeroAddress],
  });
const newWallet = () => privateKeyToAccount(generatePrivateKey()).address;

describe('a checker that nobody owns', () => {
  it('has the same address on two networks, from two senders, and answers for wallets with a pass', async () => {
    const wallets = [newWallet(), newWallet()] as const;
    for (const name of ['sepolia', 'baseSepolia']) {
      const sender = await fundedAuthority(nodes, `${name}-sender`);
      const { code, printed } = await adapter(key, on(name), nodes.args, '--key-file', sender.file, stateFile());
      expect(code, printed).toBe(0);
      expect(printed).toMatch(new RegExp(`create the checker ${checkerOf()}, for about 0\\.0\\d+ coins`));
      expect(printed).toContain(`${name}: done and final`);
      expect(await codeAt(name, checkerOf())).toBe(CHECKER_CODE);
      expect(await sentBy(name, sender.address)).toBe(1);
      await issueAndVoid(nodes.url(name), gatekeeper, key, wallets);
      // The first of the two is revoked.
      expect(await askOn(name, checkerOf(), wallets[0])).toBe('0x0000');
      expect(await askOn(name, checkerOf(), wallets[1])).toBe('0x0003');
    }
  });

  it('is created once: the next run sends nothing, verifies it again, and prints the same values', async () => {
    const sender = await fundedAuthority(nodes, 'again');
    const by = ['--key-file', sender.file, '--json', ...stateFile()];
    const { code, printed } = await adapter(key, on('sepolia', 'baseSepolia'), nodes.args, by);
    expect(code, printed).toBe(0);
    expect(printed).toContain('Nothing to send.');
    const shown = {
      checker: checkerOf(),
      gateway: OWNERLESS_CONTRACT,
      slot: `0x${slot.toString(16)}`,
      owner: null,
      interfaceId: '0x9d38cc8c',
      flags: { withPass: '0x0003', withoutPass: '0x0000' },
      updateAllowListChecker: `0x7185f858${checkerOf().slice(2).toLowerCase().padStart(64, '0')}`,
      endpoints: 1,
    };
    expect(JSON.parse(printed.slice(printed.indexOf('{')))).toEqual({
      checkers: [
        { network: 'sepolia', ...shown },
        { network: 'baseSepolia', ...shown },
      ],
    });
    expect(await sentBy('sepolia', sender.address)).toBe(0);
  });

  it('prints values with which the owner of an adapter sets it', async () => {
    const sender = await fundedAuthority(nodes, 'issuer');
    const by = ['--key-file', sender.file, ...stateFile()];
    const { printed } = await adapter(key, on('sepolia', 'baseSepolia'), nodes.args, by);
    const [, data] = /the data of that call: (0x\w+)/.exec(printed) ?? [];
    expect(printed).toContain(`for a new adapter: createPermissionsAdapter(token, owner, ${checkerOf()})`);
    expect(printed.match(/permissioned pools existed on mainnet and sepolia only/g)).toHaveLength(1);
    const issuer = readFileSync(sender.file, 'utf8') as Hex;
    const client = clientOf('sepolia', issuer);
    const deploy = async (name: string, args: readonly unknown[]) => {
      const hash = await client.deployContract({
        ...compiled.contract('PermissionedPool.sol', name),
        chain: null,
        args,
      });
      return (await client.waitForTransactionReceipt({ hash })).contractAddress as Hex;
    };
    const other = await deploy('RevertingChecker', []);
    const pool = await deploy('PermissionsAdapter', [zeroAddress, sender.address, other]);
    const hash = await client.sendTransaction({ chain: null, to: pool, data: data as Hex });
    await client.waitForTransactionReceipt({ hash });
    const { abi } = compiled.contract('PermissionedPool.sol', 'PermissionsAdapter');
    expect(
      await (client as unknown as PublicClient).readContract({ address: pool, abi, functionName: 'allowListChecker' }),
    ).toBe(checkerOf());
  });
});

describe('a checker with an owner', () => {
  it('is refused with an owner that a single key commands, unless the operator insists', async () => {
    const sender = await fundedAuthority(nodes, 'with-owner');
    const owner = await fundedAuthority(nodes, 'owner');
    const by = ['--key-file', sender.file, ...stateFile()];
    const own = ['--owner', owner.address];
    expect(await adapter(key, on('sepolia'), nodes.args, own, by)).toMatchObject({
      code: 1,
      printed: expect.stringContaining(`${owner.address} has no code, so a single key commands it`),
    });
    const insisting = [...own, '--owner-without-code', ...by];
    const { code, printed } = await adapter(key, on('sepolia'), nodes.args, insisting);
    expect(code, printed).toBe(0);
    const checker = checkerOf(owner.address as Hex);
    const address = { address: checker, abi: ABI, functionName: 'owner' } as const;
    expect(await clientOf('sepolia', gatekeeper).readContract(address)).toBe(owner.address);

    // The owner changes it: then the command no longer says that it is as it was deployed.
    const civic = await fundedKeyPair(nodes, 'elsewhere');
    await write('sepolia', readFileSync(owner.file, 'utf8') as Hex, checker, 'setGate', [
      OWNERLESS_CONTRACT,
      slotOf(civic.key) as bigint,
    ]);
    expect(await adapter(key, on('sepolia'), nodes.args, insisting)).toMatchObject({
      code: 1,
      printed: expect.stringContaining(`endpoint 1 of 1 shows another gatekeeper network at ${checker}`),
    });
  });

  it('is created by another account that executes the calldata', async () => {
    const owner = newWallet();
    await callNode(nodes.url('sepolia'), 'anvil_setCode', [owner, '0x6001']);
    const file = join(nodes.folder, 'checker.json');
    const args = [key, ...on('sepolia'), ...nodes.args, '--owner', owner, '--calldata', file];
    expect(await adapter(args)).toMatchObject({ code: 0, printed: expect.stringContaining('Nothing was sent') });
    const { chainId, meta, transactions } = JSON.parse(readFileSync(file, 'utf8'));
    expect([chainId, meta.name, transactions.length]).toEqual(['11155111', `Checker ${checkerOf(owner)}`, 1]);
    const [{ to, value, data }] = transactions;
    expect(to).toBe(DETERMINISTIC_DEPLOYER);
    const client = clientOf('sepolia', gatekeeper);
    const hash = await client.sendTransaction({ chain: null, to, value: BigInt(value), data });
    await client.waitForTransactionReceipt({ hash });
    expect(await codeAt('sepolia', checkerOf(owner))).toBe(CHECKER_CODE);
    // Without a key, the next run verifies the checker and prints the values.
    const { code, printed } = await adapter(args);
    expect(code, printed).toBe(0);
    expect(printed).toContain('Nothing to write.\nsepolia: done and final');
    expect(printed).toContain(`updateAllowListChecker(${checkerOf(owner)})`);
  });
});

describe('another kind of contract', () => {
  const owner = newWallet();
  const verdictKey = newWallet();
  const names = { name: 'Acme Fund', symbol: 'ACME' };
  const kinds: readonly (readonly [Adapter['kind'], () => Adapter, readonly string[], object])[] = [
    [
      'erc3643',
      () => ({ kind: 'erc3643', key: key as GatekeeperNetwork, owner }),
      ['--owner', owner],
      { setIdentityRegistry: expect.stringMatching(/^0xcbf3f861/) },
    ],
    [
      'erc7943',
      () => ({ kind: 'erc7943', key: key as GatekeeperNetwork, owner, ...names }),
      ['--owner', owner, '--name', names.name, '--symbol', names.symbol],
      { interfaceId: '0x3edbb4c4' },
    ],
    [
      'verdicts',
      () => ({ kind: 'verdicts', owner, verdictKey }),
      ['--owner', owner, '--verdict-key', verdictKey],
      { verdictKey },
    ],
  ];

  it.each(kinds)('%s is created once, and shown with its values', async (kind, adapterOf, own, values) => {
    const sender = await fundedAuthority(nodes, `kind-${kind}`);
    const { contract } = KINDS[kind];
    const ofKey = kind === 'verdicts' ? [] : [key];
    const args = ['adapter', kind, ...ofKey, ...on('sepolia', 'baseSepolia'), ...nodes.args, ...own];
    const by = ['--key-file', sender.file];
    expect(await network([...args, ...by, '--dry-run', '--owner-without-code'])).toMatchObject({
      code: 0,
      printed: expect.stringContaining(`create the ${KINDS[kind].noun} ${addressOf(adapterOf())}`),
    });
    expect(await network([...args, ...by, ...stateFile()])).toMatchObject({
      code: 1,
      printed: expect.stringContaining(`${owner} has no code, so a single key commands it`),
    });
    expect(await sentBy('sepolia', sender.address)).toBe(0);
    for (const count of [1, 1]) {
      const { code, printed } = await network([...args, ...by, ...stateFile(), '--owner-without-code', '--json']);
      expect(code, printed).toBe(0);
      expect(await sentBy('sepolia', sender.address)).toBe(count);
      const gate = { gateway: OWNERLESS_CONTRACT, slot: `0x${slot.toString(16)}` };
      const shown = {
        contract: addressOf(adapterOf()),
        ...(kind !== 'verdicts' && gate),
        owner,
        ...values,
        endpoints: 1,
      };
      expect(JSON.parse(printed.slice(printed.indexOf('{')))).toEqual({
        deployed: ['sepolia', 'baseSepolia'].map((name) => ({ network: name, ...shown })),
      });
    }
    expect(await codeAt('sepolia', addressOf(adapterOf()))).toBe(readAdapterBuild(contract).deployedBytecode);
  });

  it('verdicts prints the setting of a deployment, and tells when the owner has removed the key, which the next run does not change', async () => {
    const sender = await fundedAuthority(nodes, 'verdicts-sender');
    const own = await fundedAuthority(nodes, 'verdicts-owner');
    const options = ['--owner', own.address, '--owner-without-code', '--verdict-key', verdictKey];
    const args = ['adapter', 'verdicts', ...on('sepolia'), ...nodes.args, ...options, '--key-file', sender.file];
    const address = addressOf({ kind: 'verdicts', owner: own.address as Hex, verdictKey });
    const { code, printed } = await network([...args, ...stateFile()]);
    expect(code, printed).toBe(0);
    const [, setting] = /below \[verdict_contracts\]: (.*)/.exec(printed) ?? [];
    expect(setting).toBe(`sepolia = "${address}"`);
    const client = clientOf('sepolia', readFileSync(own.file, 'utf8') as Hex);
    const hash = await client.writeContract({
      ...{ address, chain: null, functionName: 'removeKey', args: [verdictKey] },
      abi: parseAbi(['function removeKey(address key)']),
    });
    expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success');
    expect(await network([...args, ...stateFile()])).toMatchObject({
      code: 1,
      printed: expect.stringContaining(`shows that ${verdictKey} is no verdict key at ${address}`),
    });
  });
});

describe('the command', () => {
  it('only says what it would send with --dry-run', async () => {
    const sender = await fundedAuthority(nodes, 'dry');
    const owner = newWallet();
    const own = ['--owner', owner, '--owner-without-code', '--dry-run', '--key-file', sender.file];
    const { code, printed } = await adapter(key, on('sepolia'), nodes.args, own, stateFile().slice(0, 2));
    expect(code, printed).toBe(0);
    expect(printed).toContain(`create the checker ${checkerOf(owner)}`);
    expect(printed).toContain('send this transaction');
    expect(await sentBy('sepolia', sender.address)).toBe(0);
  });

  it.each([/: sends /, /is included/])('that is killed when it prints %s sends nothing twice', async (moment) => {
    const sender = await fundedAuthority(nodes, `killed-${count}`);
    const owner = newWallet();
    const own = ['--owner', owner, '--owner-without-code', '--key-file', sender.file, ...stateFile()];
    const args = ['adapter', 'uniswap', key, ...on('sepolia'), ...nodes.args, ...own];
    await killNetworkAt(moment, args);
    const { code, printed } = await network(args);
    expect(code, printed).toBe(0);
    expect(await sentBy('sepolia', sender.address)).toBe(1);
    expect(await codeAt('sepolia', checkerOf(owner))).toBe(CHECKER_CODE);
  });

  it('asks the contract of the gatekeeper network that --contract names', async () => {
    const sender = await fundedAuthority(nodes, 'civic');
    const url = nodes.url('sepolia');
    await installCivicContract(url, newWallet());
    const named = [...on('sepolia'), ...nodes.args, '--contract', CIVIC_CONTRACT, '--key-file', sender.file];
    // The contract exists there now, and the gatekeeper network does not.
    expect(await adapter(key, named, stateFile())).toMatchObject({
      code: 1,
      printed: expect.stringContaining(`sepolia: ${key} does not exist in ${CIVIC_CONTRACT}: create it there`),
    });
    expect(await sentBy('sepolia', sender.address)).toBe(0);
  });

  it.each<[string, () => readonly string[], number, string]>([
    ['a Solana network', () => on('sepolia', 'devnet'), 2, 'adapter is for Ethereum-type networks: omit devnet'],
    ['only a Solana network', () => on('devnet'), 2, 'adapter is for Ethereum-type networks: omit devnet'],
    ['a network without nodes', () => on('polygonAmoy'), 2, 'polygonAmoy has no node: the localnet does not run it'],
    [
      'an address without the contract',
      () => [...on('sepolia'), '--contract', newWallet()],
      1,
      'sepolia: no contract exists at ',
    ],
  ])('refuses %s, and sends nothing', async (_, options, code, complaint) => {
    const sender = await fundedAuthority(nodes, `refused-${count}`);
    const result = await adapter(key, options(), nodes.args, '--key-file', sender.file, stateFile());
    expect(result).toMatchObject({ code, printed: expect.stringContaining(complaint) });
    expect(await sentBy('sepolia', sender.address)).toBe(0);
  });

  it('refuses a mainnet without --mainnet', async () => {
    const sender = await fundedAuthority(nodes, 'mainnet');
    const node = ['--rpc', `mainnet=${nodes.url('sepolia')}`];
    expect(await adapter(key, on('mainnet'), node, '--key-file', sender.file, stateFile())).toEqual(
      expect.objectContaining({ code: 2, printed: 'mainnet is a mainnet: add --mainnet if you mean it\n' }),
    );
  });

  it('refuses a gatekeeper network that does not exist, because its checker would admit nobody', async () => {
    const { key: missing } = await fundedKeyPair(nodes, 'missing');
    const sender = await fundedAuthority(nodes, 'missing');
    expect(await adapter(missing, on('sepolia'), nodes.args, '--key-file', sender.file, stateFile())).toMatchObject({
      code: 1,
      printed: expect.stringContaining(`${missing} does not exist in ${OWNERLESS_CONTRACT}`),
    });
    expect(await sentBy('sepolia', sender.address)).toBe(0);
  });
});

describe('an endpoint that shows another checker', () => {
  const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;
  const isCall = (params: unknown, signature: string) =>
    JSON.stringify(params).includes(`"${toFunctionSelector(signature)}`);

  it.each<[string, (method: string, params: unknown) => unknown, string]>([
    ['no code', (method) => (method === 'eth_getCode' ? '0x' : undefined), 'no checker at'],
    ['other code', (method) => (method === 'eth_getCode' ? '0x6001' : undefined), 'other code at'],
    [
      'a pass for everybody',
      (method, params) =>
        method === 'eth_call' && isCall(params, 'checkAllowlist(address,address)')
          ? `0x0003${'0'.repeat(60)}`
          : undefined,
      'that it admits a wallet without a pass',
    ],
    [
      'every interface',
      (method, params) => (method === 'eth_call' && isCall(params, 'supportsInterface(bytes4)') ? word(1) : undefined),
      'the interface 0xffffffff',
    ],
    [
      'another owner',
      (method, params) => (method === 'eth_call' && isCall(params, 'owner()') ? word(7) : undefined),
      'another owner',
    ],
  ])('is reported: %s', async (_, lie, complaint) => {
    const proxy = await startRecordingProxy(
      nodes.url('sepolia'),
      alterAnswers(({ method, params }, answer) => {
        const isAbout = JSON.stringify(params).toLowerCase().includes(checkerOf().toLowerCase());
        const result = isAbout ? lie(method, params) : undefined;
        return result === undefined ? answer : { result };
      }),
    );
    const folder = join(nodes.folder, `lies-${count}`);
    const [, , honest = ''] = nodes.args;
    const { state } = JSON.parse(readFileSync(honest, 'utf8'));
    mkdirSync(folder);
    const text = readFileSync(join(state, 'worker.env'), 'utf8').replace(
      /^RPC_ENDPOINTS=.*$/m,
      `RPC_ENDPOINTS='${JSON.stringify({ sepolia: [nodes.url('sepolia'), proxy.url] })}'`,
    );
    writeFileSync(join(folder, 'worker.env'), text);
    writeFileSync(join(folder, 'localnet.json'), JSON.stringify({ state: folder }));
    const sender = await fundedAuthority(nodes, `lies-${count}`);
    const local = ['--local', '--localnet', join(folder, 'localnet.json')];
    const { code, printed } = await adapter(key, on('sepolia'), local, '--key-file', sender.file, stateFile());
    proxy.stop();
    expect([code, printed]).toEqual([1, expect.stringContaining(`sepolia: endpoint 2 of 2 shows ${complaint}`)]);
  });
});
