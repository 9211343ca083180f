import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { base58 } from '@scure/base';
import type { Address } from '@solana/kit';
import { createTestClient, type Hex, http, keccak256, publicActions, walletActions } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GATEKEEPER_KEYS, GATEKEEPERS } from '../../../localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPER_KEYS, SOLANA_GATEKEEPERS } from '../../../localnet/solana/gatekeepers.ts';
import { GATEWAY_PROGRAM } from '../../../localnet/solana/runtime/gateway-addresses.ts';
import { dAppAccepts } from '../../../localnet/witness/on-chain-token.ts';
import { runNetworkCommand } from '../../../ops/network/run-command.ts';
import { TransactionsFile } from '../../../ops/network/transactions-file.ts';
import { PROJECT } from '../../../scripts/wrangler.ts';
import { gatekeeperAccount } from '../../../src/chain/solana/gateway.ts';
import { callNode } from '../../call-node.ts';
import { LONG } from '../../form.ts';
import { pollUntil } from '../poll-until.ts';
import {
  contractOn,
  createNetwork,
  createNetworkFirst,
  fundedAuthority,
  fundedKeyPair,
  fundOnSolana,
  issueAndVoid,
  type NetworkNodes,
  startNetworkNodes,
} from './network-nodes.ts';
import { runCommand } from './run-command.ts';

/** `npm run network` on the real contract and the Solana program of the localnet. */

let nodes: NetworkNodes;
beforeAll(async () => {
  nodes = await startNetworkNodes({
    ETHEREUM_GATEKEEPER_KEY: GATEKEEPER_KEYS.slice(0, 2).join(' '),
    SOLANA_GATEKEEPER_KEY: SOLANA_GATEKEEPER_KEYS.slice(0, 2).join(' '),
  });
}, 60_000);
afterAll(() => nodes?.stop());

const KEYS_ON_ETHEREUM = GATEKEEPERS.slice(0, 2);
const KEYS_ON_SOLANA = SOLANA_GATEKEEPERS.slice(0, 2);
const ETHEREUM = ['--network', 'sepolia', '--network', 'baseSepolia'];

const network = (args: readonly string[]) => runCommand(runNetworkCommand, args);

/** Runs the command as a process of its own, and kills it after a time, or when it prints such a line. */
async function killAt(moment: number | RegExp, args: readonly string[]): Promise<void> {
  const program = join(PROJECT, 'ops', 'network.ts');
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const child = spawn(process.execPath, ['--no-warnings', program, ...args], { cwd: PROJECT, stdio: [...stdio] });
  const ended = once(child, 'close');
  const printed = new Promise<void>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (moment instanceof RegExp && moment.test(text)) resolve();
    });
  });
  await Promise.race([typeof moment === 'number' ? sleep(moment) : printed, ended]);
  child.kill('SIGKILL');
  await ended;
}

const stateFile = (name: string) => ['--state', join(nodes.folder, `${name}.state.json`), '--yes'];

async function isGatekeeperOnSolana(key: string, gatekeeper: string): Promise<boolean> {
  const account = gatekeeperAccount(GATEWAY_PROGRAM, gatekeeper as Address, key as Address);
  const { value } = (await callNode(nodes.url('devnet'), 'getAccountInfo', [account, { commitment: 'finalized' }])) as {
    value: { owner: string } | null;
  };
  return value?.owner === GATEWAY_PROGRAM;
}

