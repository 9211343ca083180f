import { expect, it } from 'vitest';
import { GATEKEEPER_NETWORKS } from '../../../localnet/oauth/partners.ts';
import { parseTakeoverCommand } from '../../../ops/takeover/options.ts';

/** The command line of `npm run takeover`. */

const KEY = GATEKEEPER_NETWORKS[0] ?? '';
const NODES = ['--network', 'sepolia', '--rpc', 'sepolia=https://node.example.com/key'];
const SCAN = ['scan', '--gatekeeper-network', KEY, '--out', 'tokens.csv'];
const GATEKEEPER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

it('reads the options of the command line', () => {
  expect(parseTakeoverCommand([...SCAN, ...NODES])).toMatchObject({
    gatekeeperNetwork: KEY,
    out: expect.stringMatching(/\/tokens\.csv$/),
    nodes: { networks: ['sepolia'], source: { type: 'urls' } },
    fromBlock: undefined,
    byIndex: false,
    gatekeepers: [],
  });
  const more = ['--from-block', '12', '--gatekeeper', GATEKEEPER.toLowerCase(), '--gatekeeper', GATEKEEPER];
  expect(parseTakeoverCommand([...SCAN, ...NODES, ...more])).toMatchObject({
    fromBlock: 12,
    gatekeepers: [GATEKEEPER],
  });
  expect(parseTakeoverCommand([...SCAN, '--network', 'enabled', '--local', '--by-index'])).toMatchObject({
    nodes: { networks: 'enabled' },
    byIndex: true,
  });
});

it.each([
  [[], /^Usage: npm run takeover/],
  [['scam'], /^Usage/],
  [['scan', ...NODES, '--out', 'x'], /^Usage/],
  [['scan', ...NODES, '--gatekeeper-network', KEY], /^Usage/],
  [['scan', ...NODES, '--out', 'x', '--gatekeeper-network', KEY.slice(1)], /32 bytes in base58/],
  [['scan', ...NODES, '--out', 'x', '--gatekeeper-network', `${'1'.repeat(31)}2`], /the first 24 are not all zero/],
  [[...SCAN, '--network', 'sepolia'], /name the nodes with one of --local, --env NAME, or --rpc NETWORK=URL/],
  [[...SCAN, '--rpc', 'sepolia=https://node.example.com'], /name a network with --network/],
  [[...SCAN, '--network', 'sepolya', '--local'], /--network: "sepolya" is not one of/],
  [[...SCAN, ...NODES, '--from-block', 'latest'], /--from-block must be the number of a block/],
  [[...SCAN, ...NODES, '--from-block', '-1'], /from-block/],
  [[...SCAN, ...NODES, '--from-block', '1', '--by-index'], /--by-index reads no logs/],
  [[...SCAN, ...NODES, '--network', 'mainnet', '--from-block', '1'], /requires a single --network/],
  [[...SCAN, '--network', 'enabled', '--local', '--from-block', '1'], /requires a single --network/],
  [[...SCAN, ...NODES, '--gatekeeper', 'acme'], /--gatekeeper: "acme" is not an address/],
  [[...SCAN, ...NODES, '--nope'], /^Unknown option '--nope'.*\nUsage: npm run takeover/],
])('refuses the arguments %j', (args, complaint) => {
  expect(() => parseTakeoverCommand(args)).toThrow(complaint);
  expect(() => parseTakeoverCommand(args)).toThrow(expect.objectContaining({ exitCode: 2 }));
});
