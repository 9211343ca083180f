import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { boundShardsOf, consoleClientsOf } from '../../../ops/deploy/environment-block.ts';
import { Failure } from '../../../scripts/failure.ts';
import { checkEnvironment as checked, folder } from '../../system/ops/check-environment.ts';

/** A release refuses a block that lacks a resource of the top level, or that shares a resource which must be its own. */

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
const producer = (of: string) => [`[[${of}queues.producers]]`, 'binding = "PASS_QUEUE"', 'queue = "looks"'];
const consumer = (queue: string, more: readonly string[] = []) => [
  '[[env.production.queues.consumers]]',
  `queue = "${queue}"`,
  ...more,
];
const dead = consumer('looks', ['dead_letter_queue = "dead"']);
const ours = 'env.production.';
const keptOfTop = ['[[queues.consumers]]', 'queue = "looks"', 'dead_letter_queue = "dead"'];

it.each([
  ['a rate limit', [...limit('', 'A'), ...limit('', 'B'), ...limit(ours, 'A')], 'lacks B'],
  ['a Durable Object', object('', 'PassObject'), 'lacks PASSES (PassObject)'],
  [
    'the right class of a Durable Object',
    [...object('', 'PassObject'), ...object(ours, 'QuotaObject')],
    'lacks PASSES (PassObject)',
  ],
  ['a queue', producer(''), 'lacks PASS_QUEUE'],
  ['a constant of the bundle', ['[define]', '__DEV__ = "false"'], 'must have __DEV__ = "false" in its define'],
  ['a consumer of the queue', [...producer(''), ...producer(ours)], 'lacks a consumer of the queue looks'],
  ['a consumer of dead letters', [...producer(''), ...producer(ours), ...dead], 'lacks a consumer of the queue dead'],
  [
    'a dead letter queue',
    [...producer(''), ...keptOfTop, ...producer(ours), ...consumer('looks')],
    'lacks a dead_letter_queue for the queue looks',
  ],
  [
    'retries of messages',
    [...producer(''), ...producer(ours), ...consumer('looks', ['max_retries = 0'])],
    'must have max_retries for the queue looks',
  ],
  [
    'the nightly trigger',
    ['[triggers]', 'crons = ["1 2 * * *"]', '[env.production.triggers]', 'crons = []'],
    'must have crons: they start the nightly reconciliation',
  ],
  [
    'the hourly trigger',
    ['[triggers]', 'crons = ["1 2 * * *", "3 * * * *"]', '[env.production.triggers]', 'crons = ["4 5 * * *"]'],
    'must have an hourly cron: it deletes events of a database that fills up',
  ],
  [
    'a separate namespace for each rate limit',
    [...limit('', 'A'), ...limit('', 'B'), ...limit(ours, 'A', '7'), ...limit(ours, 'B', '7')],
    'has the same namespace_id for A and B',
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
  ['with an invalid name', database(ours, 'DB1', '2'), 'binds the database DB1'],
  [
    'with another folder of migrations',
    database(ours, 'DB_1', '2', 'old'),
    'must have migrations_dir = "migrations" for DB_1',
  ],
  ['that is already bound', database(ours, 'DB_1', '1'), 'has the same database for DB and DB_1'],
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
    'the namespace of a rate limit',
    [...limit('', 'A'), ...limit(ours, 'A', '7'), ...staging(...limit('env.staging.', 'B', '7'))],
    'namespace_id = "7"',
  ],
])('refuses a block with %s that another environment uses', (_, tables, shared) => {
  expect(() => checked({ tables })).toThrow(
    `[env.production] of wrangler.toml has ${shared}, which [env.staging] also uses`,
  );
});

it('refuses a block whose database has not been created yet', () => {
  const ofTemplate = database(ours, 'DB', '00000000-0000-0000-0000-000000000000');
  expect(() => checked({ tables: [...database('', 'DB', '0'), ...ofTemplate] })).toThrow(
    "[env.production] of wrangler.toml has the template's database_id for DB",
  );
});

it('names the position of a syntax error or a wrong type without quoting the file', () => {
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

it('refuses a block that lets the platform serve the static files without the Worker', () => {
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

it('refuses a block with routes if its Worker would also answer on workers.dev', () => {
  const released = (workersDev: boolean) => () =>
    checked({ block: [`workers_dev = ${workersDev}`, 'routes = ["passes.acme.io/*"]'] });
  expect(released(true)).toThrow('has routes: set workers_dev to false');
  expect(released(false)).not.toThrow();
});

it('knows the clients of the console, which may not be partners', () => {
  const file = join(folder, 'console.toml');
  const vars = (client: string) => `CONSOLE_CLIENT_ID = "${client}"\nCONSOLE_ADMIN_CLIENT_ID = ""\n`;
  writeFileSync(file, `name = "x"\n[vars]\n${vars('')}[env.production]\n[env.production.vars]\n${vars('page')}`);
  expect([consoleClientsOf(undefined, file), consoleClientsOf('production', file)]).toEqual([[], ['page']]);
});