async function countOnSolana(key: string): Promise<number> {
  const found = await callNode(nodes.url('devnet'), 'getSignaturesForAddress', [key]);
  return (found as unknown[]).length;
}

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

  beforeAll(async () => {
    ({ key, file: pair } = await fundedKeyPair(nodes, 'life'));
    authority = await fundedAuthority(nodes, 'life');
  });

  it('is created on all networks at once, with every key of the deployment', async () => {
    const created = await network([
      'create',
      key,
      '--name',
      'Acme',
      '--network',
      'enabled',
      ...nodes.args,
      ...keyFiles(),
      ...stateFile('life'),
    ]);
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
    for (const each of KEYS_ON_SOLANA) expect(await isGatekeeperOnSolana(key, each)).toBe(true);
    expect(await countOnSolana(key)).toBe(2);
  }, 60_000);

  it('is created once: the next run sends nothing', async () => {
    const again = await network([
      'create',
      key,
      '--name',
      'Acme',
      '--network',
      'enabled',
      ...nodes.args,
      ...keyFiles(),
      ...stateFile('life'),
    ]);
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
    expect([await contract.isGatekeeper(third), await isGatekeeperOnSolana(key, onSolana)]).toEqual([true, true]);
    // On the networks of the other chain, there is nothing to do.
    expect(await network(['add-gatekeeper', key, third, ...both])).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/^sepolia: no need to add the gatekeeper 0x\w+\nNothing to send\.\n$/),
    });
    expect(await network(['remove-gatekeeper', key, third, onSolana, ...both])).toMatchObject({ code: 0 });
    expect([await contract.isGatekeeper(third), await isGatekeeperOnSolana(key, onSolana)]).toEqual([false, false]);

    expect(await network(['add-authority', key, third, ...one])).toMatchObject({ code: 0 });
    expect(await contract.isAuthority(third)).toBe(true);
    expect(await network(['remove-authority', key, third, ...one])).toMatchObject({ code: 0 });
    expect(await contract.isAuthority(third)).toBe(false);

    expect(await network(['rename', key, '--name', 'Acme 2', ...one])).toMatchObject({ code: 0 });
    expect(await contract.name()).toBe('Acme 2');
    expect(await contract.sentBy(authority.address)).toBe(8);
  }, 60_000);
});

/** Each verb with the state before it, so that it has something to do. Both chains where both have it. */
const KILLED = [
  ['create', [] as string[], ['--name', 'Acme'], true],
  ['add-gatekeeper', [GATEKEEPERS[2], GATEKEEPERS[3], SOLANA_GATEKEEPERS[2]], [], true],
  ['remove-gatekeeper', [GATEKEEPERS[2], GATEKEEPERS[3], SOLANA_GATEKEEPERS[2]], [], true],
  ['add-authority', [GATEKEEPERS[2]], [], false],
  ['remove-authority', [GATEKEEPERS[2]], [], false],
  ['rename', [], ['--name', 'Acme 2'], false],
] as const;

describe('a verb that is killed at random moments', () => {
  let key: string;
  let pair: string;
  let authority: Awaited<ReturnType<typeof fundedAuthority>>;
  /** Number of transactions so far. */
  let expected = { sepolia: 0, devnet: 0 };

  beforeAll(async () => {
    ({ key, file: pair } = await fundedKeyPair(nodes, 'killed'));
    authority = await fundedAuthority(nodes, 'killed');
  });

  it.each(KILLED)(
    '%s reaches the same end, and sends nothing twice',
    async (verb, addresses, options, isOnBoth) => {
      const networks = ['--network', 'sepolia', ...(isOnBoth ? ['--network', 'devnet'] : [])];
      const keyFiles = ['--authority-key-file', authority.file, ...(isOnBoth ? ['--authority-key-file', pair] : [])];
      const args = [
        verb,
        key,
        ...addresses,
        ...options,
        ...networks,
        ...nodes.args,
        ...keyFiles,
        ...stateFile('killed'),
      ];
      // The bytes are stored and not sent; a block includes the first transaction; any moment.
      const random = Array.from({ length: LONG ? 3 : 0 }, () => 800 + Math.random() * 2_000);
      const kills = [/: sends /, /is included/, ...random];
      for (const moment of kills) await killAt(moment, args);
      const { code, printed } = await network(args);
      expect(code, `after ${kills.join()}: ${printed}`).toBe(0);

      const contract = contractOn(nodes.url('sepolia'), key);
      const [, , third = '', fourth = ''] = GATEKEEPERS;
      const [, , onSolana = ''] = SOLANA_GATEKEEPERS;
      const sent = { create: [3, 2], 'add-gatekeeper': [2, 1], 'remove-gatekeeper': [2, 1] }[verb as string] ?? [1, 0];
      expected = { sepolia: expected.sepolia + (sent[0] ?? 0), devnet: expected.devnet + (sent[1] ?? 0) };
      expect(await contract.sentBy(authority.address), `after ${kills}`).toBe(expected.sepolia);
      expect(await countOnSolana(key), `after ${kills}`).toBe(expected.devnet);
      const isThere = verb === 'add-gatekeeper';
      expect(await contract.name()).toBe(verb === 'rename' ? 'Acme 2' : 'Acme');
      for (const each of [third, fourth]) expect(await contract.isGatekeeper(each)).toBe(isThere);
      expect(await isGatekeeperOnSolana(key, onSolana)).toBe(isThere);
      expect(await contract.isAuthority(third)).toBe(verb === 'add-authority');
      expect(JSON.parse(readFileSync(join(nodes.folder, 'killed.state.json'), 'utf8'))).toEqual({ transactions: [] });
    },
    120_000,
  );
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
}, 60_000);

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
}, 60_000);

