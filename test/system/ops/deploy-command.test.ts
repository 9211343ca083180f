import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { unstable_readConfig as readConfig, type Unstable_Config as WranglerConfig } from 'wrangler';
import { GATEKEEPERS } from '../../../localnet/ethereum/gatekeepers.ts';
import { validateEnvironment } from '../../../ops/deploy/validate-environment.ts';
import { checkEnvironment, folder } from './check-environment.ts';

const QUIET = { hideWarnings: true };

it('the check accepts the variables that the Worker accepts, without its secrets', () => {
  expect(() => checkEnvironment()).not.toThrow();
  expect(() => checkEnvironment({ changes: { RETIRED_GATEKEEPERS: GATEKEEPERS.join(' ') } })).not.toThrow();
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
  [{ RPC_ENDPOINTS: '{}' }, 'RPC_ENDPOINTS is a secret: remove it'],
  [{ RETIRED_GATEKEEPERS: 'planted7f3a' }, 'RETIRED_GATEKEEPERS must be addresses of gatekeepers'],
  [{ CORS_ORIGIN: '' }, 'CORS_ORIGIN is not a variable of the top level'],
  [{ routes: 'passes.acme.io/*' }, 'routes is not a variable of the top level'],
])('the check refuses the variables %j, and does not print their values', (changes, complaint) => {
  expect(() => checkEnvironment({ changes })).toThrow(`[env.production.vars] of wrangler.toml: ${complaint}`);
  expect(() => checkEnvironment({ changes })).not.toThrow('planted7f3a');
});

it.each(['staging', 'production'])(
  'the block of %s in wrangler.toml has every binding and every variable of the top level',
  (env) => {
    const [top, block]: [WranglerConfig, WranglerConfig] = [readConfig({}, QUIET), readConfig({ env }, QUIET)];
    expect(Object.keys(block.vars)).toEqual(Object.keys(top.vars));
    expect([top, block].map(({ assets }) => assets?.run_worker_first)).toEqual([true, true]);
    expect(() => validateEnvironment(env)).toThrow(
      `[env.${env}.vars] of wrangler.toml: TOKEN_ISSUER must name a public host`,
    );
    const per10s = (limit: number) => ({ limit, period: 10 });
    for (const { ratelimits } of [top, block]) {
      expect(ratelimits.map(({ name, simple }) => [name, simple])).toEqual([
        ['ADDRESS_LIMIT', per10s(10_000)],
        ['READ_LIMIT', per10s(5_000)],
        ['WRITE_LIMIT', per10s(1_000)],
        ['BULK_LIMIT', per10s(20)],
      ]);
    }
    const ids = ({ ratelimits }: WranglerConfig) => ratelimits.map(({ namespace_id: id }) => id);
    expect(new Set([...ids(top), ...ids(block)]).size).toBe(8);
  },
);

it('the check refuses an environment that wrangler.toml does not have', () => {
  expect(() => checkEnvironment({}, 'prodution')).toThrow(
    'wrangler.toml has no [env.prodution]: add it, or name one of these environments: production',
  );
});

it('`npm run deploy` refuses the template of wrangler.toml before it starts wrangler', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['ops/deploy.ts', '--env', 'production'], {
    encoding: 'utf8',
    // If the check failed to stop it, wrangler would find no account.
    env: { PATH: process.env.PATH, HOME: folder, CI: 'true' },
    timeout: 120_000,
  });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^\[env\.production\.vars\] of wrangler\.toml: TOKEN_ISSUER must name a public host/);
});
