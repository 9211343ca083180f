import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWalletClient, type Hex, http, parseAbi, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import {
  DETERMINISTIC_DEPLOYER,
  gatewayDeploymentOf,
  NOBODY,
  readGatewayBuild,
} from '../../../ops/network/gateway-build.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { callNode } from '../../call-node.ts';
import { pollUntil } from '../poll-until.ts';
import { runProgram } from '../run-program.ts';
import { chainOn, PROXY_CODE, useEmptyChains } from './empty-chains.ts';
import { alterAnswers } from './faulty-endpoints.ts';
import { network } from './network-nodes.ts';
import { startRecordingProxy } from './recording-proxy.ts';

/** `npm run network -- deploy` on chains without the contract. */

const chains = useEmptyChains();
const build = readGatewayBuild();
const ownerless = gatewayDeploymentOf(build);

const deploy = (...args: readonly (string | readonly string[])[]) => network(['deploy', ...args.flat()]);
const on = (...names: readonly string[]) => names.flatMap((name) => ['--network', name]);

describe('the ownerless contract', () => {
  it('has the same address on two chains, from two senders', async () => {
    for (const name of ['sepolia', 'baseSepolia'] as const) {
      const sender = await chains.fundedAccount();
      const by = ['--key-file', sender.file, ...chains.stateArgs()];
      const { code, printed } = await deploy(on(name), chains.nodeArgs(), by);
      expect(code, printed).toBe(0);
      expect(printed).toContain('GatewayToken of @identity.com/gateway-eth-ts 0.8.0 (MIT)');
      expect(printed).toMatch(/create the implementation 0x\w+, for about 0\.0\d+ coins/);
      expect(printed).toContain(`${name}: done and final`);
      expect(printed).toContain('NETWORKS needs no line');
      const chain = chainOn(chains.url(name));
      expect(await chain.codeOf(OWNERLESS_CONTRACT)).toBe(PROXY_CODE);
      expect(await chain.sentBy(sender.address)).toBe(2);
      for (const account of [sender.address, DETERMINISTIC_DEPLOYER] as const)
        expect(await chain.isSuperAdmin(OWNERLESS_CONTRACT, account)).toBe(false);
      expect(await chain.isSuperAdmin(OWNERLESS_CONTRACT, NOBODY)).toBe(true);
      expect(await chain.isForwarder(OWNERLESS_CONTRACT, NOBODY)).toBe(false);
    }
  });

  it('is created once: the next run sends nothing, and verifies the contract again', async () => {
    const sender = await chains.fundedAccount();
    const by = ['--key-file', sender.file, '--json', ...chains.stateArgs()];
    const { code, printed } = await deploy(on('sepolia', 'baseSepolia'), chains.nodeArgs(), by);
    expect(code, printed).toBe(0);
    expect(printed).toContain('Nothing to send.');
    const { implementation } = ownerless;
    const shown = { contract: OWNERLESS_CONTRACT, implementation: implementation.address, admin: null, endpoints: 1 };
    expect(JSON.parse(printed.slice(printed.indexOf('{')))).toEqual({
      deployed: [
        { network: 'sepolia', ...shown },
        { network: 'baseSepolia', ...shown },
      ],
      networks: {},
    });
    expect(await chainOn(chains.url('sepolia')).sentBy(sender.address)).toBe(0);
  });

  it('stands on an implementation that nobody can initialize', async () => {
    const initialize = parseAbi([
      'function initialize(string name, string symbol, address superAdmin, address flagsStorage, address[] forwarders)',
    ]);
    const { key, address } = await chains.fundedAccount();
    const client = createWalletClient({ account: privateKeyToAccount(key), transport: http(chains.url('sepolia')) });
    for (const contract of [ownerless.implementation.address, OWNERLESS_CONTRACT] as const)
      await expect(
        client.extend(publicActions).simulateContract({
          address: contract,
          abi: initialize,
          functionName: 'initialize',
          args: ['x', 'x', address, address, [address]],
        }),
      ).rejects.toThrow(/already initialized/);
  });
});

