import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { createTestClient, type Hex, http, publicActions, walletActions } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { GATEWAY_PROGRAM } from '../../../tools/localnet/solana/runtime/gateway-addresses.ts';
import { dAppAccepts } from '../../../tools/localnet/witness/on-chain-token.ts';
import {
  contractOn,
  countOnSolana,
  fundedAuthority,
  fundedKeyPair,
  isGatekeeperOnSolana,
  issueAndVoid,
  KEYS_ON_ETHEREUM,
  KEYS_ON_SOLANA,
  network,
  stateArgs,
  useNetworkNodes,
} from './network-nodes.ts';

/** `npm run network` on the real contract and the Solana program of the localnet. */

const nodes = useNetworkNodes();
const stateFile = (name: string) => stateArgs(nodes, name);
const ETHEREUM = ['--network', 'sepolia', '--network', 'baseSepolia'];

describe('keygen', () => {
  it('writes a key pair for its owner only, and never overwrites it', async () => {
    const file = join(nodes.folder, 'new.json');
    const { code, printed } = await network(['keygen', '--out', file]);
    expect(code).toBe(0);
    const bytes = Uint8Array.from(JSON.parse(readFileSync(file, 'utf8')) as number[]);
    expect(bytes).toHaveLength(64);
    const key = base58.encode(bytes.subarray(32));
    expect(printed).toContain(`gatekeeper network: ${key}`);
    expect(printed).toContain(`0x${BigInt(`0x${Buffer.from(bytes.subarray(32)).toString('hex')}`).toString(16)}`);
    expect(printed).not.toContain(String(bytes.slice(0, 4)));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await network(['keygen', '--out', file])).toMatchObject({
      code: 2,
      printed: expect.stringContaining('exists already'),
    });
    expect(Uint8Array.from(JSON.parse(readFileSync(file, 'utf8')) as number[])).toEqual(bytes);
  });
});

describe('the life of a gatekeeper network', () => {
  let key: string;
  let pair: string;
  let authority: Awaited<ReturnType<typeof fundedAuthority>>;
  const keyFiles = () => ['--authority-key-file', authority.file, '--authority-key-file', pair];

  const everywhere = () => ['--network', 'enabled', ...nodes.args, ...keyFiles()];
  const creation = () => ['create', key, '--name', 'Acme', ...everywhere(), ...stateFile('life')];

  beforeAll(async () => {
    ({ key, file: pair } = await fundedKeyPair(nodes, 'life'));
    authority = await fundedAuthority(nodes, 'life');
  });

  it('is created on all networks at once, with every key of the deployment', async () => {
    const created = await network(creation());
    expect(created).toMatchObject({ code: 0 });
    expect(created.printed).toMatch(/create the gatekeeper network "Acme", for about 0\.0\d+ coins/);
    expect(created.printed).toMatch(
      /Left out and not checked, because there is no node that answers: mainnet, polygonAmoy/,
    );
    for (const name of ['sepolia', 'baseSepolia']) {
      const contract = contractOn(nodes.url(name), key);
      expect(await contract.name()).toBe('Acme');
      for (const each of KEYS_ON_ETHEREUM) expect(await contract.isGatekeeper(each)).toBe(true);
      expect(await contract.isAuthority(authority.address)).toBe(true);
      expect(await contract.sentBy(authority.address)).toBe(3);
    }
    for (const each of KEYS_ON_SOLANA) expect(await isGatekeeperOnSolana(nodes.url('devnet'), key, each)).toBe(true);
    expect(await countOnSolana(nodes.url('devnet'), key)).toBe(2);
  });

  it('is created once: the next run sends nothing', async () => {
    const again = await network(creation());
    expect(again).toMatchObject({ code: 0, printed: expect.stringContaining('Nothing to send.') });
    expect(await contractOn(nodes.url('sepolia'), key).sentBy(authority.address)).toBe(3);
  });

  it('is shown as the chains have it', async () => {
    const { code, printed } = await network([
      'show',
      key,
      '--json',
      '--network',
      'enabled',
      ...nodes.args,
      ...keyFiles(),
    ]);
    expect(code).toBe(0);
    const onEthereum = {
      exists: true,
      name: 'Acme',
      authority: { address: authority.address, isAuthority: true },
      gatekeepers: KEYS_ON_ETHEREUM.map((address) => ({ address, isAuthorized: true })),
      features: [],
      block: expect.any(Number),
    };
    expect(JSON.parse(printed)).toMatchObject([
      {
        network: 'devnet',
        readFrom: GATEWAY_PROGRAM,
        exists: true,
        gatekeepers: KEYS_ON_SOLANA.map((address) => ({ address, isAuthorized: true })),
      },
      { network: 'sepolia', ...onEthereum },
      { network: 'baseSepolia', ...onEthereum },
    ]);
  });

  it('gets and loses gatekeepers, authorities and a name', async () => {
    const contract = contractOn(nodes.url('sepolia'), key);
    const [, , third = ''] = GATEKEEPERS;
    const [, , onSolana = ''] = SOLANA_GATEKEEPERS;
    const both = ['--network', 'sepolia', '--network', 'devnet', ...nodes.args, ...keyFiles(), ...stateFile('life')];
    const one = ['--network', 'sepolia', ...nodes.args, '--authority-key-file', authority.file, ...stateFile('life')];

    expect(await network(['add-gatekeeper', key, third, onSolana, ...both])).toMatchObject({ code: 0 });
    expect([
      await contract.isGatekeeper(third),
      await isGatekeeperOnSolana(nodes.url('devnet'), key, onSolana),
    ]).toEqual([true, true]);
    // On the networks of the other chain, there is nothing to do.
    expect(await network(['add-gatekeeper', key, third, ...both])).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/^sepolia: no need to add the gatekeeper 0x\w+\nNothing to send\.\n$/),
    });
    expect(await network(['remove-gatekeeper', key, third, onSolana, ...both])).toMatchObject({ code: 0 });
    expect([
      await contract.isGatekeeper(third),
      await isGatekeeperOnSolana(nodes.url('devnet'), key, onSolana),
    ]).toEqual([false, false]);

    expect(await network(['add-authority', key, third, ...one])).toMatchObject({ code: 0 });
    expect(await contract.isAuthority(third)).toBe(true);
    expect(await network(['remove-authority', key, third, ...one])).toMatchObject({ code: 0 });
    expect(await contract.isAuthority(third)).toBe(false);

    expect(await network(['rename', key, '--name', 'Acme 2', ...one])).toMatchObject({ code: 0 });
    expect(await contract.name()).toBe('Acme 2');
    expect(await contract.sentBy(authority.address)).toBe(8);
  });
});

