import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { parseAbi, toFunctionSelector, zeroAddress } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { CONTRACT_BUILDS } from '../../../src/chain/ethereum/contract-control.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { slotOf } from '../../../src/network/slot.ts';
import { CIVIC_CONTRACT, installCivicContract } from '../../../tools/localnet/ethereum/civic-contract.ts';
import { AUTHORITY, openContractNode, waitUntilMined } from '../../../tools/localnet/ethereum/contract-node.ts';
import { createGatekeeperNetworks } from '../../../tools/localnet/ethereum/gateway-contract.ts';
import { GATEKEEPER_NETWORKS } from '../../../tools/localnet/oauth/partners.ts';
import { UPGRADE_AUTHORITY } from '../../../tools/localnet/solana/chain/genesis.ts';
import { GATEWAY_PROGRAM } from '../../../tools/localnet/solana/runtime/gateway-addresses.ts';
import { startFaultProxy } from '../fault-proxy.ts';
import { freshOwner, GATEKEEPER, SolanaNodeClient } from '../tools/localnet/solana/rpc/solana-node-client.ts';
import { KEYS_ON_ETHEREUM, network, useNetworkNodes } from './network-nodes.ts';

/** `npm run network -- trust` on the localnet's contract, on an imitation of Civic's, and on its Solana program. */

const nodes = useNetworkNodes();
const [KEY = ''] = GATEKEEPER_NETWORKS;
/** Civic's account, which the imitation has as its super admin. Anvil can act as any account. */
const CIVIC = '0x74489ac99AE3cE1428Ce8C8dBE374CFFc009081E';
const SECOND_OWNER = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';
const OWNER = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';

/** The arguments of a deployment whose contracts are the imitations of Civic's, with these settings of both networks. */
function onCivicContract(settings: object = {}): string[] {
  const folder = join(nodes.folder, `civic-${crypto.randomUUID()}`);
  mkdirSync(folder);
  const row = { gateway: CIVIC_CONTRACT, final: { depth: 0 }, ...settings };
  const networks = `NETWORKS='${JSON.stringify({ sepolia: row, baseSepolia: row })}'`;
  const variables = readFileSync(join(nodes.folder, 'worker.env'), 'utf8').replace(/^NETWORKS=.*$/m, () => networks);
  writeFileSync(join(folder, 'worker.env'), variables);
  const localnet = join(folder, 'localnet.json');
  writeFileSync(localnet, JSON.stringify({ state: folder }));
  return ['--local', '--localnet', localnet];
}

const trust = (...args: string[]) => network(['trust', KEY, ...args]);
const on = (...names: string[]) => names.flatMap((name) => ['--network', name]);

beforeAll(async () => {
  for (const [name, superAdmin] of [['sepolia', CIVIC] as const, ['baseSepolia', OWNER] as const]) {
    await installCivicContract(nodes.url(name), superAdmin);
    await createGatekeeperNetworks(openContractNode(nodes.url(name)), CIVIC_CONTRACT, [KEY]);
  }
});

it('gives no verdict about a contract that the gatekeeper network is not in', async () => {
  const key = Keypair.generate().publicKey.toBase58();
  const { code, lines } = await network(['trust', key, ...on('sepolia'), ...nodes.args]);
  expect(code).toBe(1);
  expect(lines).toContain(`sepolia: ${key} is not in ${OWNERLESS_CONTRACT}: name its contract with --contract`);
});

it('is asked about the contract that --contract names', async () => {
  const { code, lines } = await trust(...on('sepolia'), ...nodes.args, '--contract', CIVIC_CONTRACT);
  expect(code).toBe(1);
  expect(lines).toContain(`sepolia (${CIVIC_CONTRACT}): somebody else`);
});

describe('the contract of the localnet', () => {
  it('is controlled by nobody, whatever accounts it is asked about', async () => {
    const { code, lines } = await trust(
      ...on('sepolia', 'baseSepolia'),
      ...nodes.args,
      '--known',
      OWNER,
      '--scan-logs',
    );
    expect(code).toBe(0);
    for (const name of ['sepolia', 'baseSepolia']) expect(lines).toContain(`${name} (${OWNERLESS_CONTRACT}): nobody`);
    expect(lines).toContain('  its address proves that it was created without a super admin');
    expect(lines).toContain(`  code ${CONTRACT_BUILDS.gatewayToken.codeHash}: the public build`);
    expect(lines).toContain(`  ${AUTHORITY} is an authority of the gatekeeper network`);
    for (const gatekeeper of KEYS_ON_ETHEREUM) expect(lines).toContain(`  ${gatekeeper} is a gatekeeper`);
  });
});

