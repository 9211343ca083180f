import { expect, it } from 'vitest';
import { devOptions } from '../../../localnet/commands/dev-options.ts';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';
import { workerVariables } from '../../../localnet/worker.ts';

it('has defaults', () => {
  expect(devOptions([])).toEqual({
    port: 8787,
    state: undefined,
    rpc: {},
    localnet: undefined,
    solanaProgram: undefined,
  });
});

it('takes endpoints by network', () => {
  const { port, rpc } = devOptions(['--port', '80', '--rpc', 'sepolia=http://a/?b=c', '--rpc', 'devnet=https://d']);
  expect({ port, rpc }).toEqual({ port: 80, rpc: { sepolia: 'http://a/?b=c', devnet: 'https://d' } });
});

it.each([
  [['--nope'], /Unknown option '--nope'/],
  [['stray'], /Unexpected argument 'stray'/],
  [['--port', '0'], /--port/],
  [['--port', '65536'], /--port/],
  [['--port', 'x'], /--port/],
  [['--localnet', ''], /--localnet must name a file/],
  [['--localnet', 'a', '--solana-program', 'b'], /--solana-program is for who starts the localnet/],
  [['--rpc', 'sepolia'], /--rpc must be like/],
  [['--rpc', 'sepolia=nowhere'], /--rpc must be like/],
  [['--rpc', 'nowhere=http://a'], /no network "nowhere"/],
])('refuses %j', (args, complaint) => {
  expect(() => devOptions(args)).toThrow(complaint);
});

it('takes endpoints of a mainnet as its explicit switch, and needs none for a testnet', () => {
  const localnet = { issuer: 'i', audience: 'a', jwksUrl: 'j', operator: { audience: 'o' } } as LocalnetFacts;
  const { rpc } = devOptions([
    '--rpc',
    'mainnet=http://a',
    '--rpc',
    'sepolia=http://b',
    '--rpc',
    'baseMainnet=http://c',
  ]);
  expect(workerVariables(localnet, rpc).MAINNETS).toBe('mainnet baseMainnet');
  expect(workerVariables(localnet, { sepolia: 'http://b' }).MAINNETS).toBe('');
});
