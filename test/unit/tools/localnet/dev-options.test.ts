import { expect, it } from 'vitest';
import { devCommand } from '../../../../tools/localnet/commands/dev-options.ts';
import type { LocalnetFacts } from '../../../../tools/localnet/state/localnet-facts.ts';
import { workerVariablesFor } from '../../../../tools/localnet/worker.ts';
import { parseCommand } from '../../../parse-command.ts';

const parse = (args: readonly string[]) => parseCommand(devCommand, args);

it('returns the defaults if there are no arguments', () => {
  expect(parse([])).toEqual({
    port: 8787,
    state: undefined,
    rpc: {},
    localnet: undefined,
    solanaProgram: undefined,
    sandbox: false,
    kms: false,
    keys: 1,
  });
});

it('reads the endpoints by network', () => {
  const nodes = ['sepolia=http://a/?b=c', 'devnet=https://d', 'sepolia=http://e'].flatMap((node) => ['--rpc', node]);
  const { port, rpc } = parse(['--port', '80', ...nodes]);
  expect({ port, rpc }).toEqual({ port: 80, rpc: { sepolia: ['http://a/?b=c', 'http://e'], devnet: ['https://d'] } });
});

it('reads the number of keys', () => {
  expect(parse(['--keys', '4']).keys).toBe(4);
  expect(parse(['--keys', '2', '--kms'])).toMatchObject({ keys: 2, kms: true });
});

it.each([
  [['--keys', '5'], /--keys/],
  [['--keys', '3', '--kms'], /--kms has at most --keys 2/],
  [['--nope'], /unknown option '--nope'/],
  [['stray'], /too many arguments/],
  [['--port', '0'], /--port/],
  [['--port', '65536'], /--port/],
  [['--port', 'x'], /--port/],
  [['--localnet', ''], /--localnet.* must be a path/],
  [['--localnet', 'a', '--solana-program', 'b'], /--solana-program is an option of the command that starts/],
  [['--localnet', 'a', '--kms'], /--kms is an option of the command that starts.*npm run localnet -- --kms/],
  [['--sandbox', '--kms'], /--sandbox has no nodes and no keys/],
  [['--sandbox', '--keys', '2'], /--sandbox has no nodes and no keys/],
  [['--sandbox', '--localnet', 'a'], /--sandbox has no nodes and no keys/],
  [['--sandbox', '--rpc', 'sepolia=http://a'], /--sandbox has no nodes and no keys/],
  [['--rpc', 'sepolia'], /--rpc must be like/],
  [['--rpc', 'sepolia=nowhere'], /--rpc must be like/],
  [['--rpc', 'nowhere=http://a'], /--rpc: "nowhere" is not one of/],
])('refuses the arguments %j', (args, complaint) => {
  expect(() => parse(args)).toThrow(complaint);
});

it('names each mainnet with an endpoint in MAINNETS, and no testnet', () => {
  const localnet = {
    issuer: 'i',
    audience: 'a',
    jwksUrl: 'j',
    operator: { audience: 'o' },
    gatewayToken: {},
  } as LocalnetFacts;
  const { rpc } = parse(['--rpc', 'mainnet=http://a', '--rpc', 'sepolia=http://b', '--rpc', 'baseMainnet=http://c']);
  expect(workerVariablesFor(localnet, rpc).MAINNETS).toBe('mainnet baseMainnet');
  expect(workerVariablesFor(localnet, { sepolia: 'http://b' }).MAINNETS).toBe('');
});
