import { expect, it } from 'vitest';
import { networkCommand } from '../../../ops/network/commands.ts';
import { SANDBOX } from '../../../tools/localnet/oauth/partners.ts';
import { parseCommand } from '../../parse-command.ts';

const KEY = 'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD';
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const ON_SOLANA = '586Z7H2vpX9qNhN2T4e9Utugie3ogjbxzGaMtM3E6HR5';
const parse = (args: readonly string[]) => parseCommand(networkCommand, args);
const NODES = ['--network', 'sepolia', '--local'];
const SENDER = [...NODES, '--authority-key-file', '/k'];

it('reads a change with its networks, nodes and key files', () => {
  const args = ['create', KEY, ADDRESS, ON_SOLANA, '--name', 'Acme', '--network', 'sepolia', '--network', 'devnet'];
  const sender = ['--env', 'production', '--secrets', '/s', '--authority-key-file', '/a', '--authority-key-file', '/b'];
  expect(parse([...args, ...sender, '--state', '/t', '--yes', '--mainnet'])).toEqual({
    type: 'create',
    key: KEY,
    addresses: [ADDRESS, ON_SOLANA],
    name: 'Acme',
    nodes: {
      networks: ['sepolia', 'devnet'],
      source: { type: 'environment', environment: 'production', secrets: '/s' },
    },
    keyFiles: ['/a', '/b'],
    authority: undefined,
    calldata: undefined,
    state: '/t',
    yes: true,
    isDryRun: false,
    mainnet: true,
  });
});

it('reads a deployment, which has no admin unless one is named', () => {
  const deployment = {
    type: 'deploy',
    nodes: { networks: ['sepolia'] },
    keyFile: '/k',
    state: '/t',
    calldata: undefined,
  };
  const own = {
    adminWithoutCode: false,
    factory: undefined,
    bringDeployer: false,
    json: false,
    mainnet: false,
    isDryRun: false,
  };
  const args = ['deploy', ...NODES, '--key-file', '/k', '--state', '/t'];
  for (const admin of [[], ['--admin', 'none']])
    expect(parse([...args, ...admin])).toMatchObject({ ...deployment, ...own, admin: undefined });
  const flags = ['--admin', ADDRESS, '--admin-without-code', '--factory', ADDRESS, '--json', '--mainnet', '--yes'];
  expect(parse([...args, ...flags])).toMatchObject({
    ...deployment,
    ...{ admin: ADDRESS, adminWithoutCode: true, factory: ADDRESS, json: true, mainnet: true, yes: true },
  });
  expect(parse([...args, '--bring-deployer'])).toMatchObject({ ...deployment, bringDeployer: true });
});

it.each(['uniswap', 'erc3643'])('reads the deployment for %s, which has no owner unless one is named', (kind) => {
  const args = ['adapter', kind, KEY, ...NODES, '--key-file', '/k', '--state', '/t'];
  const deployment = { type: 'adapter', nodes: { networks: ['sepolia'] }, keyFile: '/k', state: '/t' };
  for (const owner of [[], ['--owner', 'none']])
    expect(parse([...args, ...owner])).toMatchObject({
      ...deployment,
      adapter: { kind, key: KEY, owner: undefined },
      ...{ ownerWithoutCode: false, factory: undefined, bringDeployer: false, json: false },
    });
  const flags = ['--owner', ADDRESS, '--owner-without-code', '--contract', ADDRESS, '--json', '--mainnet', '--yes'];
  expect(parse([...args, ...flags])).toMatchObject({
    ...deployment,
    adapter: { kind, key: KEY, owner: ADDRESS },
    nodes: { contract: ADDRESS },
    ...{ ownerWithoutCode: true, json: true, mainnet: true, yes: true },
  });
});