describe('a contract with an admin', () => {
  /** Returns a new address with code, as a Safe has. */
  async function newAdmin(name: 'sepolia' | 'baseSepolia'): Promise<Hex> {
    const { address } = await chains.fundedAccount();
    await callNode(chains.url(name), 'anvil_setCode', [address, '0x6001']);
    return address;
  }

  it('has this super admin, and needs a line in NETWORKS', async () => {
    const admin = await newAdmin('sepolia');
    const sender = await chains.fundedAccount();
    const by = ['--admin', admin, '--key-file', sender.file, ...chains.stateArgs()];
    const { code, printed } = await deploy(on('sepolia'), chains.nodeArgs(), by);
    expect(code, printed).toBe(0);
    const { contract } = gatewayDeploymentOf(build, { admin });
    expect(printed).toContain(`{"sepolia":{"gateway":"${contract.address}"}}`);
    const chain = chainOn(chains.url('sepolia'));
    expect(await chain.isSuperAdmin(contract.address, admin)).toBe(true);
    expect(await chain.isSuperAdmin(contract.address, sender.address)).toBe(false);
    // The implementation existed.
    expect(await chain.sentBy(sender.address)).toBe(1);
    const configured = chains.nodeArgs(undefined, { gateway: contract.address });
    expect(await deploy(on('sepolia'), configured, by)).toMatchObject({
      code: 0,
      printed: expect.stringContaining('NETWORKS needs no line'),
    });
  });

  it('is refused with an admin that a single key commands, unless the operator insists', async () => {
    const sender = await chains.fundedAccount();
    const { address: single } = await chains.fundedAccount();
    const by = ['--key-file', sender.file, ...chains.stateArgs()];
    const { address: delegated } = await chains.fundedAccount();
    await callNode(chains.url('sepolia'), 'anvil_setCode', [delegated, `0xef0100${'12'.repeat(20)}`]);
    for (const admin of [single, delegated])
      expect(await deploy(on('sepolia'), chains.nodeArgs(), '--admin', admin, by)).toMatchObject({
        code: 1,
        printed: expect.stringContaining(`sepolia: ${admin} has no code, so a single key commands it`),
      });
    expect(await chainOn(chains.url('sepolia')).sentBy(sender.address)).toBe(0);
    const insisting = ['--admin', single, '--admin-without-code', ...by];
    expect(await deploy(on('sepolia'), chains.nodeArgs(), insisting)).toMatchObject({ code: 0 });
  });

  it('that somebody else creates meanwhile counts as created', async () => {
    const admin = await newAdmin('baseSepolia');
    const url = chains.url('baseSepolia');
    const { contract } = gatewayDeploymentOf(build, { admin });
    const [sender, other] = [await chains.fundedAccount(), await chains.fundedAccount()];
    const state = chains.stateArgs();
    await callNode(url, 'evm_setIntervalMining', [0]);
    const running = deploy(on('baseSepolia'), chains.nodeArgs(), '--admin', admin, '--key-file', sender.file, state);
    await pollUntil(
      async () => readText(state[1] ?? ''),
      (text) => text.includes('create the contract'),
    );
    const client = createWalletClient({ account: privateKeyToAccount(other.key), transport: http(url) });
    const price = { maxFeePerGas: 500_000_000_000n, maxPriorityFeePerGas: 400_000_000_000n, gas: 1_000_000n };
    await client.sendTransaction({ chain: null, to: DETERMINISTIC_DEPLOYER, data: contract.data, ...price });
    await callNode(url, 'evm_mine', []);
    await callNode(url, 'evm_setIntervalMining', [1]);
    const { code, printed } = await running;
    expect(code, printed).toBe(0);
    expect(printed).toContain('is reverted');
    expect(await chainOn(url).sentBy(sender.address)).toBe(1);
  });

  it('is created by another account that executes the calldata', async () => {
    const admin = await newAdmin('sepolia');
    const file = join(chains.folder, 'calls.json');
    const args = [...on('sepolia'), ...chains.nodeArgs(), '--admin', admin, '--calldata', file];
    expect(await deploy(args)).toMatchObject({ code: 0, printed: expect.stringContaining('Nothing was sent') });
    const { chainId, transactions } = JSON.parse(readFileSync(file, 'utf8'));
    expect([chainId, transactions.length]).toEqual(['11155111', 1]);
    const [{ to, value, data }] = transactions;
    const { key } = await chains.fundedAccount();
    const client = createWalletClient({ account: privateKeyToAccount(key), transport: http(chains.url('sepolia')) });
    const hash = await client.sendTransaction({ chain: null, to, value: BigInt(value), data });
    await client.extend(publicActions).waitForTransactionReceipt({ hash, pollingInterval: 50 });
    const { contract } = gatewayDeploymentOf(build, { admin });
    expect(await chainOn(chains.url('sepolia')).isSuperAdmin(contract.address, admin)).toBe(true);
    expect(await deploy(args)).toMatchObject({ code: 0, printed: expect.stringContaining('Nothing to write.') });
  });
});

