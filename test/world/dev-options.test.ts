import { expect, it } from 'vitest';
import { devOptions } from './dev-options.ts';
import { workerVariables } from './worker.ts';
import type { WorldFacts } from './world-facts.ts';

it('has defaults', () => {
  expect(devOptions([])).toEqual({ port: 8787, state: undefined, rpc: {}, world: undefined, solanaProgram: undefined });
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
  [['--world', ''], /--world must name a file/],
  [['--world', 'a', '--solana-program', 'b'], /--solana-program is for who starts the world/],
  [['--rpc', 'sepolia'], /--rpc must be like/],
  [['--rpc', 'sepolia=nowhere'], /--rpc must be like/],
  [['--rpc', 'nowhere=http://a'], /no network "nowhere"/],
])('refuses %j', (args, complaint) => {
  expect(() => devOptions(args)).toThrow(complaint);
});

it('takes endpoints of a mainnet as its explicit switch, and needs none for a testnet', () => {
  const world = { issuer: 'i', audience: 'a', jwksUrl: 'j', operator: { audience: 'o' } } as WorldFacts;
  const { rpc } = devOptions([
    '--rpc',
    'mainnet=http://a',
    '--rpc',
    'sepolia=http://b',
    '--rpc',
    'baseMainnet=http://c',
  ]);
  expect(workerVariables(world, rpc).MAINNETS).toBe('mainnet baseMainnet');
  expect(workerVariables(world, { sepolia: 'http://b' }).MAINNETS).toBe('');
});
