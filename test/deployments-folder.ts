import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** Variables that the Worker accepts in a deployment. */
export const GOOD_VARIABLES = {
  PUBLIC_ORIGIN: 'https://passes.acme.io',
  TOKEN_ISSUER: 'https://login.acme.io',
  TOKEN_AUDIENCE: 'https://passes.acme.io',
  JWKS_URL: 'https://login.acme.io/jwks',
  ADMIN_AUDIENCE: 'https://staff.acme.io',
};

export const GOOD_DATABASE = {
  binding: 'DB',
  database_name: 'gatepass-production',
  database_id: '11111111-1111-4111-8111-111111111111',
};

type Table = Readonly<Record<string, unknown>>;

interface Parts {
  /** Lines before the first table. */
  readonly top?: readonly string[];
  /** Variables that differ from the valid ones. */
  readonly vars?: Table;
  readonly databases?: readonly Table[];
  /** Lines at the end. */
  readonly more?: readonly string[];
}

/** Returns the text of a file with the values of a deployment, by default valid ones. */
export function valuesText({ top = [], vars = {}, databases = [GOOD_DATABASE], more = [] }: Parts = {}): string {
  const lines = (table: Table) => Object.entries(table).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [
    ...top,
    '[vars]',
    ...lines({ ...GOOD_VARIABLES, ...vars }),
    ...databases.flatMap((each) => ['[[d1_databases]]', ...lines(each)]),
    ...more,
  ].join('\n');
}

/** While the tests of the file run, the deployments are in a folder of their own. Returns functions that use it. */
export function useDeploymentsFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-deployments-'));
  const before = process.env.GATEPASS_DEPLOYMENTS;
  beforeAll(() => {
    process.env.GATEPASS_DEPLOYMENTS = folder;
  });
  afterAll(() => {
    if (before === undefined) delete process.env.GATEPASS_DEPLOYMENTS;
    else process.env.GATEPASS_DEPLOYMENTS = before;
    rmSync(folder, { recursive: true });
  });
  return {
    folder,
    /** Writes the values of a deployment. */
    write: (deployment: string, parts: Parts | string = {}) =>
      writeFileSync(join(folder, `${deployment}.toml`), typeof parts === 'string' ? parts : valuesText(parts)),
    remove: (deployment: string) => rmSync(join(folder, `${deployment}.toml`), { force: true }),
  };
}
