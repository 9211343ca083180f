import { type Config, configOf } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/variable.ts';

/** What a Worker on the machine of a developer cannot do without. */
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

/** What a deployment has instead: nobody asks these hosts for anything. */
const DEPLOYED = {
  DEPLOYMENT: 'production',
  TOKEN_ISSUER: 'https://login.acme.io',
  TOKEN_AUDIENCE: 'https://passes.acme.io',
  JWKS_URL: 'https://login.acme.io/jwks',
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

/** The variables a Worker starts with, and what the test says about them; `undefined` unsets one. */
export function anEnvironment(overrides: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { ...REQUIRED, ...overrides };
}

/** The configuration of such a Worker. */
export function aConfig(overrides: Readonly<Record<string, unknown>> = {}): Config {
  return configOf(anEnvironment(overrides));
}

/** The variables of a deployment that nothing is wrong with, and what the test says about them. */
export function aDeployment(overrides: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return anEnvironment({ ...DEPLOYED, ...overrides });
}

/** The error of an environment that must be refused. */
export function refusalOf(environment: object): ConfigError {
  try {
    configOf(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}
