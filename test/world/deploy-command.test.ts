import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { unstable_readConfig as readConfig, type Unstable_Config as WranglerConfig } from 'wrangler';
import { boundShards } from '../../scripts/bound-shards.ts';
import { demandDeployable } from '../../scripts/demand-deployable.ts';
import { Failure } from '../../scripts/failure.ts';
import { GATEKEEPERS } from './ethereum-gatekeepers.ts';

/** Nothing is released with variables that the Worker would refuse. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
afterAll(() => rmSync(folder, { recursive: true }));

const QUIET = { hideWarnings: true };
const GOOD = {
  DEPLOYMENT: 'production',
  TOKEN_ISSUER: 'https://login.acme.io',
  TOKEN_AUDIENCE: 'https://passes.acme.io',
  JWKS_URL: 'https://login.acme.io/jwks',
  TOKEN_ALGORITHMS: 'RS256',
  CLIENT_CLAIM: 'client_id',
  SCOPE_CLAIM: 'scope',
  SCOPE_SEARCH: 'search:pass',
  SCOPE_ISSUE: 'issue:pass',
  SCOPE_UPDATE: 'update:pass',
};

type Variables = Readonly<Record<string, string | number>>;

interface Parts {
  /** What differs from the good variables of production. */
  readonly changes?: Variables;
  /** Lines of `[env.production]`, and of tables at the top and in the block. */
  readonly block?: readonly string[];
  readonly tables?: readonly string[];
}

/** Checks a `wrangler.toml` of these parts; its top level would do for no deployment. */
function checked({ changes = {}, block = [], tables = [] }: Parts = {}, environment = 'production'): void {
  const file = join(folder, 'wrangler.toml');
  const lines = (variables: Variables) =>
    Object.entries(variables).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const optional = { TOKEN_URL: '', BASE_PATH: '', MAINNETS: '', RETIRED_GATEKEEPERS: '' };
  const top = ['name = "w"', 'main = "w.ts"', 'compatibility_date = "2026-08-15"', 'workers_dev = true', '[vars]'];
  const ofTop = lines({ ...GOOD, ...optional, DEPLOYMENT: 'local' });
  const production = ['[env.production]', ...block, '[env.production.vars]', ...lines({ ...GOOD, ...changes })];
  writeFileSync(file, [...top, ...ofTop, ...production, ...tables].join('\n'));
  demandDeployable(environment, file);
}

it('takes variables that the Worker takes; its secrets are not known', () => {
  expect(() => checked()).not.toThrow();
  expect(() => checked({ changes: { RETIRED_GATEKEEPERS: GATEKEEPERS.join(' ') } })).not.toThrow();
});

it.each([
  [{ DEPLOYMENT: 'local' }, 'DEPLOYMENT must not be local'],
  [{ DEPLOYMENT: 'prod' }, 'DEPLOYMENT must be local, staging or production'],
  [{ TOKEN_ISSUER: 'https://issuer.example.com/planted7f3a' }, 'TOKEN_ISSUER must name a public host'],
  [{ JWKS_URL: 'http://login.acme.io/planted7f3a' }, 'JWKS_URL must begin with https'],
  [{ TOKEN_URL: 'https://issuer.example.com/planted7f3a' }, 'TOKEN_URL must name a public host'],
  [{ TOKEN_AUDIENCE: '' }, 'TOKEN_AUDIENCE must be set'],
  [{ TOKEN_ALGORITHMS: 'HS256' }, 'TOKEN_ALGORITHMS must name asymmetric algorithms'],
  [{ MAINNETS: 'sepolia' }, 'MAINNETS must name none but mainnets'],
  [{ BASE_PATH: 4711 }, 'BASE_PATH must be set'],
  [{ ETHEREUM_GATEKEEPER_KEY: 'planted7f3a' }, 'ETHEREUM_GATEKEEPER_KEY is a secret: take it out'],
  [{ RPC_ENDPOINTS: '{}' }, 'RPC_ENDPOINTS is a secret: take it out'],
  [{ RETIRED_GATEKEEPERS: 'planted7f3a' }, 'RETIRED_GATEKEEPERS must be addresses of gatekeepers'],
  [{ CORS_ORIGIN: '' }, 'CORS_ORIGIN is none of the variables at the top'],
  [{ routes: 'passes.acme.io/*' }, 'routes is none of the variables at the top'],
])('stops at %j', (changes, complaint) => {
  expect(() => checked({ changes })).toThrow(`[env.production.vars] of wrangler.toml: ${complaint}`);
  expect(() => checked({ changes })).not.toThrow('planted7f3a');
});

const limit = (of: string, name: string) => [
  `[[${of}ratelimits]]`,
  `name = "${name}"`,
  'namespace_id = "1"',
  'simple = { limit = 1, period = 10 }',
];
const object = (of: string, type: string) => [
  `[[${of}durable_objects.bindings]]`,
  'name = "PASSES"',
  `class_name = "${type}"`,
];
const producer = (of: string) => [`[[${of}queues.producers]]`, 'binding = "LOOKS"', 'queue = "looks"'];
const consumer = (queue: string, more: readonly string[] = []) => [
  '[[env.production.queues.consumers]]',
  `queue = "${queue}"`,
  ...more,
];
const dead = consumer('looks', ['dead_letter_queue = "dead"']);
const ours = 'env.production.';