describe('an imitation of Civic’s contract', () => {
  it('is controlled by somebody else: the command names Civic’s account and what it can do', async () => {
    const { code, lines } = await trust(...on('sepolia'), ...onCivicContract());
    expect(code).toBe(1);
    expect(lines).toContain(`sepolia (${CIVIC_CONTRACT}): somebody else`);
    expect(lines).toContain(`  ${CIVIC} is a super admin: it can replace the code, and act as any account`);
  });

  it('is controlled by you if its super admin is an account that you name', async () => {
    const args = [...on('baseSepolia'), ...onCivicContract(), '--json'];
    expect(await trust(...args, '--known', OWNER)).toMatchObject({ code: 0 });
    const { code, printed } = await trust(...args, '--authority', OWNER);
    expect(code).toBe(0);
    expect(JSON.parse(printed)).toMatchObject([
      {
        network: 'baseSepolia',
        verdict: 'you',
        code: 'public-build',
        codeHash: CONTRACT_BUILDS.gatewayToken.codeHash,
        superAdmins: [OWNER],
      },
    ]);
  });

  it('is controlled by somebody unknown until the logs name its super admin', async () => {
    const args = [...on('baseSepolia'), ...onCivicContract()];
    const unknown = await trust(...args);
    expect(unknown.code).toBe(1);
    expect(unknown.printed).toContain(
      'no known account is its super admin: name others with --known, or use --scan-logs',
    );
    // The logs of its creation are at the address from which the imitation was copied, so the admin names itself again.
    const node = openContractNode(nodes.url('baseSepolia'));
    const { request } = await node.simulateContract({
      address: CIVIC_CONTRACT,
      abi: parseAbi(['function setSuperAdmin(address account)']),
      functionName: 'setSuperAdmin',
      args: [SECOND_OWNER],
      account: OWNER,
    });
    await waitUntilMined(node, await node.writeContract({ ...request, chain: null }));
    const found = await trust(...args, '--scan-logs');
    expect(found.code).toBe(1);
    expect(found.printed).toContain(`${SECOND_OWNER} is a super admin`);
    expect(found.printed).not.toContain(`${OWNER} is a super admin`);
  });
});

describe('endpoints that contradict each other', () => {
  it('give no verdict', async () => {
    const liar = await startFaultProxy(nodes.url('sepolia'), async (request, { forward }) => {
      const answer = await forward(request);
      const calls = [JSON.parse(request.body)].flat() as { id: number; method: string }[];
      const codes = calls.filter(({ method }) => method === 'eth_getCode').map(({ id }) => id);
      const answers = ([JSON.parse(answer.body ?? '[]')].flat() as { id: number; result: string }[]).map((each) =>
        codes.includes(each.id) ? { ...each, result: `${each.result}00` } : each,
      );
      return { ...answer, body: JSON.stringify(answers) };
    });
    const rpc = (url: string) => ['--rpc', `sepolia=${url}`];
    const { code, printed } = await trust(...on('sepolia'), ...rpc(nodes.url('sepolia')), ...rpc(liar.url));
    liar.stop();
    expect(code).toBe(1);
    expect(printed).toContain(`sepolia: the endpoints contradict each other about ${OWNERLESS_CONTRACT}`);
    const confirmed = await trust(...on('sepolia'), ...rpc(nodes.url('sepolia')), ...rpc(nodes.url('sepolia')));
    expect(confirmed).toMatchObject({ code: 0 });
    expect(confirmed.lines).toContain('  two endpoints show it');
  });

  it('give no verdict if one lies about a gatekeeper, and none that counts beside a silent one', async () => {
    const yes = `0x${'1'.padStart(64, '0')}`;
    const liar = await startFaultProxy(nodes.url('sepolia'), async (request, { forward }) => {
      const answer = await forward(request);
      const calls = [JSON.parse(request.body)].flat() as { id: number; params: [{ data?: string }] }[];
      const isGatekeeper = toFunctionSelector('isGatekeeper(address,uint256)');
      const asked = calls.filter(({ params }) => params[0]?.data?.startsWith(isGatekeeper)).map(({ id }) => id);
      const answers = ([JSON.parse(answer.body ?? '[]')].flat() as { id: number; result: string }[]).map((each) =>
        asked.includes(each.id) ? { ...each, result: yes } : each,
      );
      return { ...answer, body: JSON.stringify(answers) };
    });
    const rpc = (url: string) => ['--rpc', `sepolia=${url}`];
    const known = [...on('sepolia'), '--known', OWNER];
    const lied = await trust(...known, ...rpc(nodes.url('sepolia')), ...rpc(liar.url));
    liar.stop();
    expect(lied.code).toBe(1);
    expect(lied.printed).toContain(`sepolia: the endpoints contradict each other about ${KEY}`);
    const silent = await trust(...known, ...rpc(nodes.url('sepolia')), ...rpc('http://127.0.0.1:9'));
    expect(silent.code).toBe(1);
    expect(silent.lines).toContain('  only one of 2 endpoints shows it');
  });
});