it('another account executes the calldata with the same end', async () => {
  const { key } = await fundedKeyPair(nodes, 'safe');
  const client = createTestClient({ mode: 'anvil', transport: http(nodes.url('sepolia')), pollingInterval: 50 })
    .extend(publicActions)
    .extend(walletActions);
  const [, , , safe] = (await client.getAddresses()) as Hex[];
  const file = join(nodes.folder, 'batch.json');
  const given = ['--authority', String(safe), '--calldata', file, ...nodes.args];
  const written = await network(['create', key, '--name', 'Safe', ...ETHEREUM, ...given]);
  expect(written).toMatchObject({ code: 0, printed: expect.stringContaining('Nothing was sent') });
  expect(await network(['create', key, '--name', 'Safe', ...ETHEREUM, ...given])).toMatchObject({ code: 1 });

  const batch = JSON.parse(readFileSync(join(nodes.folder, 'batch.sepolia.json'), 'utf8'));
  expect(batch).toMatchObject({ version: '1.0', chainId: '11155111', meta: { name: expect.any(String) } });
  expect(JSON.parse(readFileSync(join(nodes.folder, 'batch.baseSepolia.json'), 'utf8')).chainId).toBe('84532');
  for (const { to, value, data } of batch.transactions as { to: Hex; value: string; data: Hex }[]) {
    const hash = await client.sendTransaction({ account: safe as Hex, chain: null, to, value: BigInt(value), data });
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
  }
  const contract = contractOn(nodes.url('sepolia'), key);
  expect(await contract.name()).toBe('Safe');
  for (const each of KEYS_ON_ETHEREUM) expect(await contract.isGatekeeper(each)).toBe(true);
  expect(await contract.isAuthority(String(safe))).toBe(true);
});

it('the removal of a gatekeeper tells how many tokens it voids, if the gatekeeper network has that feature', async () => {
  const { key } = await fundedKeyPair(nodes, 'voiding');
  const authority = await fundedAuthority(nodes, 'voiding');
  const by = ['--network', 'sepolia', ...nodes.args, '--authority-key-file', authority.file, ...stateFile('voiding')];
  expect(await network(['create', key, authority.address, GATEKEEPERS[2], '--name', 'Voiding', ...by])).toMatchObject({
    code: 0,
  });
  const wallets = GATEKEEPERS.slice(0, 3);
  await issueAndVoid(nodes.url('sepolia'), readFileSync(authority.file, 'utf8') as Hex, key, wallets);
  const [shown] = JSON.parse((await network(['show', key, '--json', '--network', 'sepolia', ...nodes.args])).printed);
  expect(shown.features).toEqual(['removing a gatekeeper voids its tokens']);
  const removed = await network(['remove-gatekeeper', key, authority.address, GATEKEEPERS[2], ...by]);
  expect(removed.code, removed.printed).toBe(0);
  // One of the three tokens is revoked.
  expect(removed.printed).toContain(`sepolia: removing ${authority.address} voids 2 tokens`);
  expect(removed.printed).toContain(`sepolia: removing ${GATEKEEPERS[2]} voids 0 tokens`);
  for (const wallet of wallets) expect(await dAppAccepts(nodes.url('sepolia'), wallet, key)).toBe(false);
});
