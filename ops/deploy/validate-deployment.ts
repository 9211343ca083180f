import type { Unstable_Config as WranglerConfig } from 'wrangler';
import { configOf } from '../../src/config/parse-config.ts';
import { ConfigError } from '../../src/config/variable.ts';
import { Failure } from '../../terminal/failure.ts';
import { lacksId, wranglerConfigOf } from './deployment-config.ts';
import { deploymentFault, sharedResourceFault } from './deployment-fault.ts';
import { deploymentNames, readValues, shownFile, valuesFileOf } from './deployment-values.ts';
import { EMERGENCY_SECRETS, SECRET_NAMES } from './secret-names.ts';

/**
 * Throws Failure with the reason if the Worker could not run with the values of a deployment. It needs:
 * - variables that the Worker accepts in a deployment
 * - databases that exist
 * - no resource that another deployment of the folder uses
 *
 * It does not check secrets, which are unknown after the first release.
 */
export function validateDeployment(deployment: string): void {
  validateValues(deployment);
  const uncreated = wranglerConfigOf(deployment).d1_databases.find(({ database_id }) => lacksId(database_id));
  if (uncreated) {
    throw new Failure(
      `${shownFile(valuesFileOf(deployment))} has no database_id for ${uncreated.binding}: ` +
        'create the database with `wrangler d1 create` and enter its id',
    );
  }
}

/** Throws Failure if the Worker could not run with the values of a deployment and these secrets, which are all that it has. */
export function validateSecrets(deployment: string, secrets: Readonly<Record<string, unknown>>): void {
  const fault = configFault({ ...wranglerConfigOf(deployment).vars, ...secrets });
  if (fault) throw new Failure(`${shownFile(valuesFileOf(deployment))} does not fit the secrets: ${fault}`);
}

/** Throws Failure if the values are wrong. Databases may be missing. */
export function validateValues(deployment: string): void {
  const template = wranglerConfigOf(undefined);
  const config = wranglerConfigOf(deployment);
  const fault =
    rateLimitNameFault(deployment, template) ??
    deploymentFault(config) ??
    sharedResourceFault(config, otherConfigs(deployment)) ??
    prefixed(variableFault(config.vars, template.vars));
  if (fault) throw new Failure(`${shownFile(valuesFileOf(deployment))} ${fault}`);
}

const prefixed = (fault: string | undefined) => fault && `has wrong vars: ${fault}`;

function rateLimitNameFault(deployment: string, { ratelimits }: WranglerConfig): string | undefined {
  const known = ratelimits.map(({ name }) => name);
  const stray = Object.keys(readValues(deployment).ratelimits).find((name) => !known.includes(name));
  return stray && `has the unknown rate limit ${stray}: the rate limits are ${known.join(', ')}`;
}

/** Another deployment whose own values are wrong shares nothing: its own commands report it. */
function otherConfigs(deployment: string): Record<string, WranglerConfig> {
  const others = deploymentNames().filter((name) => name !== deployment);
  const configs = others.map((name) => {
    try {
      return [[name, wranglerConfigOf(name)] as const];
    } catch (error) {
      if (error instanceof Failure) return [];
      throw error;
    }
  });
  return Object.fromEntries(configs.flat());
}

function variableFault(vars: object, known: object): string | undefined {
  const secret = SECRET_NAMES.find((name) => name in vars);
  if (secret) return `${secret} is a secret: remove it, and set it with \`npm run wrangler -- secret put\``;
  const ofEmergency = EMERGENCY_SECRETS.find((name) => name in vars);
  if (ofEmergency) {
    const command = ofEmergency === 'VERDICT_KEYS' ? 'verdict' : 'emergency';
    return `${ofEmergency} is a secret: remove it, and set it with \`npm run ${command}\``;
  }
  const stray = Object.keys(vars).find((name) => !(name in known));
  if (stray) return `${stray} is not a variable of wrangler.toml: correct its spelling, or remove it`;
  return configFault(vars);
}

/** The message names variables and no value. */
function configFault(environment: object): string | undefined {
  try {
    return configOf(environment).local ? "DEPLOYMENT must not be local: that is for a developer's machine" : undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}