describe('a gatekeeper network', () => {
  const KEY = 'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD';
  const creation = (sender: { readonly address: string; readonly file: string }) => [
    ...['create', KEY, sender.address, '--name', 'Acme', ...on('sepolia'), '--authority-key-file', sender.file],
  ];

  it('is not created where no contract exists: the command recommends a deployment', async () => {
    const sender = await chains.fundedAccount();
    for (const [gateway, remedy] of [
      [`0x${'ef'.repeat(20)}`, 'set `gateway` in NETWORKS'],
      [ownerless.contract.address, 'create it with `npm run network -- deploy`'],
    ] as const) {
      const proxy = await startRecordingProxy(
        chains.url('sepolia'),
        alterAnswers(({ method }, answer) => (method === 'eth_getCode' ? { result: '0x' } : answer)),
      );
      const nodes = chains.nodeArgs({ sepolia: [proxy.url] }, { gateway });
      const { code, printed } = await network([...creation(sender), ...nodes, ...chains.stateArgs()]);
      proxy.stop();
      expect(code).toBe(1);
      expect(printed.toLowerCase()).toContain(`sepolia: no contract exists at ${gateway}: ${remedy}`.toLowerCase());
    }
    expect(await chainOn(chains.url('sepolia')).sentBy(sender.address)).toBe(0);
  });

  it('is created in a contract that may have an admin only after a warning and a question', async () => {
    const sender = await chains.fundedAccount();
    const { contract } = gatewayDeploymentOf(build, { admin: sender.address });
    const by = ['--admin', sender.address, '--admin-without-code', '--key-file', sender.file, ...chains.stateArgs()];
    expect(await deploy(on('sepolia'), chains.nodeArgs(), by)).toMatchObject({ code: 0 });
    const nodes = chains.nodeArgs(undefined, { gateway: contract.address });
    const [state = '', file = '', yes = ''] = chains.stateArgs();
    const warning = `The contract is not the ownerless one on sepolia (${contract.address}).`;
    expect(await network([...creation(sender), ...nodes, state, file])).toMatchObject({
      code: 2,
      printed: expect.stringMatching(
        /`npm run network -- deploy` creates a contract that nobody commands\.\nnothing was changed: confirm with --yes\n$/,
      ),
    });
    const created = await network([...creation(sender), ...nodes, state, file, yes]);
    expect([created.code, created.printed]).toEqual([0, expect.stringContaining(warning)]);
    const inOwnerless = await network([...creation(sender), ...chains.nodeArgs(), state, file, yes]);
    expect([inOwnerless.code, inOwnerless.printed]).toEqual([0, expect.not.stringContaining('not the ownerless one')]);
  });
});

describe('another factory', () => {
  const FACTORY = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7';
  const chain = () => chainOn(chains.url('sepolia'));

  it('creates the contract at another address', async () => {
    const code = await chain().codeOf(DETERMINISTIC_DEPLOYER);
    await callNode(chains.url('sepolia'), 'anvil_setCode', [FACTORY, code]);
    const sender = await chains.fundedAccount();
    const by = ['--factory', FACTORY, '--key-file', sender.file, ...chains.stateArgs()];
    const deployed = await deploy(on('sepolia'), chains.nodeArgs(), by);
    expect(deployed.code, deployed.printed).toBe(0);
    const { contract } = gatewayDeploymentOf(build, { factory: FACTORY });
    expect(deployed.printed).toContain(`{"sepolia":{"gateway":"${contract.address}"}}`);
    expect(await chain().isSuperAdmin(contract.address, NOBODY)).toBe(true);
  });

  it('is refused if it does not exist, or creates nothing at the derived address', async () => {
    const sender = await chains.fundedAccount();
    const by = ['--key-file', sender.file, ...chains.stateArgs()];
    const missing = `0x${'ab'.repeat(20)}`;
    // It returns the address 0x12…12 for every call.
    const wrong = `0x${'cd'.repeat(20)}`;
    await callNode(chains.url('sepolia'), 'anvil_setCode', [wrong, `0x73${'12'.repeat(20)}60005260146c0cf3`]);
    for (const [factory, complaint] of [
      [missing, /sepolia: no factory exists at 0xabab/i],
      [wrong, /sepolia: the factory 0xcdcd\w+ does not create 0x\w+ from a salt and code/i],
      [OWNERLESS_CONTRACT, /sepolia: the factory 0xA0d8\w+ does not create 0x\w+ from a salt and code/],
    ] as const)
      expect(await deploy(on('sepolia'), chains.nodeArgs(), '--factory', factory, by)).toMatchObject({
        code: 1,
        printed: expect.stringMatching(complaint),
      });
    expect(await chain().sentBy(sender.address)).toBe(0);
  });
});

