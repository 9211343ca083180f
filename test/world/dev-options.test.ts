import { expect, it } from 'vitest';
import { devOptions } from './dev-options.ts';

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
