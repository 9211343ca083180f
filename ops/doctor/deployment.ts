import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { LocalnetFacts } from '../../localnet/state/localnet-facts.ts';
import { Failure } from '../../scripts/failure.ts';
import { blockOf, boundShardsOf } from '../deploy/environment-block.ts';
import { SECRET_NAMES } from '../deploy/secret-names.ts';
import type { DoctorOptions } from './options.ts';

/** What is checked: a block that is deployed or about to be, or the service on this machine. */
export interface Deployment {
  /** Name of the block; undefined: on this machine. */
  readonly environment: string | undefined;
  /** As they stand in `wrangler.toml`; locally as the Worker has got them. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** By name, those that are known here; undefined: none is. */
  readonly secrets: Readonly<Record<string, unknown>> | undefined;
  /** Bindings of the databases that hold passes, and the id of each. */
  readonly shards: readonly string[];
  readonly databaseIds: readonly (string | undefined)[];
  /** Folder with the local databases. */
  readonly state: string | undefined;
  readonly url: string | undefined;
  /** Variables with the operator's token or credentials, as far as they are known. */
  readonly operator: Readonly<Record<string, string | undefined>>;
}

/** Throws Failure for a block, a file or a localnet that is not there. */
export function readDeployment(
  options: DoctorOptions,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Deployment {
  return options.environment === undefined ? readLocalDeployment(options) : readRemoteDeployment(options, environment);
}

function readRemoteDeployment(
  { environment, secrets, url }: DoctorOptions,
  known: Readonly<Record<string, string | undefined>>,
): Deployment {
  const block = blockOf(environment);
  return {
    environment,
    variables: block.vars,
    secrets: secrets === undefined ? secretsIn(known) : readSecrets(secrets),
    shards: boundShardsOf(environment),
    databaseIds: block.d1_databases.map(({ database_id }) => database_id),
    state: undefined,
    url,
    operator: known,
  };
}

function secretsIn(environment: Readonly<Record<string, string | undefined>>): Deployment['secrets'] {
  const found = SECRET_NAMES.filter((name) => environment[name] !== undefined);
  return found.length === 0 ? undefined : Object.fromEntries(found.map((name) => [name, environment[name]]));
}

/** What `wrangler secret bulk` takes: JSON, and else lines as dotenv has them. Nothing of a file that is neither is quoted. */
export function readSecrets(file: string): Readonly<Record<string, unknown>> {
  const text = readText(file, '--secrets')
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n');
  const parsed = parseJson(text) ?? parseLines(text);
  if (typeof parsed !== 'object' || Array.isArray(parsed) || Object.keys(parsed).length === 0) {
    throw new Failure(
      `--secrets: ${file} holds neither JSON like {"NAME": "value"} nor lines of NAME='value' alone`,
      2,
    );
  }
  // In JSON, null takes a secret away.
  const secrets = Object.entries(parsed).filter(([, value]) => value !== null);
  if (secrets.every(([, value]) => typeof value === 'string')) return Object.fromEntries(secrets);
  throw new Failure(`--secrets: ${file} has values that are no strings: what is JSON itself goes into quotes too`, 2);
}

/** What there is to read of the lines that dotenv takes, by which wrangler reads them: a name and its value, or a comment. */
const ENV_LINE =
  /^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*('[^']*'|"[^"\\]*"|[^\s'"`#][^#\n]*)?[ \t]*(?:#.*)?$|^[ \t]*#.*$/gm;

/** Undefined where there are others. */
function parseLines(text: string): object | undefined {
  if (text.replaceAll(ENV_LINE, '').trim() !== '') return undefined;
  const values = [...text.matchAll(ENV_LINE)].flatMap(([, name, value = '']) => (name ? [[name, value.trim()]] : []));
  return Object.fromEntries(values.map(([name, value = '']) => [name, value.replace(/^(['"])([\s\S]*)\1$/, '$2')]));
}

/** What the doctor reads of the file that describes the localnet. */
type LocalFacts = { baseUrl?: string; state?: string } & Partial<Pick<LocalnetFacts, 'tokenUrl' | 'operator'>>;

/** The credentials of the operator, under the names that the commands of the operator read. */
function operatorVariables({ tokenUrl, operator }: LocalFacts): Deployment['operator'] {
  return {
    GATEPASS_TOKEN_URL: tokenUrl,
    GATEPASS_CLIENT_ID: operator?.clientId,
    GATEPASS_CLIENT_SECRET: operator?.clientSecret,
    GATEPASS_AUDIENCE: operator?.audience,
  };
}

function readLocalDeployment({ localnet, url }: DoctorOptions): Deployment {
  const facts = (parseJson(readText(localnet, 'no `npm run dev` runs')) ?? {}) as LocalFacts;
  const { baseUrl, state } = facts;
  if (state === undefined) throw new Failure(`${localnet} tells of no Worker: start one with \`npm run dev\``);
  const { vars } = blockOf(undefined);
  const given: Record<string, unknown> = {
    ...vars,
    ...parseEnv(readText(join(state, 'worker.env'), 'no `npm run dev` runs')),
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
    operator: operatorVariables(facts),
  };
}

function readText(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Failure(`${what}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
