import { join } from 'node:path';
import { unstable_readConfig as readConfig } from 'wrangler';
import { configOf } from '../src/config/config.ts';
import { ConfigError } from '../src/config/variable.ts';
import { Failure } from './failure.ts';
import { PROJECT } from './wrangler.ts';

const SECRETS = ['ETHEREUM_GATEKEEPER_KEY', 'SOLANA_GATEKEEPER_KEY', 'RPC_ENDPOINTS'];

/**
 * Holds the variables of an environment in `wrangler.toml` to what the Worker itself demands of them where it is
 * deployed. Throws Failure with what is wrong. Secrets are not known here.
 */
export function demandDeployable(environment: string, file = join(PROJECT, 'wrangler.toml')): void {
  const { definedEnvironments: known = [] } = readConfig({ config: file }, { hideWarnings: true });
  if (!known.includes(environment)) {
    throw new Failure(`wrangler.toml has no [env.${environment}]; it has ${known.join(', ') || 'none'}`, 2);
  }
  const { vars } = readConfig({ config: file, env: environment }, { hideWarnings: true });
  const refuse = (complaint: string) => new Failure(`[env.${environment}.vars] of wrangler.toml: ${complaint}`);
  const secret = SECRETS.find((name) => name in vars);
  if (secret) throw refuse(`${secret} is a secret: take it out, and set it with \`wrangler secret put\``);
  if (localIn(vars, refuse)) throw refuse('DEPLOYMENT must not be local: that is for who tries the Worker out');
}

/** Whether the Worker would take itself for a local one. */
function localIn(vars: object, refuse: (complaint: string) => Failure): boolean {
  try {
    return configOf(vars).local;
  } catch (error) {
    throw error instanceof ConfigError ? refuse(error.message) : error;
  }
}
