import { join } from 'node:path';
import { unstable_readConfig as readConfig, type Unstable_Config as WranglerConfig } from 'wrangler';
import { Failure } from '../../scripts/failure.ts';
import { PROJECT } from '../../scripts/wrangler.ts';
import { isShardName } from '../../src/config/bindings.ts';

/** Names of the Worker's secrets. The operator sets them with wrangler, never in `wrangler.toml`. */
export const SECRET_NAMES = [
  'ETHEREUM_GATEKEEPER_KEY',
  'SOLANA_GATEKEEPER_KEY',
  'KMS_CREDENTIALS',
  'RPC_ENDPOINTS',
] as const;

/**
 * Returns a block of `wrangler.toml`, or the top level if no environment is named. Throws Failure if the block does not exist
 * or the file is invalid.
 */
export function blockOf(environment: string | undefined, file = join(PROJECT, 'wrangler.toml')): WranglerConfig {
  const top = readBlock(file, undefined);
  if (environment === undefined) return top;
  const known = top.definedEnvironments ?? [];
  if (known.includes(environment)) return readBlock(file, environment);
  throw new Failure(
    `wrangler.toml has no [env.${environment}]: add it, or name one of these environments: ${known.join(', ') || 'none'}`,
    2,
  );
}

/** Returns the shards that a block of `wrangler.toml` binds, or those of the top level if no environment is named. */
export function boundShardsOf(environment: string | undefined, file?: string): string[] {
  const { d1_databases } = blockOf(environment, file);
  return d1_databases.map(({ binding }) => binding).filter(isShardName);
}

/** Returns the OAuth clients of the console in a block of `wrangler.toml`, or in the top level. They are no partners. */
export function consoleClientsOf(environment: string | undefined, file?: string): string[] {
  const { CONSOLE_CLIENT_ID, CONSOLE_ADMIN_CLIENT_ID } = blockOf(environment, file).vars;
  return [CONSOLE_CLIENT_ID, CONSOLE_ADMIN_CLIENT_ID].filter((id) => typeof id === 'string' && id !== '') as string[];
}

/** Whether a database id is still the template's: all zeros. `wrangler d1 create` prints the real one. */
export const isTemplateId = (id: string | undefined) => id === undefined || /^[0-]*$/.test(id);

function readBlock(config: string, env: string | undefined): WranglerConfig {
  try {
    return readConfig({ config, env }, { hideWarnings: true });
  } catch (error) {
    // The error contains the whole file, so only its message and line are shown.
    const { message, location } = Object(error) as { message?: unknown; location?: { line?: unknown } };
    const where = location?.line === undefined ? '' : `, line ${location.line}`;
    throw new Failure(`wrangler.toml${where}: ${String(message).replaceAll(/\s+/g, ' ').slice(0, 300)}`);
  }
}
