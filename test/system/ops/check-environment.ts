import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { validateEnvironment } from '../../../ops/deploy/validate-environment.ts';

/** The folder with the `wrangler.toml` of a test. */
export const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
afterAll(() => rmSync(folder, { recursive: true }));

const GOOD = {
  DEPLOYMENT: 'production',
  PUBLIC_ORIGIN: 'https://passes.acme.io',
  TOKEN_ISSUER: 'https://login.acme.io',
  TOKEN_AUDIENCE: 'https://passes.acme.io',
  JWKS_URL: 'https://login.acme.io/jwks',
  ADMIN_AUDIENCE: 'https://staff.acme.io',
  TOKEN_ALGORITHMS: 'RS256',
  CLIENT_CLAIM: 'client_id',
  SCOPE_CLAIM: 'scope',
  SCOPE_SEARCH: 'search:pass',
  SCOPE_ISSUE: 'issue:pass',
  SCOPE_UPDATE: 'update:pass',
};

type Variables = Readonly<Record<string, string | number>>;

interface Parts {
  /** Variables that differ from the valid ones of production. */
  readonly changes?: Variables;
  /** Lines of `[env.production]`. */
  readonly block?: readonly string[];
  /** Lines of tables at the end of the file. */
  readonly tables?: readonly string[];
}

/**
 * Checks a `wrangler.toml` with these parts. Throws like `npm run deploy`. The top level holds a local Worker, so a check
 * that read it instead of the environment would refuse the file.
 */
export function checkEnvironment(
  { changes = {}, block = [], tables = [] }: Parts = {},
  environment = 'production',
): void {
  const file = join(folder, 'wrangler.toml');
  const lines = (variables: Variables) =>
    Object.entries(variables).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const optional = { TOKEN_URL: '', BASE_PATH: '', MAINNETS: '', RETIRED_GATEKEEPERS: '' };
  const top = ['name = "w"', 'main = "w.ts"', 'compatibility_date = "2026-08-15"', 'workers_dev = true', '[vars]'];
  const ofTop = lines({ ...GOOD, ...optional, DEPLOYMENT: 'local' });
  const production = ['[env.production]', ...block, '[env.production.vars]', ...lines({ ...GOOD, ...changes })];
  writeFileSync(file, [...top, ...ofTop, ...production, ...tables].join('\n'));
  validateEnvironment(environment, file);
}
