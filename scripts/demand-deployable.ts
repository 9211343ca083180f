import { join } from 'node:path';
import { unstable_readConfig as readConfig, type Unstable_Config as WranglerConfig } from 'wrangler';
import { configOf } from '../src/config/config.ts';
import { ConfigError } from '../src/config/variable.ts';
import { Failure } from './failure.ts';
import { PROJECT } from './wrangler.ts';

const SECRETS = ['ETHEREUM_GATEKEEPER_KEY', 'SOLANA_GATEKEEPER_KEY', 'RPC_ENDPOINTS'];

/**
 * Holds an environment in `wrangler.toml` to what the Worker itself demands of its variables where it is deployed, and to
 * the bindings that it has at the top level. Throws Failure with what is wrong. Secrets are not known here.
 */
export function demandDeployable(environment: string, file = join(PROJECT, 'wrangler.toml')): void {
  const local = readConfig({ config: file }, { hideWarnings: true });
  const { definedEnvironments: known = [] } = local;
  if (!known.includes(environment)) {
    throw new Failure(`wrangler.toml has no [env.${environment}]; it has ${known.join(', ') || 'none'}`, 2);
  }
  const deployed = readConfig({ config: file, env: environment }, { hideWarnings: true });
  const missing = bindingsOf(local).filter((name) => !bindingsOf(deployed).includes(name));
  if (missing.length > 0) throw new Failure(`[env.${environment}] of wrangler.toml lacks ${missing.join(', ')}`);
  if (deployed.workers_dev && (deployed.routes ?? deployed.route)) {
    // It would be a second door, past what guards the domain.
    throw new Failure(`[env.${environment}] of wrangler.toml: with routes of its own, workers_dev must be false`);
  }
  const { vars } = deployed;
  const refuse = (complaint: string) => new Failure(`[env.${environment}.vars] of wrangler.toml: ${complaint}`);
  const secret = SECRETS.find((name) => name in vars);
  if (secret) throw refuse(`${secret} is a secret: take it out, and set it with \`wrangler secret put\``);
  if (localIn(vars, refuse)) throw refuse('DEPLOYMENT must not be local: that is for who tries the Worker out');
}

/** Blocks inherit none. */
function bindingsOf({ d1_databases, durable_objects, queues, ratelimits }: WranglerConfig): string[] {
  return [
    ...d1_databases.map(({ binding }) => binding),
    ...durable_objects.bindings.map(({ name }) => name),
    ...(queues.producers ?? []).map(({ binding }) => binding),
    ...ratelimits.map(({ name }) => name),
  ];
}

/** Whether the Worker would take itself for a local one. */
function localIn(vars: object, refuse: (complaint: string) => Failure): boolean {
  try {
    return configOf(vars).local;
  } catch (error) {
    throw error instanceof ConfigError ? refuse(error.message) : error;
  }
}
