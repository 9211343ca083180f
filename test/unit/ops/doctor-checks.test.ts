import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { shortenAmount } from '../../../ops/amounts.ts';
import { check, fail, lineOf, notice, ok, skip, summaryOf } from '../../../ops/doctor/check.ts';
import { checkConfiguration } from '../../../ops/doctor/configuration.ts';
import { gatekeeperNetworksOn, verdictOnSize } from '../../../ops/doctor/databases.ts';
import { doctorCommand } from '../../../ops/doctor.ts';
import { type Deployment, readDeployment, readSecrets } from '../../../ops/nodes/deployment.ts';
import { parseConfigs } from '../../../ops/nodes/parse-configs.ts';
import { RpcFault } from '../../../src/chain/port.ts';
import type { Network } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import { GATEKEEPER_KEYS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { defaultContract } from '../../default-contract.ts';
import { parseCommand } from '../../parse-command.ts';

/** The input and the output of `npm run doctor`. `doctor.full.test.ts` tests its findings. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

describe('secretsOf', () => {
  const secrets = { ETHEREUM_GATEKEEPER_KEY: '0x12 0x34', RPC_ENDPOINTS: '{"sepolia": ["https://a.io/#k"]}' };

  it('reads JSON or lines, as `wrangler secret bulk` does', () => {
    const lines = Object.entries(secrets).map(([name, value]) => `${name}='${value}'\n`);
    expect(readSecrets(file('lines', `# ours\n${lines.join('')}`))).toEqual(secrets);
    expect(readSecrets(file('json', JSON.stringify({ ...secrets, SOLANA_GATEKEEPER_KEY: null })))).toEqual(secrets);
  });

  it.each([
    ["A = 'x' # ours", { A: 'x' }],
    ['export A=x y # ours\r\nB="{\'y\'}"\r\n', { A: 'x y', B: "{'y'}" }],
    ['A={"x": "y#z"}', { A: '{"x": "y' }],
    ['\uFEFFA={"x": "y"}\nB=', { A: '{"x": "y"}', B: '' }],
    ["A='x\n y'", { A: 'x\n y' }],
    ['\uFEFF{"A": "x"}', { A: 'x' }],
    ["A='x' 'y'", undefined],
    ['A="x\\n"', undefined],
    ["A='x", undefined],
    ['A: x', undefined],
    ['{"A": "x=y",}', undefined],
    ['{"A": {"x": "y"}}', undefined],
    ['["x"]', undefined],
    ['', undefined],
  ])('reads %j like wrangler, or refuses it without quoting it', (text, expected) => {
    const read = () => readSecrets(file('text', text));
    if (expected) expect(read()).toEqual(expected);
    else expect(read).toThrow(/^--secrets: \S+ (must contain JSON|has values that are not strings)[^xy]*$/);
  });

  it('refuses a file that does not exist', () => {
    expect(() => readSecrets(join(folder, 'none'))).toThrow(/cannot be read \(ENOENT\)/);
  });
});

describe('check, lineOf and summaryOf', () => {
  it('ends a check at its time limit', async () => {
    const finding = await check('x', () => new Promise<never>(() => undefined), 20);
    expect(lineOf(finding)).toMatch(/^FAIL {2}x: no answer within 0\.02 seconds -> /);
  });

  it('returns a verdict for a check that throws, and does not quote the error', async () => {
    const broken = await check('x', () => Promise.reject(new TypeError('https://a.io/planted7f3a')));
    expect(lineOf(broken)).toBe(
      'FAIL  x: the check itself failed (TypeError) -> try again; if it fails again, report a bug of the doctor',
    );
    const unanswered = await check('x', () => Promise.reject(new RpcFault('no endpoint answered: HTTP 503')));
    expect(lineOf(unanswered)).toBe('--    x: not checked: the nodes do not answer (HTTP 503): see the endpoints');
  });

  it('formats a line for each verdict and counts the verdicts', () => {
    const findings = [ok('so'), fail('not so', 'do this'), skip('it may be'), notice('as you like')].map((verdict) => ({
      name: 'x',
      verdict,
    }));
    expect(findings.map(lineOf)).toEqual([
      'ok    x: so',
      'FAIL  x: not so -> do this',
      '--    x: not checked: it may be',
      '--    x: as you like',
    ]);
    expect(summaryOf(findings)).toBe('1 ok, 1 failed, 1 not checked, 1 for you to judge');
    expect(summaryOf(findings.slice(0, 2))).toBe('1 ok, 1 failed, 0 not checked');
  });
});

it('lists the gatekeeper networks whose partners may issue on a network, with their contracts', () => {
  const contracts = { sepolia: '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E' };
  const wanted = [
    { gatekeeperNetwork: 'b', networks: ['sepolia'], contracts },
    { gatekeeperNetwork: 'b', contracts },
    { gatekeeperNetwork: 'a', networks: ['devnet'] },
    { gatekeeperNetwork: 'c', networks: ['sepolia'] },
  ];
  const on = (name: string) =>
    gatekeeperNetworksOn(NETWORKS.find(({ network }) => network === name) as Network, wanted);
  const program = defaultContract({ network: 'devnet' });
  expect([on('sepolia'), on('devnet')]).toEqual([
    [
      { gatekeeperNetwork: 'b', contract: contracts.sepolia },
      { gatekeeperNetwork: 'c', contract: defaultContract({ network: 'sepolia' }) },
    ],
    [
      { gatekeeperNetwork: 'a', contract: program },
      { gatekeeperNetwork: 'b', contract: program },
    ],
  ]);
});

it.each([
  ['10000', '10000'],
  ['0.000328415', '0.00032'],
  ['1.2345', '1.23'],
  ['0', '0'],
])('shortens the amount %s to %s', (decimal, shown) => {
  expect(shortenAmount(decimal)).toBe(shown);
});

describe('configurationFindings, parseConfigs and readDeployment', () => {
  const TOKENS = {
    ...{
      DEPLOYMENT: 'local',
      TOKEN_ISSUER: 'http://a',
      TOKEN_AUDIENCE: 'a',
      JWKS_URL: 'http://a',
      TOKEN_ALGORITHMS: 'RS256',
    },
    ...{ CLIENT_CLAIM: 'c', SCOPE_CLAIM: 's', SCOPE_SEARCH: 'a', SCOPE_ISSUE: 'b', SCOPE_UPDATE: 'c' },
  };
  const subject: Deployment = {
    environment: undefined,
    variables: TOKENS,
    secrets: undefined,
    shards: ['DB'],
    databaseIds: [],
    state: undefined,
    url: undefined,
    verdictContracts: {},
    operator: {},
  };
  const GOOD = { ETHEREUM_GATEKEEPER_KEY: GATEKEEPER_KEYS[0], RPC_ENDPOINTS: '{"sepolia": ["http://a"]}' };

  const BOTH_CLUSTERS = '{"devnet": ["http://a"], "mainnet-beta": ["http://b"]}';
  const keysByNetwork = (onMainnet: string) =>
    JSON.stringify({ devnet: SOLANA_GATEKEEPER_KEYS[0], 'mainnet-beta': onMainnet });

  it.each<[Deployment['secrets'], string]>([
    [GOOD, 'ok    secrets: ETHEREUM_GATEKEEPER_KEY, RPC_ENDPOINTS'],
    [undefined, '--    secrets: not checked: the doctor does not know them: pass a file with --secrets'],
    [
      { ...GOOD, RPC_ENDPOINTS: '' },
      'FAIL  secrets: RPC_ENDPOINTS is missing: no network is enabled -> set it to JSON like {"sepolia"',
    ],
    ...['{}', '{"sepolia": []}'].map((endpoints): [Deployment['secrets'], string] => [
      { ...GOOD, RPC_ENDPOINTS: endpoints },
      'FAIL  secrets: RPC_ENDPOINTS names no endpoint: no network is enabled -> set it to JSON like {"sepolia"',
    ]),
    [
      { ...GOOD, ETHEREUM_GATEKEEPER_KEY: '' },
      'FAIL  secrets: no gatekeeper key is set: no network is enabled -> set ETH',
    ],
    [
      { ...GOOD, RPC_ENDPOINT: '' },
      'FAIL  secrets: RPC_ENDPOINT is not a secret of the Worker -> remove it; the secrets are',
    ],
    [{ ...GOOD, 'a "planted7f3a"': '' }, 'FAIL  secrets: one of the names is not a secret of the Worker -> remove'],
    [
      { ...GOOD, ETHEREUM_GATEKEEPER_KEY: 'planted7f3a' },
      'FAIL  secrets: ETHEREUM_GATEKEEPER_KEY must be a private key: 32 bytes in hex -> correct the secret',
    ],
    [
      { SOLANA_GATEKEEPER_KEY: SOLANA_GATEKEEPER_KEYS[0], RPC_ENDPOINTS: BOTH_CLUSTERS },
      'FAIL  secrets: SOLANA_GATEKEEPER_KEY must be keys by network, like {"devnet": "KEY KEY", "mainnet-beta": "KEY"}: ' +
        'mainnet-beta and devnet have RPC endpoints -> correct the secret',
    ],
    [
      { SOLANA_GATEKEEPER_KEY: keysByNetwork(SOLANA_GATEKEEPER_KEYS[0]), RPC_ENDPOINTS: BOTH_CLUSTERS },
      'FAIL  secrets: SOLANA_GATEKEEPER_KEY (devnet) must not contain a key of mainnet-beta -> correct the secret',
    ],
    [
      { SOLANA_GATEKEEPER_KEY: keysByNetwork(SOLANA_GATEKEEPER_KEYS[1]), RPC_ENDPOINTS: BOTH_CLUSTERS },
      'ok    secrets: SOLANA_GATEKEEPER_KEY, RPC_ENDPOINTS',
    ],
    [
      { ...GOOD, RPC_ENDPOINTS: '{"mainnet": ["http://planted7f3a"]}' },
      'FAIL  secrets: MAINNETS must name mainnet, which has an RPC endpoint -> correct the variable',
    ],
  ])('reports the secrets %j as "%s"', async (secrets, line) => {
    const variables = { ...TOKENS, MAINNETS: 'mainnet-beta' };
    const lines = (await checkConfiguration({ ...subject, variables, secrets })).map(lineOf).join('\n');
    expect(lines).toContain(line);
    expect(lines).not.toContain('planted7f3a');
  });

  it('parses the issuers and the networks separately, so that an invalid value loses only one of them', () => {
    const half = (variables: object, secrets: Deployment['secrets']) => {
      const { issuers, networks } = parseConfigs({ ...subject, variables: { ...TOKENS, ...variables }, secrets });
      return [issuers?.tokens.audience, Object.keys(networks?.rpc ?? {})];
    };
    expect(half({}, GOOD)).toEqual(['a', ['sepolia']]);
    expect(half({ TOKEN_AUDIENCE: '' }, GOOD)).toEqual([undefined, ['sepolia']]);
    expect(half({ NETWORKS: '{' }, GOOD)).toEqual(['a', []]);
    expect(half({ LOG_SUCCESSES: '2' }, { ...GOOD, RPC_ENDPOINTS: '{' })).toEqual(['a', []]);
  });

  it('reads the secrets from the environment if no file is named', () => {
    const options = parseCommand(doctorCommand, ['--env', 'example']);
    expect(readDeployment(options, { RPC_ENDPOINTS: '{}', HOME: '/' }).secrets).toEqual({ RPC_ENDPOINTS: '{}' });
    expect(readDeployment(options, { HOME: '/' }).secrets).toBeUndefined();
  });
});

describe('verdictOnSize', () => {
  it.each([
    [6_900_000_000, 'ok', /^6,900 of 10,000 MB \(69 %\)$/],
    [7_000_000_000, 'notice', /^7,000 of 10,000 MB \(70 %\) -> add a shard/],
    [9_499_999_999, 'notice', /94 %/],
    [9_500_000_000, 'failed', /^9,500 of 10,000 MB \(95 %\): the service stores no new passes there$/],
    [undefined, 'skipped', /no size/],
  ])('for %s bytes is %s', (bytes, type, text) => {
    const verdict = verdictOnSize({ bytes }, {});
    expect(verdict.type).toBe(type);
    expect('note' in verdict ? verdict.note : verdict.why).toMatch(text);
  });

  it.each([
    // 9.5 GB are full. A month adds 0.5 GB, 2 GB, 3 GB and almost nothing.
    [2_000_000_000, { all: 4_000_000, inMonth: 1_000_000 }, 'ok', /\(20 %\), full in 15\.0 months at the rate/],
    [
      4_000_000_000,
      { all: 2_000_000, inMonth: 1_000_000 },
      'notice',
      /\(40 %\), full in 2\.8 months .* -> add a shard/,
    ],
    [3_000_000_000, { all: 2_000_000, inMonth: 2_000_000 }, 'notice', /\(30 %\), full in 2\.2 months/],
    [3_000_000_000, { all: 2_000_000, inMonth: 10 }, 'ok', /full in more than 10 years/],
    [3_000_000_000, { all: 2_000_000, inMonth: 0 }, 'ok', /^3,000 of 10,000 MB \(30 %\)$/],
    [500_000, { all: 0, inMonth: 0 }, 'ok', /^1 of 10,000 MB \(0 %\)$/],
  ])('for %s bytes and %j passes is %s', (bytes, issued, type, text) => {
    const verdict = verdictOnSize({ bytes, issued }, {});
    expect(verdict.type).toBe(type);
    expect('note' in verdict ? verdict.note : verdict.why).toMatch(text);
  });

  it('compares the size with the configured maximum', () => {
    expect(verdictOnSize({ bytes: 480_000_000 }, { DATABASE_MAX_BYTES: '500000000' }).type).toBe('failed');
  });
});