describe('a slot that somebody else takes', () => {
  const by = (one: { file: string }, ...names: string[]) => [
    ...names.flatMap((name) => ['--network', name]),
    ...nodes.args,
    '--authority-key-file',
    one.file,
    ...stateFile('taken'),
  ];

  it('is refused if they gave it an empty name, which counts as unused in an older build of the contract', async () => {
    const { key } = await fundedKeyPair(nodes, 'empty');
    const [authority, thief] = [await fundedAuthority(nodes, 'empty'), await fundedAuthority(nodes, 'emptyThief')];
    await createNetwork(nodes.url('sepolia'), readFileSync(thief.file, 'utf8') as Hex, key, '');
    const created = await network(['create', key, '--name', 'Mine', ...by(authority, 'sepolia')]);
    expect(created).toMatchObject({
      code: 1,
      printed: expect.stringContaining('somebody else already holds the slot'),
    });
    expect(await contractOn(nodes.url('sepolia'), key).sentBy(authority.address)).toBe(0);
  });

  it('is noticed if they become an authority while the command creates it', async () => {
    const { key } = await fundedKeyPair(nodes, 'race');
    const [authority, thief] = [await fundedAuthority(nodes, 'race'), await fundedAuthority(nodes, 'raceThief')];
    const url = nodes.url('baseSepolia');
    // The thief's transaction comes after the check and before that of the command.
    await callNode(url, 'evm_setIntervalMining', [0]);
    const running = network(['create', key, '--name', 'Mine', ...by(authority, 'baseSepolia')]);
    await pollUntil(
      async () => readTexts('taken'),
      (text) => text.includes('create the gatekeeper network'),
    );
    await createNetworkFirst(url, readFileSync(thief.file, 'utf8') as Hex, key);
    await callNode(url, 'evm_setIntervalMining', [1]);
    const { code, printed } = await running;
    expect([code, printed]).toEqual([1, expect.stringContaining(`${thief.address} became an authority too`)]);
  }, 60_000);

  it('cannot print control characters', async () => {
    const { key } = await fundedKeyPair(nodes, 'hostile');
    const thief = await fundedAuthority(nodes, 'hostile');
    const name = '\u001b[2J\u009b1m\n  0xdead is an authority\u202e';
    await createNetwork(nodes.url('sepolia'), readFileSync(thief.file, 'utf8') as Hex, key, name);
    for (const json of [[], ['--json']]) {
      const { code, printed } = await network(['show', key, ...json, '--network', 'sepolia', ...nodes.args]);
      expect(code).toBe(0);
      expect(printed).not.toMatch(/[^\n -~]/);
      expect(printed).not.toMatch(/^ *0xdead/m);
    }
  });
});

describe('the file of transactions', () => {
  it('is used by one process at a time, and keeps its content if a write fails', async () => {
    const path = join(nodes.folder, 'used.json');
    const transaction = {
      identifier: 'a',
      bytes: 'b',
      network: 'devnet',
      gatekeeperNetwork: 'k',
      account: 'x',
      change: 'c',
    };
    const file = await TransactionsFile.open(path);
    await file.add(transaction);
    const other = spawnSync(process.execPath, ['--no-warnings', '-e', openInAnotherProcess(path)], {
      encoding: 'utf8',
    });
    expect(other.stdout).toMatch(/process \d+ uses .*used\.json: wait until it ends/);
    mkdirSync(`${path}.${process.pid}`);
    await expect(file.add({ ...transaction, identifier: 'd' })).rejects.toThrow(
      /--state: .* cannot be written \(EISDIR\)/,
    );
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ transactions: [transaction] });
  });

  it('is refused with changed bytes, and with transactions of another gatekeeper network', async () => {
    const { key } = await fundedKeyPair(nodes, 'stale');
    const authority = await fundedAuthority(nodes, 'stale');
    const stale = {
      bytes: '0x12',
      nonce: 7,
      network: 'sepolia',
      account: authority.address,
      change: 'c',
      gatekeeperNetwork: 'other',
    };
    const path = join(nodes.folder, 'stale.state.json');
    const args = [
      'create',
      key,
      '--name',
      'A',
      '--network',
      'sepolia',
      ...nodes.args,
      '--authority-key-file',
      authority.file,
    ];
    writeFileSync(path, JSON.stringify({ transactions: [{ ...stale, identifier: '0x34' }] }));
    expect((await network([...args, '--yes', '--state', path])).printed).toMatch(/is not a file of this command/);
    writeFileSync(path, JSON.stringify({ transactions: [{ ...stale, identifier: keccak256('0x12') }] }));
    expect((await network([...args, '--yes', '--state', path])).printed).toMatch(
      /a transaction of other: finish that command first/,
    );
    const own = { ...stale, gatekeeperNetwork: key, identifier: keccak256('0x12') };
    writeFileSync(path, JSON.stringify({ transactions: [own] }));
    expect(await network([...args, '--state', path])).toMatchObject({
      code: 2,
      printed: expect.stringContaining('confirm with --yes'),
    });
    expect(await contractOn(nodes.url('sepolia'), key).sentBy(authority.address)).toBe(0);
  });
});

