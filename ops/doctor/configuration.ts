import { Failure } from '../../scripts/failure.ts';
import { type Config, configOf } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/variable.ts';
import { SECRETS } from '../deploy/secret-names.ts';
import { isOfTemplate } from '../deploy/template-id.ts';
import { demandDeployable } from '../deploy/validate-deployable.ts';
import { check, type Finding, ok, unchecked, type Verdict, wrong } from './check.ts';
import type { Subject } from './subject.ts';

/** The configuration as far as it holds: what is wrong with one half keeps nobody from looking at the other. */
export interface Known {
  /** Right about issuers and the base path; undefined: these are wrong. */
  readonly issuers: Config | undefined;
  /** Right about networks and keys; undefined: these are wrong, or not known. */
  readonly networks: Config | undefined;
}

const OF_ISSUERS = /^(DEPLOYMENT|BASE_PATH|TOKEN_.*|JWKS_URL|.*_CLAIM|SCOPE_.*|ADMIN_.*)$/;
const OF_NETWORKS = /^(DEPLOYMENT|NETWORKS|MAINNETS|GATEKEEPER_NETWORK_SLOTS|RETIRED_GATEKEEPERS)$/;
/** Of no meaning to the networks, and without which nothing is parsed. */
const SOME_ISSUER = {
  TOKEN_ISSUER: 'https://issuer.acme.io',
  TOKEN_AUDIENCE: 'https://api.acme.io',
  JWKS_URL: 'https://issuer.acme.io/jwks',
  TOKEN_ALGORITHMS: 'RS256',
  CLIENT_CLAIM: 'client_id',
  SCOPE_CLAIM: 'scope',
  SCOPE_SEARCH: 'search:pass',
  SCOPE_ISSUE: 'issue:pass',
  SCOPE_UPDATE: 'update:pass',
};

/** What the Worker will make of the strings it is given: by its own parser. */
export function knownOf({ variables, secrets }: Subject): Known {
  const those = (names: RegExp) => Object.fromEntries(Object.entries(variables).filter(([name]) => names.test(name)));
  return {
    issuers: parsed(those(OF_ISSUERS)),
    networks: secrets && parsed({ ...SOME_ISSUER, ...those(OF_NETWORKS), ...secrets }),
  };
}

function parsed(environment: object): Config | undefined {
  try {
    return configOf(environment);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

export function configurationFindings(subject: Subject): Promise<Finding[]> {
  return Promise.all([
    check('variables', () => variablesVerdict(subject)),
    check('secrets', () => secretsVerdict(subject)),
    ...(subject.environment === undefined ? [] : [check('databases', () => databaseVerdict(subject))]),
  ]);
}

function variablesVerdict({ environment, variables }: Subject): Verdict {
  try {
    if (environment === undefined) configOf({ ...variables });
    else demandDeployable(environment);
  } catch (error) {
    if (error instanceof ConfigError) return wrong(error.message, 'put the variable right (README, Configuration)');
    if (error instanceof Failure) return wrong(error.message, 'put it right in wrangler.toml (README, Configuration)');
    throw error;
  }
  return ok(environment === undefined ? 'as the Worker reads them' : `[env.${environment}] is as the Worker reads it`);
}

const SET_ENDPOINTS = 'set it: {"sepolia": ["https://…"]}';

function secretsVerdict({ environment, variables, secrets }: Subject): Verdict {
  if (secrets === undefined) {
    return unchecked('only you know them: name a file with --secrets FILE, or set them in the environment');
  }
  const stray = Object.keys(secrets).find((name) => !(SECRETS as readonly string[]).includes(name));
  if (stray !== undefined) {
    // Digits: it may be half of a key that got into the wrong place.
    const shown = /^[A-Z_]{1,40}$/.test(stray) ? stray : 'what one of them is called';
    return wrong(`${shown} is no secret of the Worker`, `take it out; they are ${SECRETS.join(', ')}`);
  }
  const set = SECRETS.filter((name) => secrets[name]);
  if (!set.includes('RPC_ENDPOINTS')) return wrong('RPC_ENDPOINTS is missing: no network is enabled', SET_ENDPOINTS);
  if (set.length === 1) {
    return wrong(
      'there is no gatekeeper key: no network is enabled',
      'set ETHEREUM_GATEKEEPER_KEY, SOLANA_GATEKEEPER_KEY or both',
    );
  }
  if (parsed({ ...variables }) === undefined) return unchecked('the variables are wrong');
  try {
    const { rpc } = configOf({ ...variables, ...secrets });
    if (Object.values(rpc).flat().length === 0) {
      return wrong('RPC_ENDPOINTS names no endpoint: no network is enabled', SET_ENDPOINTS);
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const isSecret = (SECRETS as readonly string[]).includes(error.variable);
    const again = environment === undefined ? 'start again' : 'set it again';
    return wrong(error.message, isSecret ? `put the secret right, and ${again}` : 'put the variable right');
  }
  return ok(set.join(', '));
}

function databaseVerdict({ environment, shards, databaseIds }: Subject): Verdict {
  if (shards.length === 0)
    return wrong('the block binds no database', 'bind DB in wrangler.toml, as the template does');
  const at = databaseIds.findIndex(isOfTemplate);
  if (at < 0) return ok(shards.join(', '));
  return wrong(
    `${shards[at]} has the id of the template`,
    `npx wrangler d1 create gatepass-${environment}, and put the id it prints into wrangler.toml`,
  );
}

/** Whether the databases of the block can be asked. */
export function hasDatabases(subject: Subject): boolean {
  return subject.environment === undefined || databaseVerdict(subject).type === 'ok';
}
