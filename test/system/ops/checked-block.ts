import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { demandDeployable } from '../../../ops/deploy/validate-deployable.ts';

/** Where the file is, while the tests run. */
export const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
afterAll(() => rmSync(folder, { recursive: true }));

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
export function checked({ changes = {}, block = [], tables = [] }: Parts = {}, environment = 'production'): void {
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
