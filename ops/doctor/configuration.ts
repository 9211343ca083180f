import { configOf } from '../../src/config/parse-config.ts';
import { ConfigError } from '../../src/config/variable.ts';
import { Failure } from '../../terminal/failure.ts';
import { lacksId } from '../deploy/deployment-config.ts';
import { shownFile, valuesFileOf } from '../deploy/deployment-values.ts';
import { SECRET_NAMES } from '../deploy/secret-names.ts';
import { validateDeployment } from '../deploy/validate-deployment.ts';
import type { Deployment } from '../nodes/deployment.ts';
import { parseConfig } from '../nodes/parse-configs.ts';
import { check, type Finding, fail, ok, skip, type Verdict } from './check.ts';

export function checkConfiguration(deployment: Deployment): Promise<Finding[]> {
  return Promise.all([
    check('variables', () => variablesVerdict(deployment)),
    check('secrets', () => secretsVerdict(deployment)),
    ...(deployment.environment === undefined ? [] : [check('databases', () => databaseVerdict(deployment))]),
  ]);
}

function variablesVerdict({ environment, variables }: Deployment): Verdict {
  try {
    if (environment === undefined) configOf({ ...variables });
    else validateDeployment(environment);
  } catch (error) {
    if (error instanceof ConfigError)
      return fail(error.message, 'correct the variable (docs/operators/configuration.md)');
    if (error instanceof Failure) return fail(error.message, 'correct it there (docs/operators/configuration.md)');
    throw error;
  }
  return ok(environment === undefined ? 'the Worker accepts them' : `the Worker accepts those of ${environment}`);
}

const SET_ENDPOINTS = 'set it to JSON like {"sepolia": ["https://…"]}';

function secretsVerdict({ environment, variables, secrets }: Deployment): Verdict {
  if (secrets === undefined) {
    return skip('the doctor does not know them: pass a file with --secrets FILE, or set them in the environment');
  }
  const stray = Object.keys(secrets).find((name) => !(SECRET_NAMES as readonly string[]).includes(name));
  if (stray !== undefined) {
    // A name with other characters may be part of a key in the wrong place.
    const shown = /^[A-Z_]{1,40}$/.test(stray) ? stray : 'one of the names';
    return fail(`${shown} is not a secret of the Worker`, `remove it; the secrets are ${SECRET_NAMES.join(', ')}`);
  }
  const set = SECRET_NAMES.filter((name) => secrets[name]);
  if (!set.includes('RPC_ENDPOINTS')) return fail('RPC_ENDPOINTS is missing: no network is enabled', SET_ENDPOINTS);
  if (!set.some((name) => name.endsWith('_GATEKEEPER_KEY'))) {
    return fail(
      'no gatekeeper key is set: no network is enabled',
      'set ETHEREUM_GATEKEEPER_KEY, SOLANA_GATEKEEPER_KEY or both',
    );
  }
  if (parseConfig({ ...variables }) === undefined) return skip('the variables are invalid');
  try {
    const { rpc } = configOf({ ...variables, ...secrets });
    if (Object.values(rpc).flat().length === 0) {
      return fail('RPC_ENDPOINTS names no endpoint: no network is enabled', SET_ENDPOINTS);
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const isSecret = (SECRET_NAMES as readonly string[]).includes(error.variable);
    const again = environment === undefined ? 'start `npm run dev` again' : 'set it again';
    return fail(error.message, isSecret ? `correct the secret, and ${again}` : 'correct the variable');
  }
  return ok(set.join(', '));
}

function databaseVerdict({ environment = '', shards, databaseIds }: Deployment): Verdict {
  const at = databaseIds.findIndex(lacksId);
  if (at < 0) return ok(shards.join(', '));
  return fail(
    `${shards[at]} has no database_id`,
    `run \`npx wrangler d1 create gatepass-${environment}\`, and enter the id that it prints in ${shownFile(valuesFileOf(environment))}`,
  );
}

/** Whether the doctor can query the databases of the deployment. */
export function hasDatabases(deployment: Deployment): boolean {
  return deployment.environment === undefined || databaseVerdict(deployment).type === 'ok';
}
