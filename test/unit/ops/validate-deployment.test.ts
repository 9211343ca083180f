import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { boundShardsOf, wranglerConfigOf } from '../../../ops/deploy/deployment-config.ts';
import { deploymentNames } from '../../../ops/deploy/deployment-values.ts';
import { validateDeployment, validateSecrets } from '../../../ops/deploy/validate-deployment.ts';
import { isHourly } from '../../../src/config/bindings.ts';
import { Failure } from '../../../terminal/failure.ts';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { GOOD_DATABASE, GOOD_VARIABLES, useDeploymentsFolder } from '../../deployments-folder.ts';

/** A release refuses values with which the Worker could not run, or that share a resource with another deployment. */

const { folder, write, remove } = useDeploymentsFolder();
afterEach(() => ['production', 'staging'].forEach(remove));

type Parts = Parameters<typeof write>[1];

function validate(parts: Parts = {}): void {
  write('production', parts);
  validateDeployment('production');
}

const refusalOf = (parts: Parts) => {
  try {
    validate(parts);
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
  return undefined;
};

it('accepts the variables that the Worker accepts, without its secrets', () => {
  expect(refusalOf({})).toBeUndefined();
  expect(refusalOf({ vars: { RETIRED_GATEKEEPERS: GATEKEEPERS.join(' ') } })).toBeUndefined();
});

it.each([
  [{ DEPLOYMENT: 'local' }, 'DEPLOYMENT must not be local'],
  [{ DEPLOYMENT: 'prod' }, 'DEPLOYMENT must be local, staging or production'],
  [{ TOKEN_ISSUER: 'https://issuer.example.com/planted7f3a' }, 'TOKEN_ISSUER must name a public host'],
  [{ JWKS_URL: 'http://login.acme.io/planted7f3a' }, 'JWKS_URL must begin with https'],
  [{ TOKEN_URL: 'https://issuer.example.com/planted7f3a' }, 'TOKEN_URL must name a public host'],
  [{ TOKEN_AUDIENCE: '' }, 'TOKEN_AUDIENCE must be set'],
  [{ TOKEN_ALGORITHMS: 'HS256' }, 'TOKEN_ALGORITHMS must name asymmetric algorithms'],
  [{ MAINNETS: 'sepolia' }, 'MAINNETS must name only mainnets'],
  [{ BASE_PATH: 4711 }, 'BASE_PATH must be set'],
  [{ ETHEREUM_GATEKEEPER_KEY: 'planted7f3a' }, 'ETHEREUM_GATEKEEPER_KEY is a secret: remove it'],
  [
    { COMPROMISED_GATEKEEPERS: '' },
    'COMPROMISED_GATEKEEPERS is a secret: remove it, and set it with `npm run emergency`',
  ],
  [{ VERDICT_KEYS: '{}' }, 'VERDICT_KEYS is a secret: remove it, and set it with `npm run verdict`'],
  [{ RPC_ENDPOINTS: '{}' }, 'RPC_ENDPOINTS is a secret: remove it'],
  [{ RETIRED_GATEKEEPERS: 'planted7f3a' }, 'RETIRED_GATEKEEPERS must be addresses of gatekeepers'],
  [{ CORS_ORIGIN: '' }, 'CORS_ORIGIN is not a variable of wrangler.toml'],
])('refuses the variables %j, and does not print their values', (vars, complaint) => {
  const refusal = refusalOf({ vars });
  expect(refusal).toContain(`production.toml has wrong vars: ${complaint}`);
  expect(refusal).not.toContain('planted7f3a');
});

const OTHER = { ...GOOD_DATABASE, binding: 'DB_1', database_id: '22222222-2222-4222-8222-222222222222' };

it.each<[string, Parts, string]>([
  ['an unknown key', { top: ['naem = "x"'] }, 'naem is unknown: correct its spelling, or remove it'],
  ['a block of wrangler', { more: ['[env.staging]'] }, 'env is unknown'],
  [
    'an unknown key of a table',
    { more: ['[observability.logs]', 'destination = []'] },
    'observability.logs.destination',
  ],
  ['a wrong type', { top: ['workers_dev = "planted7f3a"'] }, 'workers_dev has a wrong value or type'],
  ['a name that no Worker can have', { top: ['name = "Gate pass"'] }, 'name has a wrong value or type'],
  ['a syntax error', 'X = "planted7f3a', 'production.toml, line 1: '],
  [
    'a database without an id',
    { databases: [{ binding: 'DB', database_name: 'x' }] },
    'd1_databases.0.database_id is missing',
  ],
  ['no database', { databases: [] }, 'has no database_id for DB: create the database'],
  ['only a further database', { databases: [OTHER] }, 'lacks the database DB'],
  [
    'an invalid name of a shard',
    { databases: [GOOD_DATABASE, { ...OTHER, binding: 'DB1' }] },
    'binds the database DB1',
  ],
  [
    'one database for two shards',
    { databases: [GOOD_DATABASE, { ...GOOD_DATABASE, binding: 'DB_1' }] },
    'has the same database for DB and DB_1',
  ],
  [
    'a shard that is bound twice',
    { databases: [GOOD_DATABASE, { ...OTHER, binding: 'DB' }] },
    'DB assigned to multiple D1 Database bindings',
  ],
  [
    'an unknown rate limit',
    { more: ['[ratelimits]', 'REED_LIMIT = { limit = 1, period = 10 }'] },
    'has the unknown rate limit REED_LIMIT',
  ],
  [
    'a contract of verdicts that is no address',
    { more: ['[verdict_contracts]', 'sepolia = "0x7f3a"'] },
    'verdict_contracts.sepolia has a wrong value or type',
  ],
  [
    'a contract of verdicts on no network',
    { more: ['[verdict_contracts]', 'devnet = "0xbD2aAF5cbB58AB5Cd6aAB72Fa1BA2FBB0Fb0E1C4"'] },
    'verdict_contracts.devnet has a wrong value or type',
  ],
  [
    'routes beside the address at workers.dev',
    { top: ['workers_dev = true', 'routes = ["passes.acme.io/*"]'] },
    'has routes: set workers_dev to false',
  ],
])('refuses %s', (_, parts, complaint) => {
  const refusal = refusalOf(parts);
  expect(refusal).toContain(complaint);
  expect(refusal).not.toContain('planted7f3a');
});

it.each<[string, Parts, string]>([
  [
    'name',
    { top: ['name = "gatepass-production"'] },
    'has name = "gatepass-production", which the deployment staging also uses',
  ],
  ['database', {}, `has database_id = "${GOOD_DATABASE.database_id}", which the deployment staging also uses`],
  [
    'queue',
    {
      top: ['name = "gatepass-production-bulk"'],
      databases: [OTHER, { ...OTHER, binding: 'DB', database_id: '33333333-3333-4333-8333-333333333333' }],
    },
    'has the queue gatepass-production-bulk-passes, which the deployment staging also uses',
  ],
])('refuses a %s that another deployment uses', (_, staging, complaint) => {
  write('staging', staging);
  expect(refusalOf({})).toContain(complaint);
});

it('a deployment with invalid values does not keep another one from its release', () => {
  write('staging', 'X = "');
  expect(refusalOf({})).toBeUndefined();
});

it('refuses secrets with which the Worker would answer 500, and shows no secret', () => {
  write('production');
  const refusal = (secrets: object) => () => validateSecrets('production', { ...secrets });
  const rpc = (network: string) => ({ RPC_ENDPOINTS: JSON.stringify({ [network]: ['https://node.acme.io/key7f3a'] }) });
  expect(refusal(rpc('sepolia'))).not.toThrow();
  expect(refusal(rpc('mainnet'))).toThrow(/MAINNETS must name mainnet, which has an RPC endpoint$/);
  expect(refusal({ ...rpc('sepolia'), ETHEREUM_GATEKEEPER_KEY: 'key7f3a' })).toThrow(
    /^(?!.*key7f3a).*ETHEREUM_GATEKEEPER_KEY/,
  );
  remove('production');
});

it('names the deployments that exist if the name is wrong', () => {
  write('production');
  expect(() => validateDeployment('prodution')).toThrow(
    'there is no deployment "prodution": name one of these deployments: production',
  );
  remove('production');
  expect(() => validateDeployment('../production')).toThrow('run `npm run setup`');
  // The example is none.
  write('example');
  expect(deploymentNames()).toEqual([]);
  remove('example');
});

describe('the configuration of a deployment', () => {
  it('is the template with the values, and with names of its own', () => {
    const template = wranglerConfigOf(undefined);
    write('production', {
      top: ['routes = [{ pattern = "passes.acme.io", custom_domain = true }]', 'account_id = "a1"'],
      databases: [GOOD_DATABASE, OTHER],
      more: [
        '[ratelimits]',
        'READ_LIMIT = { limit = 7, period = 60 }',
        '[observability.logs]',
        'destinations = ["grafana-logs"]',
      ],
    });
    const config = wranglerConfigOf('production');
    expect(config).toMatchObject({
      name: 'gatepass-production',
      account_id: 'a1',
      workers_dev: false,
      vars: { ...template.vars, ...GOOD_VARIABLES, DEPLOYMENT: 'production' },
      triggers: template.triggers,
      main: expect.stringMatching(/^\/.*\/dist\/worker\/worker\.js$/),
      no_bundle: true,
      migrations: template.migrations,
      durable_objects: { ...template.durable_objects, code_update_strategy: { mode: 'immediate' } },
      compatibility_flags: template.compatibility_flags,
    });
    expect(config.observability?.logs).toEqual({ ...template.observability?.logs, destinations: ['grafana-logs'] });
    expect(config.assets).toMatchObject({
      run_worker_first: true,
      directory: expect.stringMatching(/^\/.*\/dist\/assets$/),
    });
    expect(config.d1_databases.map((each) => [each.binding, each.database_id, each.migrations_dir])).toEqual([
      ['DB', GOOD_DATABASE.database_id, expect.stringMatching(/^\/.*\/migrations$/)],
      ['DB_1', OTHER.database_id, expect.stringMatching(/^\/.*\/migrations$/)],
    ]);
    expect(boundShardsOf('production')).toEqual(['DB', 'DB_1']);
    expect(config.queues.producers?.map(({ queue }) => queue)).toEqual([
      'gatepass-production-passes',
      'gatepass-production-bulk-passes',
    ]);
    expect(config.queues.consumers?.map(({ queue, dead_letter_queue: dead }) => [queue, dead])).toEqual([
      ['gatepass-production-passes', 'gatepass-production-passes-dead'],
      ['gatepass-production-bulk-passes', 'gatepass-production-passes-dead'],
      ['gatepass-production-passes-dead', undefined],
    ]);
    const limits = Object.fromEntries(config.ratelimits.map((each) => [each.name, each]));
    expect(limits.READ_LIMIT?.simple).toEqual({ limit: 7, period: 60 });
    expect(limits.WRITE_LIMIT?.simple).toEqual({ limit: 1_000, period: 10 });
    const ids = config.ratelimits.map(({ namespace_id: id }) => id);
    expect(new Set([...ids, ...template.ratelimits.map(({ namespace_id: id }) => id)]).size).toBe(8);
    expect(ids.filter((id) => !/^[1-9]\d{0,9}$/.test(id))).toEqual([]);
  });

  it('runs at workers.dev if it has no routes, and is a staging deployment only by its name', () => {
    write('staging', { databases: [] });
    expect(wranglerConfigOf('staging')).toMatchObject({ workers_dev: true, vars: { DEPLOYMENT: 'staging' } });
    // A database that does not exist yet has its name, so that the first release can create it.
    expect(wranglerConfigOf('staging').d1_databases).toMatchObject([
      { binding: 'DB', database_name: 'gatepass-staging' },
    ]);
  });

  it('is written beside the values, in a folder that git ignores', () => {
    write('production');
    wranglerConfigOf('production');
    expect(existsSync(`${folder}/.wrangler/production.json`)).toBe(true);
    expect(readFileSync(`${folder}/.wrangler/.gitignore`, 'utf8')).toBe('*\n');
  });
});

describe('the template', () => {
  const template = wranglerConfigOf(undefined);

  it('has a consumer that retries for every queue, and dead letters for every queue that the Worker writes to', () => {
    const consumers = template.queues.consumers ?? [];
    const written = template.queues.producers?.map(({ queue }) => queue ?? '') ?? [];
    const dead = consumers.flatMap(({ dead_letter_queue }) => dead_letter_queue ?? []);
    expect(written).toHaveLength(2);
    expect([...new Set([...written, ...dead])].sort()).toEqual(consumers.map(({ queue }) => queue).sort());
    expect(consumers.filter(({ max_retries = 0 }) => max_retries === 0)).toEqual([]);
    expect(consumers.filter((each) => written.includes(each.queue) && !each.dead_letter_queue)).toEqual([]);
    expect([...written, ...dead].filter((queue) => !queue.startsWith(`${template.name}-`))).toEqual([]);
  });

  it('has a nightly and an hourly schedule, and lets the Worker answer for its assets', () => {
    expect(template.triggers.crons?.map(isHourly)).toEqual([false, true]);
    expect(template.assets).toMatchObject({ run_worker_first: true, html_handling: 'none', binding: 'ASSETS' });
  });

  it('has the documented rate limits, each with a namespace of its own', () => {
    const per10s = (limit: number) => ({ limit, period: 10 });
    expect(template.ratelimits.map(({ name, simple }) => [name, simple])).toEqual([
      ['ADDRESS_LIMIT', per10s(10_000)],
      ['READ_LIMIT', per10s(5_000)],
      ['WRITE_LIMIT', per10s(1_000)],
      ['BULK_LIMIT', per10s(20)],
    ]);
    expect(new Set(template.ratelimits.map(({ namespace_id: id }) => id)).size).toBe(4);
  });
});