describe('a node that lies', () => {
  /** Starts a proxy of the node that shows this code at the address. */
  const showing = (name: 'sepolia' | 'polygonAmoy', address: string, result: string) =>
    startRecordingProxy(
      chains.url(name),
      alterAnswers(({ method, params: [asked] }, answer) =>
        method === 'eth_getCode' && String(asked).toLowerCase() === address.toLowerCase() ? { result } : answer,
      ),
    );

  it.each([
    ['other code of the contract', OWNERLESS_CONTRACT, '0x6001', /endpoint 2 of 2 shows other code at 0xA0d8/],
    [
      'other code of its implementation',
      ownerless.implementation.address,
      '0x6001',
      /endpoint 2 of 2 shows other code/,
    ],
    ['no contract', OWNERLESS_CONTRACT, '0x', /endpoint 2 of 2 shows no contract at 0xA0d8/],
  ])('with %s is named, and nothing is done', async (_, address, result, complaint) => {
    const sender = await chains.fundedAccount();
    const proxy = await showing('sepolia', address, result);
    const nodes = chains.nodeArgs({ sepolia: [chains.url('sepolia'), proxy.url] });
    const deployed = await deploy(on('sepolia'), nodes, '--key-file', sender.file, chains.stateArgs());
    proxy.stop();
    expect(deployed).toMatchObject({ code: 1, printed: expect.stringMatching(complaint) });
    expect(await chainOn(chains.url('sepolia')).sentBy(sender.address)).toBe(0);
  });

  it('that a contract exists does not end the command well, because a second one lacks it', async () => {
    const sender = await chains.fundedAccount();
    const admin = sender.address;
    const { contract } = gatewayDeploymentOf(build, { admin });
    const proxy = await showing('sepolia', contract.address, PROXY_CODE);
    const nodes = chains.nodeArgs({ sepolia: [proxy.url, chains.url('sepolia')] });
    const by = ['--admin', admin, '--admin-without-code', '--key-file', sender.file, ...chains.stateArgs()];
    const deployed = await deploy(on('sepolia'), nodes, by);
    proxy.stop();
    expect(deployed).toMatchObject({ code: 1, printed: expect.stringMatching(/sepolia: endpoint 1 of 2 shows /) });
  });

  it('or is away does not confirm the contract, which two endpoints have to show', async () => {
    const sender = await chains.fundedAccount();
    const nodes = chains.nodeArgs({ sepolia: [chains.url('sepolia'), 'http://127.0.0.1:9'] });
    expect(await deploy(on('sepolia'), nodes, '--key-file', sender.file, chains.stateArgs())).toMatchObject({
      code: 1,
      printed: expect.stringContaining('sepolia: 1 of 2 endpoints answers: run the command again'),
    });
    const twice = chains.nodeArgs({ sepolia: [chains.url('sepolia'), chains.url('sepolia')] });
    expect(await deploy(on('sepolia'), twice, '--key-file', sender.file, chains.stateArgs())).toMatchObject({
      code: 0,
      printed: expect.stringContaining('2 endpoints show the contract'),
    });
  });
});

describe('a deployment that is refused', () => {
  it('because of the network, the funds or a missing confirmation sends nothing', async () => {
    const [sender, poor] = [await chains.fundedAccount(), await chains.fundedAccount('0')];
    const admin = ['--admin', sender.address, '--admin-without-code'];
    const by = ['--key-file', sender.file, ...admin];
    const url = chains.url('sepolia');
    for (const [args, complaint] of [
      [[...on('baseSepolia'), ...chains.nodeArgs({ baseSepolia: [url] }), ...by], /it serves another chain/],
      [[...on('mainnet'), '--rpc', `mainnet=${url}`, ...by], /^mainnet is a mainnet: add --mainnet/],
      [[...on('devnet'), '--rpc', 'devnet=http://127.0.0.1:9', ...by], /deploy is for Ethereum-type networks/],
      [[...on('sepolia'), ...chains.nodeArgs(), '--key-file', poor.file, ...admin], /sepolia: no funds: 0x\w+ has 0 /],
    ] as const)
      expect(await deploy(args, chains.stateArgs())).toMatchObject({
        code: expect.toBeOneOf([1, 2]),
        printed: expect.stringMatching(complaint),
      });
    const [, unconfirmed = ''] = chains.stateArgs();
    expect(await deploy(on('sepolia'), chains.nodeArgs(), by, '--state', unconfirmed)).toMatchObject({
      code: 2,
      printed: expect.stringContaining('nothing was changed: confirm with --yes'),
    });
    expect(await chainOn(url).sentBy(sender.address)).toBe(0);
  });

  it('because the disk is full has sent nothing', async () => {
    const sender = await chains.fundedAccount();
    const by = ['--admin', sender.address, '--admin-without-code', '--key-file', sender.file, ...chains.stateArgs()];
    const args = ['deploy', ...on('sepolia'), ...chains.nodeArgs(), ...by];
    const limited = 'trap "" XFSZ; ulimit -f 1; exec "$0" --no-warnings "$@" | cat';
    const program = [process.execPath, join(PROJECT, 'ops', 'network.ts')];
    const { stdout, stderr } = await runProgram(['bash', '--norc', '-c', limited, ...program, ...args], {});
    expect(stdout + stderr).toMatch(/--state: \S+ cannot be written \(EFBIG\)/);
    expect(await chainOn(chains.url('sepolia')).sentBy(sender.address)).toBe(0);
  });
});

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
