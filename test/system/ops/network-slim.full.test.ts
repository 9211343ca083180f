import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { getAddress } from 'viem';
import { expect, it } from 'vitest';
import { DETERMINISTIC_DEPLOYER } from '../../../ops/network/gateway-build.ts';
import { readSlimBuild, slimContract, slimCreationOf } from '../../../ops/network/slim-build.ts';
import { CONTRACT_BUILDS } from '../../../src/chain/ethereum/contract-control.ts';
import { callNode } from '../../call-node.ts';
import { chainOn, useEmptyChains } from './empty-chains.ts';
import { alterAnswers } from './faulty-endpoints.ts';
import { network } from './network-nodes.ts';
import { startRecordingProxy } from './recording-proxy.ts';

/** `npm run network` with SlimGateway: on chains without it, from its creation to the verdict about it. */

const chains = useEmptyChains();
const SLIM = slimContract();
const GATEKEEPER = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
const OTHER = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';

const on = (...names: readonly string[]) => names.flatMap((name) => ['--network', name]);
const deploy = (...args: readonly (string | readonly string[])[]) =>
  network(['deploy', '--contract', 'slim', ...args.flat()]);

/** Creates a key pair, and returns its public key. */
async function newKey(): Promise<string> {
  const file = join(chains.folder, `${crypto.randomUUID()}.json`);
  expect(await network(['keygen', '--out', file])).toMatchObject({ code: 0 });
  return base58.encode(Uint8Array.from(JSON.parse(readFileSync(file, 'utf8')).slice(32)));
}

it('is created with one transaction at the same address on two chains, from two senders', async () => {
  for (const name of ['sepolia', 'baseSepolia'] as const) {
    const sender = await chains.fundedAccount();
    const by = ['--key-file', sender.file, ...chains.stateArgs()];
    const { code, printed } = await deploy(on(name), chains.nodeArgs(), by);
    expect(code, printed).toBe(0);
    expect(printed).toContain('SlimGateway of @gatepass/contracts (MIT): tested, not audited');
    expect(printed).toMatch(/create the contract 0x\w+, for about 0\.0\d+ coins/);
    expect(printed).toContain(`{"${name}":{"gateway":"${SLIM}"}}`);
    const chain = chainOn(chains.url(name));
    expect(await chain.codeOf(SLIM)).toBe(readSlimBuild().deployedBytecode);
    expect(await chain.sentBy(sender.address)).toBe(1);
  }
});

it('is created once: the next run sends nothing, and verifies the contract again', async () => {
  const sender = await chains.fundedAccount();
  const by = ['--key-file', sender.file, '--json', ...chains.stateArgs()];
  const nodes = chains.nodeArgs(undefined, { gateway: SLIM });
  const { code, printed } = await deploy(on('sepolia', 'baseSepolia'), nodes, by);
  expect(code, printed).toBe(0);
  const shown = { contract: SLIM, implementation: null, admin: null, endpoints: 1 };
  expect(JSON.parse(printed.slice(printed.indexOf('{')))).toEqual({
    deployed: [
      { network: 'sepolia', ...shown },
      { network: 'baseSepolia', ...shown },
    ],
    networks: {},
  });
  expect(await chainOn(chains.url('sepolia')).sentBy(sender.address)).toBe(0);
});

it('is created on a chain without the deterministic deployer too, or by the calls that the command writes', async () => {
  const sender = await chains.fundedAccount();
  const by = ['--bring-deployer', '--key-file', sender.file, ...chains.stateArgs()];
  const { code, printed } = await deploy(on('polygonAmoy'), chains.nodeArgs(), by);
  expect(code, printed).toBe(0);
  expect(await chainOn(chains.url('polygonAmoy')).codeOf(SLIM)).toBe(readSlimBuild().deployedBytecode);
  const factory = getAddress(`0x${'fa'.repeat(20)}`);
  const code4e = await chainOn(chains.url('sepolia')).codeOf(DETERMINISTIC_DEPLOYER);
  await callNode(chains.url('sepolia'), 'anvil_setCode', [factory, code4e]);
  const file = join(chains.folder, 'slim-calls.json');
  const written = await deploy(on('sepolia'), chains.nodeArgs(), '--factory', factory, '--calldata', file);
  expect(written.code, written.printed).toBe(0);
  const { transactions } = JSON.parse(readFileSync(file, 'utf8'));
  const { data } = slimCreationOf(readSlimBuild(), factory);
  expect(transactions).toMatchObject([{ to: factory, data }]);
});

