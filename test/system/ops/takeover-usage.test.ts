import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { runTakeoverCommand } from '../../../ops/takeover.ts';
import { GATEKEEPER_NETWORKS } from '../../../tools/localnet/oauth/partners.ts';
import { runCommand } from './run-command.ts';

/** The command line of `npm run takeover`: one line names each fault, before the command writes a file. */

const facts = inject('gatepass');
const [KEY = ''] = GATEKEEPER_NETWORKS;
const folder = mkdtempSync(join(tmpdir(), 'gatepass-takeover-'));
afterAll(() => rmSync(folder, { recursive: true }));

const out = ['--out', join(folder, 'tokens.csv')];
const scan = (...args: readonly string[]) =>
  runCommand(runTakeoverCommand, ['scan', '--gatekeeper-network', KEY, ...args]);

it('prints its usage for --help and exits with 0', async () => {
  const { code, lines } = await runCommand(runTakeoverCommand, ['--help']);
  expect(lines[0]).toMatch(/^Usage: npm run takeover -- /);
  expect(code).toBe(0);
});

it.each([
  ['an unknown network', ['--network', 'sepolya', '--local', ...out], /"sepolya" is not one of/],
  [
    'a network without a node',
    ['--network', 'mainnet', '--rpc', 'sepolia=http://127.0.0.1:9', ...out],
    /^mainnet has no node/,
  ],
  [
    'a block that is no number',
    ['--network', 'sepolia', '--rpc', 'sepolia=http://127.0.0.1:9', '--from-block', 'x', ...out],
    /--from-block.* must be/,
  ],
  [
    'a contract that is no address',
    ['--network', 'sepolia', '--rpc', 'sepolia=http://127.0.0.1:9', '--contract', '0x12', ...out],
    /--contract.* must be 0x and 40 hex digits/,
  ],
  [
    'a folder that does not exist',
    ['--network', 'sepolia', '--rpc', 'sepolia=http://127.0.0.1:9', '--out', join(folder, 'none', 'x')],
    /cannot be written \(ENOENT\)/,
  ],
])('exits with 2 for %s', async (_, args, line) => {
  const { code, lines } = await scan(...args);
  expect([code, lines[0]]).toEqual([2, expect.stringMatching(line)]);
  expect(readdirSync(folder)).toEqual([]);
});

it('exits with 1 for a node of another chain, and prints no part of its URL', async () => {
  const url = `${facts.rpc.baseSepolia}/?key=planted7f3a9c`;
  const { code, lines } = await scan('--network', 'sepolia', '--rpc', `sepolia=${url}`, ...out);
  expect(code).toBe(1);
  expect(lines).toEqual([
    expect.stringMatching(/^sepolia: no endpoint answered: it serves another chain, as eth_chainId shows: check/),
  ]);
  expect(lines.join()).not.toContain('planted');
  expect(readdirSync(folder)).toEqual([]);
});

it('exits with 1 for a contract that does not exist', async () => {
  const contract = `0x${'12'.repeat(20)}`;
  const node = ['--network', 'sepolia', '--rpc', `sepolia=${facts.rpc.sepolia}`];
  const { code, lines } = await scan(...node, '--contract', contract, ...out);
  expect([code, lines]).toEqual([1, [`sepolia: no contract exists at ${contract}`]]);
  expect(readdirSync(folder)).toEqual([]);
});

it('reads all networks of a running service into one file', async () => {
  const localnet = join(folder, 'localnet.json');
  writeFileSync(localnet, JSON.stringify(facts));
  const { code, lines } = await scan('--network', 'enabled', '--local', '--localnet', localnet, ...out);
  expect(code, lines.join('\n')).toBe(0);
  for (const network of Object.keys(facts.rpc))
    expect(lines).toContainEqual(
      expect.stringMatching(RegExp(`^${network}: [\\d,]+ tokens, .*issued up to block [\\d,]+$`)),
    );
  expect(readdirSync(folder).toSorted()).toEqual(['localnet.json', 'tokens.csv']);
});