const openInAnotherProcess = (path: string) => `
  const { TransactionsFile } = await import(${JSON.stringify(join(PROJECT, 'ops/network/transactions-file.ts'))});
  await TransactionsFile.open(${JSON.stringify(path)}).then(() => console.log('opened'), ({ message }) => console.log(message));`;

const readTexts = (name: string) => {
  try {
    return readFileSync(join(nodes.folder, `${name}.state.json`), 'utf8');
  } catch {
    return '';
  }
};

describe('a command that is refused', () => {
  let key: string;
  let authority: Awaited<ReturnType<typeof fundedAuthority>>;
  beforeAll(async () => {
    ({ key } = await fundedKeyPair(nodes, 'refused', 0));
    authority = await fundedAuthority(nodes, 'refused');
  });
  const file = (name: string, text: string, mode = 0o600) => {
    const path = join(nodes.folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const on = (...names: string[]) => names.flatMap((name) => ['--network', name]);

  it.each<[string, () => readonly string[] | Promise<readonly string[]>, RegExp]>([
    [
      'a key file that does not exist',
      () => ['--authority-key-file', '/none', ...on('sepolia')],
      /^\/none cannot be read \(ENOENT\)$/,
    ],
    [
      'a key file that others may read',
      () => ['--authority-key-file', file('open.hex', '0x12', 0o644), ...on('sepolia')],
      /^other users may read .*open\.hex: run `chmod 600 .*`$/,
    ],
    [
      'a file without a key',
      () => ['--authority-key-file', file('none.hex', 'planted'), ...on('sepolia')],
      /^.*none\.hex is no key: it must have 32 bytes in hex, or the JSON array of solana-keygen$/,
    ],
    [
      'no key for a chain',
      () => ['--authority-key-file', authority.file, ...on('devnet')],
      /^devnet needs the key pair of the gatekeeper network in --authority-key-file$/,
    ],
    [
      'a key pair of another gatekeeper network',
      async () => ['--authority-key-file', (await fundedKeyPair(nodes, 'other')).file, ...on('devnet')],
      /^the key pair is \w+, but devnet needs that of \w+$/,
    ],
    [
      'no funds',
      async () => ['--authority-key-file', (await fundedAuthority(nodes, 'poor', '0')).file, ...on('sepolia')],
      /^sepolia: no funds: 0x\w+ has 0 coins and needs 0\.0\d+ coins$/,
    ],
    [
      'a network without nodes',
      () => ['--authority-key-file', authority.file, ...on('polygonAmoy')],
      /^polygonAmoy has no node: the localnet does not run it$/,
    ],
  ])('because of %s', async (_, options, complaint) => {
    const given = await options();
    const before = await contractOn(nodes.url('sepolia'), key).sentBy(authority.address);
    const { code, printed } = await network([
      'create',
      key,
      '--name',
      'A',
      ...given,
      ...nodes.args,
      ...stateFile('refused'),
    ]);
    expect(code).not.toBe(0);
    expect(
      printed
        .trim()
        .split('\n')
        .filter((line) => !/^(Left out|From the first)/.test(line)),
    ).toEqual([expect.stringMatching(complaint)]);
    expect(await contractOn(nodes.url('sepolia'), key).name()).toBe('');
    expect(await contractOn(nodes.url('sepolia'), key).sentBy(authority.address)).toBe(before);
  });

  it('because the node serves another chain, or is a mainnet’s, or the slot is 1', async () => {
    const wrong = [
      '--rpc',
      `sepolia=${nodes.url('baseSepolia')}`,
      ...on('sepolia'),
      '--authority-key-file',
      authority.file,
    ];
    expect(await network(['create', key, '--name', 'A', ...wrong, ...stateFile('refused')])).toMatchObject({
      code: 1,
      printed: expect.stringMatching(/sepolia: the nodes do not answer \(it serves another chain\)$/m),
    });
    const main = ['--rpc', `mainnet=${nodes.url('sepolia')}`, ...on('mainnet'), '--authority-key-file', authority.file];
    expect(await network(['create', key, '--name', 'A', ...main, ...stateFile('refused')])).toMatchObject({
      code: 2,
      printed: 'mainnet is a mainnet: add --mainnet if you mean it\n',
    });
    const slot1 = ['tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf', '--name', 'A', ...on('sepolia'), ...nodes.args];
    expect(
      await network(['create', ...slot1, '--authority-key-file', authority.file, ...stateFile('refused')]),
    ).toMatchObject({
      code: 2,
      printed: expect.stringMatching(/^this gatekeeper network has slot 1, which is for tests.*\n$/),
    });
  });

  it('because somebody else holds the slot, on a named network or on another one', async () => {
    const { key: taken } = await fundedKeyPair(nodes, 'taken');
    const thief = await fundedAuthority(nodes, 'thief');
    const by = (one: { file: string }) => ['--authority-key-file', one.file, ...nodes.args, ...stateFile('refused')];
    expect(await network(['create', taken, '--name', 'Mine', ...on('baseSepolia'), ...by(thief)])).toMatchObject({
      code: 0,
    });
    const before = await contractOn(nodes.url('sepolia'), taken).sentBy(authority.address);
    expect(await network(['create', taken, '--name', 'A', ...ETHEREUM, ...by(authority)])).toMatchObject({
      code: 1,
      printed: expect.stringContaining(
        `baseSepolia: somebody else already holds the slot: ${authority.address} is no authority of it`,
      ),
    });
    expect(await network(['create', taken, '--name', 'A', ...on('sepolia'), ...by(authority)])).toMatchObject({
      code: 1,
      printed: expect.stringMatching(
        /^somebody else already holds the slot of \w+ on baseSepolia: use a new key from keygen$/m,
      ),
    });
    expect(await network(['rename', taken, '--name', 'A', ...on('baseSepolia'), ...by(authority)])).toMatchObject({
      code: 1,
      printed: `baseSepolia: ${authority.address} is no authority of the gatekeeper network\n`,
    });
    expect(await contractOn(nodes.url('sepolia'), taken).sentBy(authority.address)).toBe(before);
    expect(await contractOn(nodes.url('sepolia'), taken).name()).toBe('');
  }, 60_000);

  it('because nobody confirms, and because the state file cannot be written', async () => {
    const args = [
      'create',
      key,
      '--name',
      'A',
      ...on('sepolia'),
      ...nodes.args,
      '--authority-key-file',
      authority.file,
    ];
    expect(await network([...args, '--state', join(nodes.folder, 'unconfirmed.json')])).toMatchObject({
      code: 2,
      printed: expect.stringMatching(/nothing was sent: confirm with --yes\n$/),
    });
    const blocked = join(authority.file, 'state.json');
    expect(await network([...args, '--yes', '--state', blocked])).toMatchObject({
      code: 1,
      printed: expect.stringMatching(/--state: .*state\.json cannot be written \(EEXIST\)\n$/),
    });
    expect(existsSync(join(nodes.folder, 'unconfirmed.json'))).toBe(false);
    expect(await contractOn(nodes.url('sepolia'), key).name()).toBe('');
  });

  it('because the key pair on Solana has no funds', async () => {
    const { key: poor, file: pair } = await fundedKeyPair(nodes, 'poorPair', 0);
    const args = ['create', poor, '--name', 'A', ...on('devnet'), ...nodes.args, '--authority-key-file', pair];
    expect(await network([...args, ...stateFile('refused')])).toMatchObject({
      code: 1,
      printed: expect.stringMatching(/devnet: no funds: \w+ has 0 SOL and needs 0\.0017 SOL\n$/),
    });
    await fundOnSolana(nodes.url('devnet'), poor, 10_000_000);
    expect(await network([...args, ...stateFile('refused')])).toMatchObject({ code: 0 });
  }, 30_000);
});