it('has no admin, so the command takes none', async () => {
  const sender = await chains.fundedAccount();
  const by = ['--key-file', sender.file, ...chains.stateArgs()];
  for (const admin of [['--admin', GATEKEEPER], ['--admin-without-code']])
    expect(await deploy(on('sepolia'), chains.nodeArgs(), admin, by)).toMatchObject({
      code: 2,
      printed: expect.stringContaining('the contract slim has no admin'),
    });
});

it('is refused with other code, which one endpoint of two shows', async () => {
  const sender = await chains.fundedAccount();
  const proxy = await startRecordingProxy(
    chains.url('sepolia'),
    alterAnswers(({ method, params: [asked] }, answer) =>
      method === 'eth_getCode' && String(asked).toLowerCase() === SLIM.toLowerCase() ? { result: '0x6001' } : answer,
    ),
  );
  const nodes = chains.nodeArgs({ sepolia: [chains.url('sepolia'), proxy.url] });
  const { code, printed } = await deploy(on('sepolia'), nodes, '--key-file', sender.file, chains.stateArgs());
  proxy.stop();
  expect([code, printed]).toEqual([1, expect.stringContaining('endpoint 2 of 2 shows other code at')]);
});

it('has gatekeeper networks that the other verbs create, show, change and judge, without a warning', async () => {
  const key = await newKey();
  const sender = await chains.fundedAccount();
  const nodes = [...chains.nodeArgs(), '--contract', SLIM];
  const by = ['--authority-key-file', sender.file, ...chains.stateArgs()];
  const run = async (verb: string, ...args: string[]) => {
    const { code, printed } = await network([verb, key, ...args, ...on('sepolia'), ...nodes]);
    expect(code, printed).toBe(0);
    return printed;
  };
  const created = await run('create', GATEKEEPER, '--name', 'Acme', ...by);
  expect(created).not.toContain('not the ownerless one');
  await run('add-authority', OTHER, ...by);
  await run('add-gatekeeper', OTHER, ...by);
  await run('remove-gatekeeper', OTHER, ...by);
  expect(JSON.parse(await run('show', GATEKEEPER, OTHER, '--json', '--authority', OTHER))).toMatchObject([
    {
      ...{ exists: true, name: 'Acme', authority: { isAuthority: true }, features: [] },
      gatekeepers: [{ isAuthorized: true }, { isAuthorized: false }],
    },
  ]);
  const judged = await run('trust', '--known', sender.address, '--scan-logs');
  expect(judged).toContain(`sepolia (${SLIM}): nobody`);
  expect(judged).toContain('its code has no owner, no upgrade and no forwarder. It was tested, not audited');
  expect(judged).toContain(`code ${CONTRACT_BUILDS.slimGateway.codeHash}: SlimGateway of @gatepass/contracts`);
  for (const account of [sender.address, OTHER])
    expect(judged).toContain(`${account} is an authority of the gatekeeper network`);
  expect(judged).toContain(`${GATEKEEPER} is a gatekeeper`);
  expect(judged).not.toContain(`${OTHER} is a gatekeeper`);
  const renamed = await network(['rename', key, '--name', 'New', ...on('sepolia'), ...nodes, ...by]);
  expect([renamed.code, renamed.printed]).toEqual([1, expect.stringContaining('SlimGateway__NotSupported')]);
});