it('reads the deployment of a token and of a verdict contract, which need an owner', () => {
  const sender = [...NODES, '--key-file', '/k', '--owner', ADDRESS];
  expect(parse(['adapter', 'erc7943', KEY, ...sender, '--name', 'Acme Fund', '--symbol', 'ACME'])).toMatchObject({
    type: 'adapter',
    adapter: { kind: 'erc7943', key: KEY, owner: ADDRESS, name: 'Acme Fund', symbol: 'ACME' },
  });
  expect(parse(['adapter', 'verdicts', ...sender, '--verdict-key', ADDRESS])).toMatchObject({
    type: 'adapter',
    adapter: { kind: 'verdicts', owner: ADDRESS, verdictKey: ADDRESS },
  });
});

it('reads the nodes from URLs, several of one network in order', () => {
  const urls = ['--rpc', 'sepolia=https://a.io/k', '--rpc', 'sepolia=http://b.io', '--rpc', 'devnet=https://c.io'];
  expect(parse(['show', KEY, '--network', 'enabled', ...urls])).toMatchObject({
    nodes: {
      networks: 'enabled',
      source: { type: 'urls', rpc: { sepolia: ['https://a.io/k', 'http://b.io'], devnet: ['https://c.io'] } },
    },
  });
});

it('reads whom to trust, with the operator’s accounts', () => {
  const known = ['--known', ADDRESS, '--known', ON_SOLANA];
  expect(parse(['trust', KEY, ...NODES, ...known, '--scan-logs', '--json'])).toEqual({
    type: 'trust',
    key: KEY,
    nodes: { networks: ['sepolia'], source: { type: 'local', localnet: expect.any(String) } },
    keyFiles: [],
    authority: undefined,
    known: [ADDRESS, ON_SOLANA],
    scanLogs: true,
    json: true,
  });
});