describe('the program of the localnet', () => {
  it('is controlled by its upgrade authority, which the command names', async () => {
    const { code, lines } = await trust(...on('devnet'), ...nodes.args);
    expect(code).toBe(1);
    expect(lines).toContain(`devnet (${GATEWAY_PROGRAM}): somebody else`);
    expect(lines).toContain(`  ${UPGRADE_AUTHORITY} is its upgrade authority: it can replace the program`);
    expect(lines).toContain('  last deployed in slot 0');
    expect(await trust(...on('devnet'), ...nodes.args, '--known', UPGRADE_AUTHORITY)).toMatchObject({ code: 0 });
  });
});

describe('the issuers of tokens', () => {
  const abi = parseAbi([
    'struct Charge { uint256 value; uint8 chargeType; address token; address tokenSender; address recipient; }',
    'function addGatekeeper(address gatekeeper, uint256 network)',
    'function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge charge) payable',
  ]);
  const noCharge = { value: 0n, chargeType: 0, token: zeroAddress, tokenSender: zeroAddress, recipient: zeroAddress };

  it('are shown by --scan-logs, and the ones that are not yours are named so', async () => {
    const node = openContractNode(nodes.url('sepolia'));
    const slot = slotOf(KEY) as bigint;
    const contract = { address: OWNERLESS_CONTRACT, abi, chain: null } as const;
    const add = { ...contract, functionName: 'addGatekeeper', args: [SECOND_OWNER, slot] } as const;
    await waitUntilMined(node, await node.writeContract({ ...add, account: AUTHORITY }));
    for (const wallet of [OWNER, CIVIC] as const) {
      const mint = { ...contract, functionName: 'mint', args: [wallet, slot, 0n, 0n, noCharge] } as const;
      await waitUntilMined(node, await node.writeContract({ ...mint, account: SECOND_OWNER }));
    }
    const args = [...on('sepolia'), ...nodes.args];
    expect((await trust(...args)).printed).not.toContain('issued');
    const { lines } = await trust(...args, '--scan-logs');
    expect(lines).toContain(`  ${SECOND_OWNER} issued 2 tokens, and is no account of yours`);
    expect(lines).toContain(`  ${SECOND_OWNER} is a gatekeeper`);
    const { lines: known } = await trust(...args, '--scan-logs', '--known', SECOND_OWNER);
    expect(known).toContain(`  ${SECOND_OWNER} issued 2 tokens`);
    const { printed } = await trust(...args, '--scan-logs', '--json');
    expect(JSON.parse(printed)).toMatchObject([
      { issuers: expect.arrayContaining([{ account: SECOND_OWNER, tokens: 2, isYours: false }]) },
    ]);
  });

  it('are read from the accounts of the program on Solana', async () => {
    const client = new SolanaNodeClient(nodes.url('devnet'));
    await client.send((await client.issuance(freshOwner())).wire);
    await client.call('localnet_advance', 40);
    const args = [...on('devnet'), ...nodes.args, '--known', UPGRADE_AUTHORITY, '--scan-logs', '--json'];
    const { printed } = await trust(...args);
    expect(JSON.parse(printed)).toMatchObject([
      { issuers: [{ account: GATEKEEPER.publicKey.toBase58(), tokens: 1, isYours: true }] },
    ]);
  });
});

describe('a contract that is no GatewayToken', () => {
  it.each([
    ['no contract exists', { gateway: OWNER }, /no contract exists at/],
    [
      'the code is another',
      { gateway: '0x4e59b44847b379578588920cA78FbF26c0B4956C' },
      /does not answer as GatewayToken/,
    ],
  ])('gives no verdict if %s', async (_, settings, message) => {
    const { code, printed } = await trust(...on('sepolia'), ...onCivicContract(settings));
    expect(code).toBe(1);
    expect(printed).toMatch(message);
  });
});
