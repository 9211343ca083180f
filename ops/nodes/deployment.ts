import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Address } from 'viem';
import { Failure } from '../../terminal/failure.ts';
import { boundShardsOf, wranglerConfigOf } from '../deploy/deployment-config.ts';
import { readValues } from '../deploy/deployment-values.ts';
import { SECRET_NAMES } from '../deploy/secret-names.ts';
import { readText } from '../files.ts';
import type { LocalFacts } from './local-facts.ts';

/** The options that name a deployment. */
export interface DeploymentOptions {
  /** Name of the deployment; undefined: the localnet. */
  readonly environment: string | undefined;
  /** File that describes the localnet. */
  readonly localnet: string;
  /** File with the secrets. */
  readonly secrets: string | undefined;
  /** Without a slash at its end. */
  readonly url: string | undefined;
}

/** A deployment, before or after its first release, or the localnet. */
export interface Deployment {
  /** Name of the deployment; undefined: the localnet. */
  readonly environment: string | undefined;
  /** The variables of the rendered configuration; for the localnet, as the Worker received them. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The known secrets by name; undefined: none is known. */
  readonly secrets: Readonly<Record<string, unknown>> | undefined;
  /** Bindings of the shards. `databaseIds` has their ids in the same order. */
  readonly shards: readonly string[];
  readonly databaseIds: readonly (string | undefined)[];
  /** Folder with the local databases. */
  readonly state: string | undefined;
  readonly url: string | undefined;
  /** The contracts that trust its verdict keys, by network. */
  readonly verdictContracts: Readonly<Record<string, Address>>;
  /** Variables with the operator's token or credentials, if known. */
  readonly operator: Readonly<Record<string, string | undefined>>;
}

/** Returns the deployment. Throws Failure if its values, file or localnet do not exist. */
export function readDeployment(
  options: DeploymentOptions,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Deployment {
  return options.environment === undefined ? readLocalDeployment(options) : readRemoteDeployment(options, environment);
}

function readRemoteDeployment(
  { environment, secrets, url }: DeploymentOptions,
  known: Readonly<Record<string, string | undefined>>,
): Deployment {
  const { vars, d1_databases } = wranglerConfigOf(environment);
  return {
    environment,
    variables: vars,
    secrets: secrets === undefined ? secretsIn(known) : readSecrets(secrets),
    shards: boundShardsOf(environment),
    databaseIds: d1_databases.map(({ database_id }) => database_id),
    state: undefined,
    url,
    verdictContracts: readValues(environment ?? '').verdict_contracts,
    operator: known,
  };
}

function secretsIn(environment: Readonly<Record<string, string | undefined>>): Deployment['secrets'] {
  const found = SECRET_NAMES.filter((name) => environment[name] !== undefined);
  return found.length === 0 ? undefined : Object.fromEntries(found.map((name) => [name, environment[name]]));
}

/**
 * Returns the secrets of a file in a format of `wrangler secret bulk`: JSON or dotenv lines. The Failure for any other file
 * quotes nothing of it, because it may contain a secret.
 */
export function readSecrets(file: string): Readonly<Record<string, unknown>> {
  const text = readText(file, '--secrets')
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n');
  const parsed = parseJson(text) ?? parseLines(text);
  if (typeof parsed !== 'object' || Array.isArray(parsed) || Object.keys(parsed).length === 0) {
    throw new Failure(
      `--secrets: ${file} must contain JSON like {"NAME": "value"}, or nothing but lines of NAME='value'`,
      2,
    );
  }
  // In JSON, null deletes a secret.
  const secrets = Object.entries(parsed).filter(([, value]) => value !== null);
  if (secrets.every(([, value]) => typeof value === 'string')) return Object.fromEntries(secrets);
  throw new Failure(`--secrets: ${file} has values that are not strings: quote a value that is itself JSON`, 2);
}

/** A line that dotenv, and therefore wrangler, accepts: a name with its value, or a comment. */
const ENV_LINE =
  /^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*('[^']*'|"[^"\\]*"|[^\s'"`#][^#\n]*)?[ \t]*(?:#.*)?$|^[ \t]*#.*$/gm;

/** Returns names and values, or undefined if the text contains any other line. */
function parseLines(text: string): object | undefined {
  if (text.replaceAll(ENV_LINE, '').trim() !== '') return undefined;
  const values = [...text.matchAll(ENV_LINE)].flatMap(([, name, value = '']) => (name ? [[name, value.trim()]] : []));
  return Object.fromEntries(values.map(([name, value = '']) => [name, value.replace(/^(['"])([\s\S]*)\1$/, '$2')]));
}

/** Returns the operator's credentials under the names of the environment variables that the operator's commands read. */
function operatorVariables({ tokenUrl, operator }: LocalFacts): Deployment['operator'] {
  return {
    GATEPASS_TOKEN_URL: tokenUrl,
    GATEPASS_CLIENT_ID: operator?.clientId,
    GATEPASS_CLIENT_SECRET: operator?.clientSecret,
    GATEPASS_AUDIENCE: operator?.audience,
  };
}

const NOT_RUNNING = '`npm run dev` must run';

function readLocalDeployment({ localnet, url }: DeploymentOptions): Deployment {
  const facts = (parseJson(readText(localnet, NOT_RUNNING, 1)) ?? {}) as LocalFacts;
  const { baseUrl, state } = facts;
  if (state === undefined) throw new Failure(`${localnet} describes no Worker: start one with \`npm run dev\``);
  const { vars } = wranglerConfigOf(undefined);
  const given: Record<string, unknown> = {
    ...vars,
    ...parseEnv(readText(join(state, 'worker.env'), NOT_RUNNING, 1)),
  };
  const isSecret = (name: string) => (SECRET_NAMES as readonly string[]).includes(name);
  const part = (secret: boolean) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => isSecret(name) === secret));
  return {
    environment: undefined,
    variables: part(false),
    secrets: part(true),
    shards: boundShardsOf(undefined),
    databaseIds: [],
    state,
    url: url ?? baseUrl,
    verdictContracts: facts.verdictContracts ?? {},
    operator: operatorVariables(facts),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
