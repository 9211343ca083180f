import { join } from 'node:path';
import { expect, it } from 'vitest';
import { boundShardsOf } from '../../../ops/deploy/environment-block.ts';
import { Failure } from '../../../scripts/failure.ts';
import { checkEnvironment as checked, folder } from '../../system/ops/check-environment.ts';

/** No release uses a block that lacks a resource of the top level, or shares one that must be its own. */

const limit = (of: string, name: string, id = name) => [
  `[[${of}ratelimits]]`,
  `name = "${name}"`,
  `namespace_id = "${id}"`,
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
const keptOfTop = ['[[queues.consumers]]', 'queue = "looks"', 'dead_letter_queue = "dead"'];

it.each([
  ['a limit', [...limit('', 'A'), ...limit('', 'B'), ...limit(ours, 'A')], 'lacks B'],
  ['an object', object('', 'PassObject'), 'lacks PASSES (PassObject)'],
  ['the right class', [...object('', 'PassObject'), ...object(ours, 'QuotaObject')], 'lacks PASSES (PassObject)'],
  ['a queue', producer(''), 'lacks LOOKS'],
  ['a consumer', [...producer(''), ...producer(ours)], 'lacks a consumer of the queue looks'],
  ['a consumer of dead letters', [...producer(''), ...producer(ours), ...dead], 'lacks a consumer of the queue dead'],
  [
    'a dead letter queue',
    [...producer(''), ...keptOfTop, ...producer(ours), ...consumer('looks')],
    'lacks a dead_letter_queue for the queue looks',
  ],
  [
    'a retry',
    [...producer(''), ...producer(ours), ...consumer('looks', ['max_retries = 0'])],
    'must have max_retries for the queue looks',
  ],
  [
    'the nightly trigger',
    ['[triggers]', 'crons = ["1 2 * * *"]', '[env.production.triggers]', 'crons = []'],
    'must have crons: the nightly reconciliation',
  ],
  [
    'a namespace of its own for each limit',
    [...limit('', 'A'), ...limit('', 'B'), ...limit(ours, 'A', '7'), ...limit(ours, 'B', '7')],
    'has one namespace_id for A and B',
  ],
])('refuses a block without %s', (_, tables, complaint) => {
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
])('refuses a second database %s', (_, tables, complaint) => {
  expect(() => checked({ tables: [...first, ...tables] })).toThrow(`[env.production] of wrangler.toml ${complaint}`);
  expect(() => checked({ tables: [...first, ...database(ours, 'DB_1', '2')] })).not.toThrow();
});

const staging = (...more: readonly string[]) => ['[env.staging]', 'name = "other"', ...more];

it.each([
  ['a name', ['[env.staging]', 'name = "w-production"'], 'name = "w-production"'],
  [
    'a database',
    [...database('', 'DB', '0'), ...database(ours, 'DB', '7'), ...staging(...database('env.staging.', 'DB', '7'))],
    'database_id = "7"',
  ],
  [
    'a queue',
    [...producer(''), ...producer(ours), ...consumer('looks'), ...staging(...producer('env.staging.'))],
    'queue = "looks"',
  ],
  [
    'the count of a limit',
    [...limit('', 'A'), ...limit(ours, 'A', '7'), ...staging(...limit('env.staging.', 'B', '7'))],
    'namespace_id = "7"',
  ],
])('refuses a block with %s that another environment has', (_, tables, shared) => {
  expect(() => checked({ tables })).toThrow(
    `[env.production] of wrangler.toml has ${shared}, which is that of [env.staging]`,
  );
});

it('refuses a database that was not created yet', () => {
  const ofTemplate = database(ours, 'DB', '00000000-0000-0000-0000-000000000000');
  expect(() => checked({ tables: [...database('', 'DB', '0'), ...ofTemplate] })).toThrow(
    '[env.production] of wrangler.toml has the database_id of the template for DB',
  );
});

it('names the place of a syntax error or a wrong type without quoting the file', () => {
  const refusalOf = (table: string) => {
    try {
      checked({ tables: [table] });
    } catch (error) {
      return error instanceof Failure ? error.message : error;
    }
  };
  expect(refusalOf('X = "planted7f3a')).toMatch(/^wrangler\.toml, line \d+: (?!.*planted)/);
  expect(refusalOf('[[d1_databases]]\nbinding = 1')).toMatch(/^wrangler\.toml: .*"d1_databases\[0\]" .*"binding"/);
});

it('lists the databases of a block and of the top level', () => {
  checked({ tables: [...first, ...database(ours, 'DB_1', '2')] });
  const file = join(folder, 'wrangler.toml');
  expect([boundShardsOf('production', file), boundShardsOf(undefined, file)]).toEqual([['DB', 'DB_1'], ['DB']]);
});

const assets = (of: string, first: boolean) => [
  `[${of}assets]`,
  'directory = "dist/assets"',
  'binding = "ASSETS"',
  `run_worker_first = ${first}`,
];

it('refuses a block that lets the platform answer with the static files by itself', () => {
  const tables = [...assets('', true), ...assets(ours, false)];
  expect(() => checked({ tables })).toThrow(
    '[env.production] of wrangler.toml must have run_worker_first = true in its assets',
  );
  for (const same of [assets('', true), [...assets('', true), ...assets(ours, true)]]) {
    expect(() => checked({ tables: same })).not.toThrow();
  }
});

it('accepts a block that has all resources', () => {
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

it('refuses a block with its own routes whose Worker would also answer on workers.dev', () => {
  const released = (workersDev: boolean) => () =>
    checked({ block: [`workers_dev = ${workersDev}`, 'routes = ["passes.acme.io/*"]'] });
  expect(released(true)).toThrow('has routes of its own: workers_dev must be false');
  expect(released(false)).not.toThrow();
});
