import type { Config } from '../../src/config/config.ts';
import { configOf } from '../../src/config/parse-config.ts';
import { ConfigError } from '../../src/config/variable.ts';
import type { Deployment } from './deployment.ts';

/** The configuration in two halves, so that a fault in one does not prevent the checks of the other. */
export interface ParsedConfigs {
  /** Valid for issuers and the base path; undefined: their variables are invalid. */
  readonly issuers: Config | undefined;
  /** Valid for networks and keys; undefined: their variables or secrets are invalid or unknown. */
  readonly networks: Config | undefined;
}

const ISSUER_VARIABLES = /^(DEPLOYMENT|PUBLIC_ORIGIN|BASE_PATH|TOKEN_.*|JWKS_URL|.*_CLAIM|SCOPE_.*|ADMIN_.*)$/;
const NETWORK_VARIABLES =
  /^(DEPLOYMENT|NETWORKS|MAINNETS|GATEKEEPER_NETWORK_SLOTS|RETIRED_GATEKEEPERS|COMPROMISED_GATEKEEPERS)$/;
/** The networks do not use these variables, but the parser requires them. */
const PLACEHOLDER_ISSUER = {
  PUBLIC_ORIGIN: 'https://api.acme.io',
  TOKEN_ISSUER: 'https://issuer.acme.io',
  TOKEN_AUDIENCE: 'https://api.acme.io',
  JWKS_URL: 'https://issuer.acme.io/jwks',
  TOKEN_ALGORITHMS: 'RS256',
  CLIENT_CLAIM: 'client_id',
  SCOPE_CLAIM: 'scope',
  SCOPE_SEARCH: 'search:pass',
  SCOPE_ISSUE: 'issue:pass',
  SCOPE_UPDATE: 'update:pass',
  ADMIN_AUDIENCE: 'https://staff.acme.io',
};

/** Parses the variables and secrets with the Worker's own parser. */
export function parseConfigs({ variables, secrets }: Pick<Deployment, 'variables' | 'secrets'>): ParsedConfigs {
  const those = (names: RegExp) => Object.fromEntries(Object.entries(variables).filter(([name]) => names.test(name)));
  return {
    issuers: parseConfig(those(ISSUER_VARIABLES)),
    networks: secrets && parseConfig({ ...PLACEHOLDER_ISSUER, ...those(NETWORK_VARIABLES), ...secrets }),
  };
}

/** Returns undefined if a variable is invalid. */
export function parseConfig(environment: object): Config | undefined {
  try {
    return configOf(environment);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
