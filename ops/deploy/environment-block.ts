import { join } from 'node:path';
import { unstable_readConfig as readConfig, type Unstable_Config as WranglerConfig } from 'wrangler';
import { Failure } from '../../scripts/failure.ts';
import { PROJECT } from '../../scripts/wrangler.ts';

/** A block of `wrangler.toml`; without its name the top level. Throws Failure where there is none, or what is no such file. */
export function blockOf(environment: string | undefined, file = join(PROJECT, 'wrangler.toml')): WranglerConfig {
  const top = read(file, undefined);
  if (environment === undefined) return top;
  const known = top.definedEnvironments ?? [];
  if (known.includes(environment)) return read(file, environment);
  throw new Failure(`wrangler.toml has no [env.${environment}]; it has ${known.join(', ') || 'none'}`, 2);
}

function read(config: string, env: string | undefined): WranglerConfig {
  try {
    return readConfig({ config, env }, { hideWarnings: true });
  } catch (error) {
    // The error itself holds the whole file.
    const { message, location } = Object(error) as { message?: unknown; location?: { line?: unknown } };
    const where = location?.line === undefined ? '' : `, line ${location.line}`;
    throw new Failure(`wrangler.toml${where}: ${String(message).replaceAll(/\s+/g, ' ').slice(0, 300)}`);
  }
}
