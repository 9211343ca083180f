import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { callNode } from '../../call-node.ts';
import { pollUntil } from '../poll-until.ts';
import {
  contractOn,
  createNetwork,
  createNetworkFirst,
  fundedAuthority,
  fundedKeyPair,
  fundOnSolana,
  network,
  stateArgs,
  useNetworkNodes,
} from './network-nodes.ts';

/** The cases in which `npm run network` sends nothing, or reports somebody else. */

const nodes = useNetworkNodes();
const stateFile = (name: string) => stateArgs(nodes, name);
const ETHEREUM = ['--network', 'sepolia', '--network', 'baseSepolia'];

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
  });

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
      /^.*none\.hex is no key: it must have 32 bytes in hex, the JSON array of solana-keygen, or the reference of a key in a KMS$/,
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
      printed: expect.stringMatching(
        /sepolia: the nodes do not answer \(it serves another chain, as eth_chainId shows\)$/m,
      ),
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
  });

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
      printed: expect.stringMatching(/nothing was changed: confirm with --yes\n$/),
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
  });
});

const readTexts = (name: string) => {
  try {
    return readFileSync(join(nodes.folder, `${name}.state.json`), 'utf8');
  } catch {
    return '';
  }
};
