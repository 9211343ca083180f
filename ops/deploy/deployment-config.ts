import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Unstable_Config as WranglerConfig } from 'wrangler';
import { isShardName } from '../../src/config/bindings.ts';
import { Failure } from '../../terminal/failure.ts';
import { loadWrangler, PROJECT } from '../../terminal/wrangler.ts';
import { parseToml, readValues, shownFile, valuesFileOf, valuesFolder } from './deployment-values.ts';
import { renderConfig, type Template, withBundledWorker } from './render-config.ts';

const TEMPLATE = join(PROJECT, 'wrangler.toml');

/**
 * Writes the complete configuration of a deployment beside its values, and returns the path of the file, for wrangler's `--config`.
 * Throws Failure if the deployment has no valid values.
 */
export function configFileOf(deployment: string): string {
  const template = withBundledWorker(parseToml(TEMPLATE) as Template, PROJECT);
  const text = `${JSON.stringify(renderConfig(template, deployment, readValues(deployment)), undefined, 2)}\n`;
  // Wrangler puts its own files there too. The folder of the values may be a repository that does not ignore them.
  const folder = join(valuesFolder(), '.wrangler');
  const file = join(folder, `${deployment}.json`);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return file;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '.gitignore'), '*\n');
  // Another command may read the file at the same time.
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, text);
  renameSync(partial, file);
  return file;
}

/**
 * Returns the configuration of a deployment, or that of local runs (the template itself) if none is named. Throws Failure if the
 * deployment has no valid values.
 */
export function wranglerConfigOf(deployment: string | undefined): WranglerConfig {
  const config = deployment === undefined ? TEMPLATE : configFileOf(deployment);
  try {
    return loadWrangler().unstable_readConfig({ config }, { hideWarnings: true });
  } catch (error) {
    const subject = deployment === undefined ? 'wrangler.toml' : shownFile(valuesFileOf(deployment));
    throw new Failure(
      `${subject}: ${String((error as Error).message)
        .replaceAll(/\s+/g, ' ')
        .slice(0, 300)}`,
    );
  }
}

/** Returns the shards that a deployment binds, or those of local runs if none is named. */
export function boundShardsOf(deployment: string | undefined): string[] {
  return wranglerConfigOf(deployment)
    .d1_databases.map(({ binding }) => binding)
    .filter(isShardName);
}

/** Whether the database has no id yet. `wrangler d1 create` prints it, a UUID. */
export const lacksId = (id: string | undefined) =>
  id === undefined || /^[0-]*$/.test(id) || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