it.each([
  ['a limit', [...limit('', 'A'), ...limit('', 'B'), ...limit(ours, 'A')], 'lacks B'],
  ['an object', object('', 'PassObject'), 'lacks PASSES (PassObject)'],
  ['the right class', [...object('', 'PassObject'), ...object(ours, 'QuotaObject')], 'lacks PASSES (PassObject)'],
  ['a queue', producer(''), 'lacks LOOKS'],
  ['a consumer', [...producer(''), ...producer(ours)], 'lacks a consumer of the queue looks'],
  ['who takes dead letters', [...producer(''), ...producer(ours), ...dead], 'lacks a consumer of the queue dead'],
])('stops where %s is missing', (_, tables, complaint) => {
  expect(() => checked({ tables })).toThrow(`[env.production] of wrangler.toml ${complaint}`);
});

const database = (of: string, name: string, id: string, migrations = 'migrations') => [
  `[[${of}d1_databases]]`,
  `binding = "${name}"`,
  `database_name = "${name}"`,
  `database_id = "${id}"`,
  `migrations_dir = "${migrations}"`,
];
const first = [...database('', 'DB', '0'), ...database(ours, 'DB', '1')];

it.each([
  ['under another name', database(ours, 'DB1', '2'), 'binds the database DB1'],
  [
    'that is migrated from elsewhere',
    database(ours, 'DB_1', '2', 'old'),
    'must have migrations_dir = "migrations" for DB_1',
  ],
  ['that is bound already', database(ours, 'DB_1', '1'), 'has one database for DB and DB_1'],
])('stops at a second database %s', (_, tables, complaint) => {
  expect(() => checked({ tables: [...first, ...tables] })).toThrow(`[env.production] of wrangler.toml ${complaint}`);
  expect(() => checked({ tables: [...first, ...database(ours, 'DB_1', '2')] })).not.toThrow();
});

it('says where a file is none, and shows nothing of it', () => {
  const said = (table: string) => {
    try {
      checked({ tables: [table] });
    } catch (error) {
      return error instanceof Failure ? error.message : error;
    }
  };
  expect(said('X = "planted7f3a')).toMatch(/^wrangler\.toml, line \d+: (?!.*planted)/);
  expect(said('[[d1_databases]]\nbinding = 1')).toMatch(/^wrangler\.toml: .*"d1_databases\[0\]" .*"binding"/);
});

it('knows the databases that a block has, in which partners can be', () => {
  checked({ tables: [...first, ...database(ours, 'DB_1', '2')] });
  const file = join(folder, 'wrangler.toml');
  expect([boundShards('production', file), boundShards(undefined, file)]).toEqual([['DB', 'DB_1'], ['DB']]);
});

const assets = (of: string, first: boolean) => [
  `[${of}assets]`,
  'directory = "dist/assets"',
  'binding = "ASSETS"',
  `run_worker_first = ${first}`,
];

it('stops where the platform would answer with the static files by itself', () => {
  const tables = [...assets('', true), ...assets(ours, false)];
  expect(() => checked({ tables })).toThrow(
    '[env.production] of wrangler.toml must have run_worker_first = true in its assets',
  );
  for (const same of [assets('', true), [...assets('', true), ...assets(ours, true)]]) {
    expect(() => checked({ tables: same })).not.toThrow();
  }
});

it('takes a block that has all of these', () => {
  const tables = [
    ...producer(''),
    ...producer(ours),
    ...dead,
    ...consumer('dead'),
    ...limit('', 'A'),
    ...limit(ours, 'A'),
  ];
  expect(() => checked({ tables })).not.toThrow();
});

it('stops at a domain beside which the Worker would answer under another name as well', () => {
  const released = (workersDev: boolean) => () =>
    checked({ block: [`workers_dev = ${workersDev}`, 'routes = ["passes.acme.io/*"]'] });
  expect(released(true)).toThrow('has routes of its own: workers_dev must be false');
  expect(released(false)).not.toThrow();
});

it.each(['staging', 'production'])('the block of %s has every binding and every variable', (env) => {
  const [top, block]: [WranglerConfig, WranglerConfig] = [readConfig({}, QUIET), readConfig({ env }, QUIET)];
  expect(Object.keys(block.vars)).toEqual(Object.keys(top.vars));
  expect([top, block].map(({ assets }) => assets?.run_worker_first)).toEqual([true, true]);
  expect(() => demandDeployable(env)).toThrow(
    `[env.${env}.vars] of wrangler.toml: TOKEN_ISSUER must name a public host`,
  );
  const per10s = (limit: number) => ({ limit, period: 10 });
  for (const { ratelimits } of [top, block]) {
    expect(ratelimits.map(({ name, simple }) => [name, simple])).toEqual([
      ['ADDRESS_LIMIT', per10s(10_000)],
      ['READ_LIMIT', per10s(5_000)],
      ['WRITE_LIMIT', per10s(1_000)],
    ]);
  }
  const ids = ({ ratelimits }: WranglerConfig) => ratelimits.map(({ namespace_id: id }) => id);
  expect(new Set([...ids(top), ...ids(block)]).size).toBe(6);
});

it('stops at an environment that is none', () => {
  expect(() => checked({}, 'prodution')).toThrow('wrangler.toml has no [env.prodution]; it has production');
});

it('`npm run deploy` stops at the template, before wrangler does anything', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/deploy.ts', '--env', 'production'], {
    encoding: 'utf8',
    // Should it come to that, wrangler finds no account.
    env: { PATH: process.env.PATH, HOME: folder, CI: 'true' },
    timeout: 20_000,
  });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^\[env\.production\.vars\] of wrangler\.toml: TOKEN_ISSUER must name a public host/);
});
