import { type Config, configOf } from '../../src/config/config.ts';

/** What a Worker cannot do without. */
const REQUIRED = {
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

/** The first key of every local Ethereum node, and its address. */
export const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
export const GATEKEEPER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

/** The variables a Worker starts with, and what the test says about them; `undefined` unsets one. */
export function anEnvironment(overrides: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { ...REQUIRED, ...overrides };
}

/** The configuration of such a Worker. */
export function aConfig(overrides: Readonly<Record<string, unknown>> = {}): Config {
  return configOf(anEnvironment(overrides));
}
