import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { GATEKEEPER_KEYS } from '../../../localnet/ethereum/gatekeepers.ts';
import { shortened } from '../../../ops/doctor/amount.ts';
import { check, lineOf, ok, summaryOf, told, unchecked, wrong } from '../../../ops/doctor/check.ts';
import { configurationFindings, knownOf } from '../../../ops/doctor/configuration.ts';
import { wantedOn } from '../../../ops/doctor/databases.ts';
import { doctorOptions } from '../../../ops/doctor/options.ts';
import { type Subject, secretsOf, subjectOf } from '../../../ops/doctor/subject.ts';
import { RpcFault } from '../../../src/chain/port.ts';
import { doctor } from '../../system/ops/doctored.ts';

/** What `npm run doctor` takes and prints; `doctor.test.ts` shows what it finds. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

describe('the file with the secrets', () => {
  const secrets = { ETHEREUM_GATEKEEPER_KEY: '0x12 0x34', RPC_ENDPOINTS: '{"sepolia": ["https://a.io/#k"]}' };

  it('is JSON or lines, as `wrangler secret bulk` takes it', () => {
    const lines = Object.entries(secrets).map(([name, value]) => `${name}='${value}'\n`);
    expect(secretsOf(file('lines', `# ours\n${lines.join('')}`))).toEqual(secrets);
    expect(secretsOf(file('json', JSON.stringify({ ...secrets, SOLANA_GATEKEEPER_KEY: null })))).toEqual(secrets);
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
  ])('%j is read as wrangler does, or refused without a word of it', (text, expected) => {
    const read = () => secretsOf(file('text', text));
    if (expected) expect(read()).toEqual(expected);
    else expect(read).toThrow(/^--secrets: \S+ (holds neither JSON|has values that are no strings)[^xy]*$/);
  });

  it('is there', () => {
    expect(() => secretsOf(join(folder, 'none'))).toThrow(/cannot be read \(ENOENT\)/);
  });
});

describe('a check', () => {
  it('ends in time, whatever it waits for', async () => {
    const finding = await check('x', () => new Promise<never>(() => undefined), 20);
    expect(lineOf(finding)).toMatch(/^FAIL {2}x: no answer within 0\.02 seconds -> /);
  });

  it('has a verdict also where something breaks, and quotes nothing', async () => {
    const broken = await check('x', () => Promise.reject(new TypeError('https://a.io/planted7f3a')));
    expect(lineOf(broken)).toBe(
      'FAIL  x: the check itself failed (TypeError) -> try again; if it stays so, it is a bug of the doctor',
    );
    const unanswered = await check('x', () => Promise.reject(new RpcFault('no endpoint answered: HTTP 503')));
    expect(lineOf(unanswered)).toBe('--    x: not checked: the nodes do not answer (HTTP 503): see the endpoints');
  });

  it('is a line, and one of so many', () => {
    const findings = [ok('so'), wrong('not so', 'do this'), unchecked('it may be'), told('as you like')].map(
      (verdict) => ({
        name: 'x',
        verdict,
      }),
    );
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

it('asks only for where a partner may issue', () => {
  const wanted = [
    { gatekeeperNetwork: 'b', networks: ['sepolia'] },
    { gatekeeperNetwork: 'b' },
    { gatekeeperNetwork: 'a', networks: ['devnet'] },
  ];
  expect([wantedOn('sepolia', wanted), wantedOn('devnet', wanted)]).toEqual([['b'], ['a', 'b']]);
});

it.each([
  ['10000', '10000'],
  ['0.000328415', '0.00032'],
  ['1.2345', '1.23'],
  ['0', '0'],
])('shows %s as %s', (decimal, shown) => {
  expect(shortened(decimal)).toBe(shown);
});

describe('secrets', () => {
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
  const subject: Subject = {
    environment: undefined,
    variables: TOKENS,
    secrets: undefined,
    shards: ['DB'],
    databaseIds: [],
    state: undefined,
    url: undefined,
  };
  const GOOD = { ETHEREUM_GATEKEEPER_KEY: GATEKEEPER_KEYS[0], RPC_ENDPOINTS: '{"sepolia": ["http://a"]}' };

  it.each<[Subject['secrets'], string]>([
    [GOOD, 'ok    secrets: ETHEREUM_GATEKEEPER_KEY, RPC_ENDPOINTS'],
    [undefined, '--    secrets: not checked: only you know them: name a file with --secrets'],
    [
      { ...GOOD, RPC_ENDPOINTS: '' },
      'FAIL  secrets: RPC_ENDPOINTS is missing: no network is enabled -> set it: {"sepolia"',
    ],
    ...['{}', '{"sepolia": []}'].map((endpoints): [Subject['secrets'], string] => [
      { ...GOOD, RPC_ENDPOINTS: endpoints },
      'FAIL  secrets: RPC_ENDPOINTS names no endpoint: no network is enabled -> set it: {"sepolia"',
    ]),
    [
      { ...GOOD, ETHEREUM_GATEKEEPER_KEY: '' },
      'FAIL  secrets: there is no gatekeeper key: no network is enabled -> set ETH',
    ],
    [{ ...GOOD, RPC_ENDPOINT: '' }, 'FAIL  secrets: RPC_ENDPOINT is no secret of the Worker -> take it out; they are'],
    [
      { ...GOOD, 'a "planted7f3a"': '' },
      'FAIL  secrets: what one of them is called is no secret of the Worker -> take',
    ],
    [
      { ...GOOD, ETHEREUM_GATEKEEPER_KEY: 'planted7f3a' },
      'FAIL  secrets: ETHEREUM_GATEKEEPER_KEY must be a private key: 32 bytes in hex -> put the secret right',
    ],
    [
      { ...GOOD, RPC_ENDPOINTS: '{"mainnet": ["http://planted7f3a"]}' },
      'FAIL  secrets: MAINNETS must name mainnet, which has an RPC endpoint -> put the variable right',
    ],
  ])('%j', async (secrets, said) => {
    const lines = (await configurationFindings({ ...subject, secrets })).map(lineOf).join('\n');
    expect(lines).toContain(said);
    expect(lines).not.toContain('planted7f3a');
  });

  it('that are wrong, or variables that are, leave the other half as it is', () => {
    const half = (variables: object, secrets: Subject['secrets']) => {
      const { issuers, networks } = knownOf({ ...subject, variables: { ...TOKENS, ...variables }, secrets });
      return [issuers?.tokens.audience, Object.keys(networks?.rpc ?? {})];
    };
    expect(half({}, GOOD)).toEqual(['a', ['sepolia']]);
    expect(half({ TOKEN_AUDIENCE: '' }, GOOD)).toEqual([undefined, ['sepolia']]);
    expect(half({ NETWORKS: '{' }, GOOD)).toEqual(['a', []]);
    expect(half({ LOG_SUCCESSES: '2' }, { ...GOOD, RPC_ENDPOINTS: '{' })).toEqual(['a', []]);
  });

  it('are taken from the environment where no file is named', () => {
    const options = doctorOptions(['--env', 'staging']);
    expect(subjectOf(options, { RPC_ENDPOINTS: '{}', HOME: '/' }).secrets).toEqual({ RPC_ENDPOINTS: '{}' });
    expect(subjectOf(options, { HOME: '/' }).secrets).toBeUndefined();
  });
});

it('says what is not in order in the template, and checks nothing that depends on it', async () => {
  const secrets = file('secrets', "ETHEREUM_GATEKEEPER_KEY='planted7f3a'\nRPC_ENDPOINTS='{}'\n");
  const { code, lines, line } = await doctor(['--env', 'production', '--secrets', secrets]);
  expect(line('variables')).toMatch(/^FAIL \[env\.production\.vars\] .*TOKEN_ISSUER must name a public host/);
  expect(line('databases')).toMatch(
    /^FAIL DB has the id of the template -> npx wrangler d1 create gatepass-production/,
  );
  for (const name of ['secrets', 'issuer', 'migrations', 'networks', 'service']) {
    expect(line(name)).toMatch(/^-- not checked: /);
  }
  expect(lines.at(-1)).toBe('0 ok, 2 failed, 5 not checked');
  expect(lines.join()).not.toContain('planted7f3a');
  expect(code).toBe(1);
});
