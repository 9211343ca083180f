import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { unstable_readConfig as readConfig, type Unstable_Config as WranglerConfig } from 'wrangler';
import { demandDeployable } from '../../scripts/demand-deployable.ts';

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

/** A `wrangler.toml` whose production has these variables; its top level would do for no deployment. */
function checked(changes: Readonly<Record<string, string | number>> = {}, environment = 'production'): void {
  const file = join(folder, 'wrangler.toml');
  const variables = Object.entries({ ...GOOD, ...changes }).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}`,
  );
  const header = ['name = "w"', 'main = "w.ts"', 'compatibility_date = "2026-08-15"', '[vars]', 'DEPLOYMENT = "local"'];
  writeFileSync(file, [...header, '[env.production.vars]', ...variables].join('\n'));
  demandDeployable(environment, file);
}

it('takes variables that the Worker takes; its secrets are not known', () => {
  expect(() => checked()).not.toThrow();
});

it.each([
  [{ DEPLOYMENT: 'local' }, 'DEPLOYMENT must not be local'],
  [{ DEPLOYMENT: 'prod' }, 'DEPLOYMENT must be local, staging or production'],
  [{ TOKEN_ISSUER: 'https://issuer.example.com/planted7f3a' }, 'TOKEN_ISSUER must name a public host'],
  [{ JWKS_URL: 'http://login.acme.io/planted7f3a' }, 'JWKS_URL must begin with https'],
  [{ TOKEN_AUDIENCE: '' }, 'TOKEN_AUDIENCE must be set'],
  [{ TOKEN_ALGORITHMS: 'HS256' }, 'TOKEN_ALGORITHMS must name asymmetric algorithms'],
  [{ MAINNETS: 'sepolia' }, 'MAINNETS must name none but mainnets'],
  [{ BASE_PATH: 4711 }, 'BASE_PATH must be set'],
  [{ ETHEREUM_GATEKEEPER_KEY: 'planted7f3a' }, 'ETHEREUM_GATEKEEPER_KEY is a secret: take it out'],
  [{ RPC_ENDPOINTS: '{}' }, 'RPC_ENDPOINTS is a secret: take it out'],
])('stops at %j', (changes, complaint) => {
  expect(() => checked(changes)).toThrow(`[env.production.vars] of wrangler.toml: ${complaint}`);
  expect(() => checked(changes)).not.toThrow('planted7f3a');
});

it('stops where a binding is missing: without its limits the Worker would serve without limits', () => {
  const file = join(folder, 'bindings.toml');
  const limits = (block: string, names: readonly string[]) =>
    names.flatMap((name, index) => [
      `[[${block}ratelimits]]`,
      `name = "${name}"`,
      `namespace_id = "${index + 1}"`,
      'simple = { limit = 1, period = 10 }',
    ]);
  const variables = Object.entries(GOOD).map(([name, value]) => `${name} = "${value}"`);
  const top = ['name = "w"', 'main = "w.ts"', 'compatibility_date = "2026-08-15"', ...limits('', ['A', 'B'])];
  writeFileSync(file, [...top, '[env.production.vars]', ...variables, ...limits('env.production.', ['A'])].join('\n'));
  expect(() => demandDeployable('production', file)).toThrow('[env.production] of wrangler.toml lacks B');
});

it('stops at a domain beside which the Worker would answer under another name as well', () => {
  const file = join(folder, 'routes.toml');
  const variables = Object.entries(GOOD).map(([name, value]) => `${name} = "${value}"`);
  const released = (workersDev: boolean) => {
    const top = ['name = "w"', 'main = "w.ts"', 'compatibility_date = "2026-08-15"', 'workers_dev = true'];
    const block = ['[env.production]', `workers_dev = ${workersDev}`, 'routes = ["passes.acme.io/*"]'];
    writeFileSync(file, [...top, ...block, '[env.production.vars]', ...variables].join('\n'));
    return demandDeployable('production', file);
  };
  expect(() => released(true)).toThrow('with routes of its own, workers_dev must be false');
  expect(() => released(false)).not.toThrow();
});

it.each(['staging', 'production'])('the block of %s has every binding and every variable', (env) => {
  const [top, block]: [WranglerConfig, WranglerConfig] = [readConfig({}, QUIET), readConfig({ env }, QUIET)];
  expect(Object.keys(block.vars)).toEqual(Object.keys(top.vars));
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