it.each<[string[], RegExp]>([
  [[], /outputHelp/],
  [['destroy', KEY], /unknown command 'destroy'/],
  [['keygen'], /required option '--out <file>'/],
  [['keygen', '--out', ' '], /It must be a path/],
  [['show', ...NODES], /missing required argument 'key'/],
  [['show', KEY.slice(1), ...NODES], /32 bytes in base58/],
  [['show', SANDBOX, ...NODES], /It is a sandbox, which no chain has/],
  [['show', '11111111111111111111111111111112', ...NODES], /the first 24 are not all zero/],
  [['show', KEY, '--local'], /required option '--network <name>'/],
  [['show', KEY, '--network', 'sepolia'], /one of --local, --env, --rpc/],
  [['show', KEY, ...NODES, '--env', 'staging'], /one of --local/],
  [['show', KEY, '--local', '--network', 'nowhere'], /--network.* "nowhere" is not one of mainnet-beta/],
  [['show', KEY, ...NODES, '--network', 'enabled'], /already names every network/],
  [['show', KEY, ...NODES, '--secrets', '/s'], /--secrets requires --env/],
  [['show', KEY, '--network', 'sepolia', '--rpc', 'sepolia=ftp://x'], /--rpc must be like/],
  [['show', KEY, '--network', 'sepolia', '--rpc', 'nowhere=http://x.io'], /--rpc: "nowhere" is not one of/],
  [['trust', KEY, '--local'], /required option '--network <name>'/],
  [['trust', KEY, ...NODES, '--known', '0x12'], /'0x12' is invalid. It must be an address/],
  [['trust', KEY, ...NODES, ADDRESS], /too many arguments/],
  [['show', KEY, ...NODES, '--mainnet'], /unknown option '--mainnet'/],
  [['show', KEY, ...NODES, '--authority', '0x12'], /'0x12' is invalid. It must be an address/],
  [['show', KEY, ...NODES, '--authority', ON_SOLANA], /address of an Ethereum-type network/],
  [
    ['show', KEY, ...SENDER, '--authority', ADDRESS],
    /'--authority <address>' cannot be used with option '--authority-key-file <file>'/,
  ],
  [['adapter', 'other', KEY, ...NODES, '--key-file', '/k'], /unknown command 'other'/],
  [['adapter'], /outputHelp/],
  [['adapter', 'erc7943', KEY, ...NODES, '--key-file', '/k', '--name', 'A', '--symbol', 'A'], /'--owner <address>'/],
  [
    ['adapter', 'erc7943', KEY, ...NODES, '--key-file', '/k', '--owner', 'none'],
    /'none' is invalid. It must be an address/,
  ],
  [['adapter', 'verdicts', ...NODES, '--key-file', '/k', '--owner', ADDRESS], /'--verdict-key <address>'/],
  [['adapter', 'verdicts', KEY, ...NODES, '--owner', ADDRESS, '--verdict-key', ADDRESS], /too many arguments/],
  [['adapter', 'uniswap', ...NODES, '--key-file', '/k'], /missing required argument 'key'/],
  [['adapter', 'uniswap', KEY, ...NODES], /--key-file FILE, or write the calls with --calldata FILE/],
  [['adapter', 'uniswap', SANDBOX, ...NODES, '--key-file', '/k'], /It is a sandbox, which no chain has/],
  [
    ['adapter', 'uniswap', KEY, ...NODES, '--key-file', '/k', '--owner', ON_SOLANA],
    /address of an Ethereum-type network/,
  ],
  [['create', KEY, ...SENDER], /required option '--name <name>'/],
  [['create', KEY, ...SENDER, '--name', ' '], /--name.* must not be empty/],
  [['create', KEY, ...SENDER, '--name', '--yes'], /--name needs a value/],
  [['create', KEY, ...SENDER, '--name', 'A', '--calldata', '--yes'], /--calldata.* must be a path/],
  [['create', KEY, ...SENDER, '--name', 'a\nb'], /must not contain control characters/],
  [['create', KEY, ...SENDER, '--name', 'a'.repeat(101)], /at most 100 characters/],
  [['create', KEY, ...NODES, '--name', 'A'], /--authority-key-file FILE/],
  [['create', KEY, ...NODES, '--name', 'A', '--authority', ADDRESS], /--authority sends nothing/],
  [['create', KEY, ...SENDER, '--name', 'A', '--json'], /unknown option '--json'/],
  [['add-gatekeeper', KEY, 'x', ...SENDER], /'x' is invalid.* It must be an address/],
  [['add-gatekeeper', KEY, ...SENDER, '--name', 'A'], /unknown option '--name'/],
  [['remove-gatekeeper', KEY, ...SENDER], /missing required argument 'address'/],
  [['add-authority', KEY, ...SENDER], /missing required argument 'address'/],
  [['add-authority', KEY, ON_SOLANA, ...SENDER], /Solana has no authorities/],
  [['rename', KEY, ADDRESS, ...SENDER, '--name', 'A'], /too many arguments/],
  [['deploy', ...NODES], /with --key-file FILE, or write the calls with --calldata FILE/],
  [['deploy', ...NODES, '--key-file', '/k', '--calldata', '/c'], /with --key-file FILE, or write the calls/],
  [['deploy', KEY, ...NODES, '--key-file', '/k'], /too many arguments/],
  [['deploy', ...NODES, '--key-file', '/k', '--admin', '0x12'], /'0x12' is invalid. It must be an address/],
  [['deploy', ...NODES, '--key-file', '/k', '--admin', ON_SOLANA], /address of an Ethereum-type network/],
  [['deploy', ...NODES, '--key-file', '/k', '--admin', `0x${'0'.repeat(40)}`], /is invalid. It must be an address/],
  [['deploy', ...NODES, '--key-file', '/k', '--factory', 'none'], /'none' is invalid. It must be an address/],
  [['deploy', ...NODES, '--key-file', '/k', '--factory', ADDRESS, '--bring-deployer'], /--bring-deployer is for/],
  [['deploy', ...NODES, '--calldata', '/c', '--bring-deployer'], /--bring-deployer is for --key-file/],
  [['show', KEY, ...NODES, '--nope'], /unknown option '--nope'/],
])('refuses the arguments %j', (args, complaint) => {
  expect(() => parse(args)).toThrow(complaint);
});

it('does not quote a URL that it refuses', () => {
  const given = ['show', KEY, '--network', 'sepolia', '--rpc', 'sepolia=ftp://planted'];
  expect(() => parse(given)).toThrow(/^--rpc must be like sepolia=https:\/\/node\.example\.com$/);
});
