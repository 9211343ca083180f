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
