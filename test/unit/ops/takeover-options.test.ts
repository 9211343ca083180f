import { expect, it } from 'vitest';
import { takeoverCommand } from '../../../ops/takeover.ts';
import { GATEKEEPER_NETWORKS, SANDBOX } from '../../../tools/localnet/oauth/partners.ts';
import { parseCommand } from '../../parse-command.ts';

/** The command line of `npm run takeover`. */

const KEY = GATEKEEPER_NETWORKS[0] ?? '';
const NODES = ['--network', 'sepolia', '--rpc', 'sepolia=https://node.example.com/key'];
const SCAN = ['scan', '--gatekeeper-network', KEY, '--out', 'tokens.csv'];
const parse = (args: readonly string[]) => parseCommand(takeoverCommand, args);
const GATEKEEPER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

it('reads the options of the command line', () => {
  expect(parse([...SCAN, ...NODES])).toMatchObject({
    gatekeeperNetwork: KEY,
    out: expect.stringMatching(/\/tokens\.csv$/),
    nodes: { networks: ['sepolia'], source: { type: 'urls' } },
    fromBlock: undefined,
    byIndex: false,
    gatekeepers: [],
  });
  const more = [
    '--contract',
    GATEKEEPER.toLowerCase(),
    '--from-block',
    '12',
    '--gatekeeper',
    GATEKEEPER.toLowerCase(),
    '--gatekeeper',
    GATEKEEPER,
  ];
  expect(parse([...SCAN, ...NODES, ...more])).toMatchObject({
    nodes: { contract: GATEKEEPER },
    fromBlock: 12,
    gatekeepers: [GATEKEEPER],
  });
  expect(parse([...SCAN, '--network', 'enabled', '--local', '--by-index'])).toMatchObject({
    nodes: { networks: 'enabled' },
    byIndex: true,
  });
});

it.each([
  [[], /outputHelp/],
  [['scam'], /unknown command 'scam'/],
  [['scan', ...NODES, '--out', 'x'], /required option '--gatekeeper-network <key>'/],
  [['scan', ...NODES, '--gatekeeper-network', KEY], /required option '--out <file>'/],
  [['scan', ...NODES, '--out', 'x', '--gatekeeper-network', KEY.slice(1)], /32 bytes in base58/],
  [['scan', ...NODES, '--out', 'x', '--gatekeeper-network', SANDBOX], /It is a sandbox, which no chain has/],
  [['scan', ...NODES, '--out', 'x', '--gatekeeper-network', `${'1'.repeat(31)}2`], /the first 24 are not all zero/],
  [[...SCAN, '--network', 'sepolia'], /name one of --local, --env, --rpc/],
  [[...SCAN, '--rpc', 'sepolia=https://node.example.com'], /required option '--network <name>'/],
  [[...SCAN, '--network', 'sepolya', '--local'], /--network.* "sepolya" is not one of/],
  [[...SCAN, ...NODES, '--from-block', 'latest'], /--from-block.* must be a whole number/],
  [[...SCAN, ...NODES, '--from-block', '-1'], /from-block/],
  [[...SCAN, ...NODES, '--from-block', '1', '--by-index'], /--by-index reads no logs/],
  [[...SCAN, ...NODES, '--network', 'mainnet', '--from-block', '1'], /requires a single --network/],
  [[...SCAN, '--network', 'enabled', '--local', '--from-block', '1'], /requires a single --network/],
  [[...SCAN, ...NODES, '--gatekeeper', 'acme'], /--gatekeeper .*'acme' is invalid. It must be an address/],
  [[...SCAN, ...NODES, '--nope'], /unknown option '--nope'/],
])('refuses the arguments %j', (args, complaint) => {
  expect(() => parse(args)).toThrow(complaint);
});
