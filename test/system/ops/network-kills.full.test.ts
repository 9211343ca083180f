import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keccak256 } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { TransactionsFile } from '../../../ops/network/transactions-file.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { LONG } from '../../form.ts';
import { randomFrom } from '../faults/random.ts';
import { killNetworkAt } from './kill-network.ts';
import {
  contractOn,
  countOnSolana,
  fundedAuthority,
  fundedKeyPair,
  isGatekeeperOnSolana,
  network,
  stateArgs,
  useNetworkNodes,
} from './network-nodes.ts';

/** `npm run network` when it is killed, and its file of transactions. */

const random = randomFrom(118);
const nodes = useNetworkNodes();
const stateFile = (name: string) => stateArgs(nodes, name);

/** Each verb with the state before it, so that it has something to do. Both chains where both have it. */
const KILLED = [
  ['create', [] as string[], ['--name', 'Acme'], true],
  ['add-gatekeeper', [GATEKEEPERS[2], GATEKEEPERS[3], SOLANA_GATEKEEPERS[2]], [], true],
  ['remove-gatekeeper', [GATEKEEPERS[2], GATEKEEPERS[3], SOLANA_GATEKEEPERS[2]], [], true],
  ['add-authority', [GATEKEEPERS[2]], [], false],
  ['remove-authority', [GATEKEEPERS[2]], [], false],
  ['rename', [], ['--name', 'Acme 2'], false],
] as const;

/** The short form kills one verb on both chains, after the verbs that lead to the state before it. */
const FIRST_KILLED = LONG ? 0 : 1;
const VERBS = LONG ? KILLED : KILLED.slice(0, FIRST_KILLED + 1);

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

  it.each(VERBS)('%s reaches the same end, and sends nothing twice', async (verb, addresses, options, isOnBoth) => {
    const networks = ['--network', 'sepolia', ...(isOnBoth ? ['--network', 'devnet'] : [])];
    const keyFiles = ['--authority-key-file', authority.file, ...(isOnBoth ? ['--authority-key-file', pair] : [])];
    const args = [verb, key, ...addresses, ...options, ...networks, ...nodes.args, ...keyFiles, ...stateFile('killed')];
    // The bytes are stored and not sent; a block includes the first transaction; any moment.
    const anyMoments = Array.from({ length: LONG ? 3 : 0 }, () => 800 + random.below(2_000));
    const isKilled = VERBS.findIndex(([each]) => each === verb) >= FIRST_KILLED;
    const kills = isKilled ? [/: sends /, /is included/, ...anyMoments] : [];
    for (const moment of kills) await killNetworkAt(moment, args);
    const { code, printed } = await network(args);
    expect(code, `after ${kills.join()}: ${printed}`).toBe(0);

    const contract = contractOn(nodes.url('sepolia'), key);
    const [, , third = '', fourth = ''] = GATEKEEPERS;
    const [, , onSolana = ''] = SOLANA_GATEKEEPERS;
    const sent = { create: [3, 2], 'add-gatekeeper': [2, 1], 'remove-gatekeeper': [2, 1] }[verb as string] ?? [1, 0];
    expected = { sepolia: expected.sepolia + (sent[0] ?? 0), devnet: expected.devnet + (sent[1] ?? 0) };
    expect(await contract.sentBy(authority.address), `after ${kills}`).toBe(expected.sepolia);
    expect(await countOnSolana(nodes.url('devnet'), key), `after ${kills}`).toBe(expected.devnet);
    const isThere = verb === 'add-gatekeeper';
    expect(await contract.name()).toBe(verb === 'rename' ? 'Acme 2' : 'Acme');
    for (const each of [third, fourth]) expect(await contract.isGatekeeper(each)).toBe(isThere);
    expect(await isGatekeeperOnSolana(nodes.url('devnet'), key, onSolana)).toBe(isThere);
    expect(await contract.isAuthority(third)).toBe(verb === 'add-authority');
    expect(JSON.parse(readFileSync(join(nodes.folder, 'killed.state.json'), 'utf8'))).toEqual({ transactions: [] });
  });
});

describe('the file of transactions', () => {
  it('is used by one process at a time, and keeps its content if a write fails', async () => {
    const path = join(nodes.folder, 'used.json');
    const transaction = {
      identifier: 'a',
      bytes: 'b',
      network: 'devnet',
      subject: 'k',
      account: 'x',
      change: 'c',
    };
    const file = await TransactionsFile.open(path);
    await file.add(transaction);
    const other = spawnSync(process.execPath, ['--no-warnings', '-e', openInAnotherProcess(path)], {
      encoding: 'utf8',
    });
    expect(other.stdout).toMatch(/process \d+ uses .*used\.json: wait until it ends/);
    mkdirSync(`${path}.new`);
    await expect(file.add({ ...transaction, identifier: 'd' })).rejects.toThrow(
      /--state: .* cannot be written \(\w*EISDIR\)/,
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
      subject: 'other',
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
    const own = { ...stale, subject: key, identifier: keccak256('0x12') };
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
