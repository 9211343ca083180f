import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Unstable_Config as WranglerConfig } from 'wrangler';
import { loadWrangler } from '../../terminal/wrangler.ts';

const Names = v.array(v.string());

/** The parts around the code of a release, by which two releases are compared. */
export const DeployedParts = v.strictObject({
  /** The SHA-256 of each D1 migration, by its file. */
  migrations: v.record(v.string(), v.string()),
  /** The classes that each migration of Durable Objects adds, by its tag, in the order of the tags. */
  classes: v.record(v.string(), Names),
  bindings: Names,
  variables: Names,
  secrets: Names,
});
export type DeployedParts = v.InferOutput<typeof DeployedParts>;

/**
 * Returns the parts of a checkout.
 * @param secrets The names of the Worker's secrets.
 */
export function readDeployedParts(project: string, secrets: readonly string[]): DeployedParts {
  const file = join(project, 'wrangler.toml');
  const config: WranglerConfig = loadWrangler().unstable_readConfig({ config: file }, { hideWarnings: true });
  const { d1_databases, durable_objects, queues, ratelimits, assets, migrations, vars } = config;
  const folder = join(project, d1_databases[0]?.migrations_dir ?? 'migrations');
  const hashOf = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return {
    migrations: Object.fromEntries(files.toSorted().map((file) => [file, hashOf(file)])),
    classes: Object.fromEntries(migrations.map(({ tag, new_sqlite_classes: added = [] }) => [tag, added])),
    bindings: [
      ...d1_databases.map(({ binding }) => `${binding} (D1)`),
      ...durable_objects.bindings.map(({ name, class_name }) => `${name} (${class_name})`),
      ...(queues.producers ?? []).map(({ binding }) => `${binding} (queue)`),
      ...ratelimits.map(({ name }) => `${name} (rate limit)`),
      ...(assets?.binding === undefined ? [] : [`${assets.binding} (assets)`]),
    ],
    variables: Object.keys(vars),
    secrets: [...secrets],
  };
}
