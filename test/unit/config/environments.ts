import type { Config } from '../../../src/config/config.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import { ConfigError } from '../../../src/config/variable.ts';

/** The variables that a local Worker requires. */
const REQUIRED = {
  DEPLOYMENT: 'local',
  TOKEN_ISSUER: 'https://issuer.example',
  TOKEN_AUDIENCE: 'https://gatepass.example',
  JWKS_URL: 'https://issuer.example/jwks',
  TOKEN_ALGORITHMS: 'RS256 ES256',
  CLIENT_CLAIM: 'client_id',
  SCOPE_CLAIM: 'scope',
  SCOPE_SEARCH: 'search:pass',
  SCOPE_ISSUE: 'issue:pass',
  SCOPE_UPDATE: 'update:pass',
};

/** The variables whose values differ in a deployment. No test sends a request to these hosts. */
const DEPLOYED = {
  DEPLOYMENT: 'production',
  PUBLIC_ORIGIN: 'https://passes.acme.io',
  TOKEN_ISSUER: 'https://login.acme.io',
  TOKEN_AUDIENCE: 'https://passes.acme.io',
  JWKS_URL: 'https://login.acme.io/jwks',
  ADMIN_AUDIENCE: 'https://staff.acme.io',
};

/** The first key of every local Ethereum node, and its address. */
export const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
export const GATEKEEPER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

/** The key pair of RFC 8032 §7.1, TEST 1, and its address on Solana. */
export const SOLANA_PAIR = Uint8Array.from(
  `9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60${'d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'}`.match(
    /../g,
  ) ?? [],
  (digits) => Number.parseInt(digits, 16),
);
export const SOLANA_GATEKEEPER = 'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z';

/** Returns the variables of a local Worker with these overrides; `undefined` unsets a variable. */
export function anEnvironment(overrides: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { ...REQUIRED, ...overrides };
}

/** Returns the configuration of a local Worker with these overrides. */
export function aConfig(overrides: Readonly<Record<string, unknown>> = {}): Config {
  return configOf(anEnvironment(overrides));
}

/** Returns the variables of a valid deployment with these overrides. */
export function aDeployment(overrides: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return anEnvironment({ ...DEPLOYED, ...overrides });
}

/** Returns the error of an invalid environment; the test fails if the environment is valid. */
export function refusalOf(environment: object): ConfigError {
  try {
    configOf(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

/** Returns the error of a local Worker with these overrides. */
export const refusal = (overrides: Readonly<Record<string, unknown>>): ConfigError =>
  refusalOf(anEnvironment(overrides));

/** A text that occurs in no correct value. No error may show it. */
export const PLANTED = 'planted7f3a';
